"""Text as it is compared in searches: without case and accents, and split into words."""

import re
import unicodedata
from collections.abc import Sequence

_IGNORED_CATEGORIES = {"Mn", "Me", "Cf"}
"""Accents and other marks, and characters that only control how text is shown."""
_PLAIN_LETTERS = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
"""Letters whose accents Unicode does not separate."""
_ACRONYM_DOT = re.compile(r"\.(?<!\w\w\.)(?<=\w\.)(?=\w\b|\W|\Z)")
_JOINT = re.compile(r"[&'’](?<=\w.)(?=\w)")
_SEPARATORS = re.compile(r"[^\w\n\u2190-\u2bff\U0001f000-\U0001faff]+")
"""Everything but letters, digits, and symbols such as emoji."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese."""


def folded(text: str) -> str:
    """Text without case and accents, with spaces for underscores. Line ends stay.

    >>> folded("Łódź_Straße")
    'lodz strasse'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        ignored = [character for character in set(text) if unicodedata.category(character) in _IGNORED_CATEGORIES]
        text = re.sub(f"[{re.escape(''.join(ignored))}]+", "", text) if ignored else text
    text = text.casefold()
    if not text.isascii():
        for letter, plain in _PLAIN_LETTERS.items():
            text = text.replace(letter, plain)
    return text.replace("_", " ")


def folded_lines(lines: Sequence[str]) -> str:
    """Folded lines as one text. Those with other characters than ASCII, which take longer, are folded together.

    >>> folded_lines(["Ann_Lee", "Łódź"])
    'ann lee\\nlodz'
    """
    done = [folded(line) if line.isascii() else line for line in lines]
    others = [number for number, line in enumerate(lines) if not line.isascii()]
    for number, line in zip(others, folded("\n".join([lines[i] for i in others])).split("\n"), strict=False):
        done[number] = line
    return "\n".join(done)


def words_in(text: str) -> list[str]:
    """The words of each line of folded text, with one space between them. A line without words, such as "***", stays.

    >>> words_in("u.s. federal reserve\\nat&t (o'hare), j. smith")
    ['us federal reserve', 'att ohare j smith']
    """
    separated = _SEPARATORS.sub(" ", _JOINT.sub("", _ACRONYM_DOT.sub("", text)))
    found = [line.strip() for line in separated.split("\n")]
    return found if all(found) else [words or line for words, line in zip(found, text.split("\n"), strict=True)]


def is_unspaced(word: str) -> bool:
    """Whether a word is in a script that has no spaces between words.

    >>> is_unspaced("東京都"), is_unspaced("tokyo")
    (True, False)
    """
    return _UNSPACED.search(word) is not None
