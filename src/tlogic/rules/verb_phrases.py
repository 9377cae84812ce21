"""Relations as verb phrases: `Accuse_of_crime,_corruption` becomes "accuses Y of crime or corruption".

Most relations in event data are named after verbs. The first verbs of a name are inflected. A few rules decide where
the object goes: directly after a verb that takes one, or after the preposition that the verb or noun requires.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from tlogic.rules.english_verbs import (
    FINITE,
    article_for,
    base_form,
    gerund,
    is_verb,
    preposition_of,
    third_person,
    word_set,
)

_OBJECT = "\0"
_NOT_IN_PROSE = re.compile(r"[\[\]{}0-9]")  # a name with these is a code, or has notes
_JOINERS = word_set(", or and")
_ARTICLES = word_set("a an the")
_PREPOSITIONS = word_set(
    "about against among around as at before behind between by for from in into near of off on out over to toward "
    "towards under up upon via with within"
)
# The object comes between the verb and these words: "accuses Y of crime", "takes Y hostage".
_AFTER_OBJECT = word_set("of with by as at for hostage guilty")
_OF_SOMETHING = word_set("accuse inform notify suspect warn")
# Words that are verbs even at the end of a name: "obstructs passage or blocks Y".
_LATE_VERBS = word_set("block restrict riot")
# The preposition before the object, by a word of the name; the first of these words that occurs decides.
_LEADS_TO_OBJECT = {
    word: preposition
    for preposition, words in (
        ("of", "freedoms movement politicians"),
        ("to", "access decline"),
        ("about", "comment"),
        ("to", "make"),
        ("from", "borrow demand demands receive request requests withdraw"),
        ("against", "dissent"),
        ("to", "give grant offer pay provide return sell send"),
        ("on", "ease embargo impose sanctions"),
        ("by", "accept host investigate involvement mediation"),
        ("to", "aid appeal assistance statement visit"),
        ("with", "accord agreement ceasefire cooperation dispute engagement negotiation negotiations relations truce"),
        ("with", "cooperate share"),
        ("towards", "demobilize"),
        ("against", "bombing boycott force forces lawsuit non-force opposition power protest repression strike"),
        ("against", "employ mobilize violence weapons"),
        ("of", "deport expulsion killings law occupy property release territory"),
        ("towards", "act institutions leadership option policy reform regime responsibility status"),
    )
    for word in words.split()
}
_WANTS_ARTICLE = word_set(
    "act agreement blockade bombing ceasefire comment curfew dispute inquiry lawsuit office option plan proposal "
    "request shield state statement strike truce ultimatum"
)


class Phrase(NamedTuple):
    """The text of a verb phrase before and after its object, with finite verb and, if it exists, -ing form."""

    finite: tuple[str, str]
    gerund: tuple[str, str] | None


@lru_cache(maxsize=1 << 16)
def verb_phrase(relation: str) -> Phrase | None:
    """The verb phrase of a relation's name, or None if the name does not look like one.

    >>> verb_phrase("Accuse_of_crime,_corruption").finite
    ('accuses', ' of crime or corruption')
    >>> verb_phrase("capital_of") is None
    True
    """
    words = _words(relation) if relation.isprintable() and not _NOT_IN_PROSE.search(relation) else []
    if words and words[0] in FINITE:
        passive = ["is"] if len(words) == 2 and words[1] == "by" else []
        return Phrase(_around_object([*passive, *words, _OBJECT]), None)
    with_object = _with_object(words)
    if with_object is None:
        return None
    complete = _with_articles(with_object)
    return Phrase(*(_around_object(_inflected(complete, form)) for form in (third_person, gerund)))


def _words(relation: str) -> list[str]:
    """The words and commas of a name; "wasBornIn" has three words, and a last comma means "or"."""
    name = relation.strip("<>")
    if name.isidentifier() and "_" not in name and name[:1].islower():
        name = re.sub(r"(?=[A-Z])", " ", name).lower()
    words = (name.lower() if name.isupper() else name).replace("_", " ").replace(",", " , ").split()
    if words:
        words[0] = base_form(words[0].lower())
    if "," in words and not {"or", "and"} & set(words[words.index(",") :]):
        words[len(words) - 1 - words[::-1].index(",")] = "or"
    return words


def _verb_positions(words: list[str]) -> list[int]:
    """The positions of the verbs at the start of a phrase: "arrest, detain, or charge"."""
    positions = []
    position = 1 if words and words[0].endswith("ly") and not is_verb(words[0]) else 0
    while position < len(words) and is_verb(words[position]):
        positions.append(position)
        following = position + 1
        while following < len(words) and words[following] in _JOINERS:
            following += 1
        if following == position + 1:
            break
        position = following
    return positions


def _with_object(words: list[str]) -> list[str] | None:
    """A verb phrase with its object and preposition inserted; None if it is not a verb phrase."""
    positions = _verb_positions(words)
    if not positions:
        return None
    verbs, rest = words[: positions[-1] + 1], words[positions[-1] + 1 :]
    if rest.count("target") == 1:
        return [_OBJECT if word == "target" else word for word in words]
    if words[-1] in _PREPOSITIONS:
        return None if rest == ["of"] else [*words, _OBJECT]
    if words[-1] in _LATE_VERBS:
        return [*words, *_object_of(words[-1])]
    if all(word.endswith("ly") for word in rest):
        return [*words, *_object_of(verbs[-1])] if preposition_of(verbs[-1]) else [*verbs, _OBJECT, *rest]
    return _with_object_in_rest(verbs, rest)


def _with_object_in_rest(verbs: list[str], rest: list[str]) -> list[str] | None:
    verb = verbs[-1]
    if verb == "appeal" and rest[0] in ("for", "to") and rest[1] != "others":
        return [*verbs, *_object_of(verb), *rest]
    if (position := _infinitive_position(rest)) is not None:
        inner = _with_object(rest[position:])
        return inner and [*verbs, *rest[:position], *inner]
    if rest[0] in _AFTER_OBJECT:
        return _with_object_between(verbs, rest)
    present = {verb, *rest}
    preposition = next((_LEADS_TO_OBJECT[word] for word in _LEADS_TO_OBJECT if word in present), None)
    return [*verbs, *rest, preposition, _OBJECT] if preposition else None


def _with_object_between(verbs: list[str], rest: list[str]) -> list[str] | None:
    """The object after the verb, "fights Y with arms", or at the end if it needs a preposition."""
    if rest[0] == "of" and verbs[-1] not in _OF_SOMETHING:
        return None
    if preposition_of(verbs[-1]) and rest[0] != "for":
        return [*verbs, *rest, *_object_of(verbs[-1])]
    return [*verbs, *_object_of(verbs[-1]), *rest]


def _object_of(verb: str) -> list[str]:
    """The object of a verb, with its preposition if there is one."""
    return [preposition_of(verb), _OBJECT] if preposition_of(verb) else [_OBJECT]


def _infinitive_position(words: list[str]) -> int | None:
    """The position of the verb after "to": "intent to cooperate"; None if there is none."""
    return next((i for i in range(1, len(words)) if words[i - 1] == "to" and is_verb(words[i])), None)


def _with_articles(words: list[str]) -> list[str]:
    """Insert articles before nouns that need one: "signs a formal agreement"."""
    start = _verb_positions(words)[-1] + 1
    complete = words[:start]
    for word in words[start:] if words[0] != "decline" else []:
        if word in _PREPOSITIONS or word == _OBJECT or complete[-1] == "to":
            start = len(complete) + 1
        elif word in _WANTS_ARTICLE and (start == len(complete) or complete[start] not in _ARTICLES):
            complete.insert(start, article_for(complete[start] if start < len(complete) else word))
        complete.append(word)
    return complete + words[len(complete) :]


def _inflected(words: list[str], form: Callable[[str], str]) -> list[str]:
    """The words with all verbs in the given form."""
    late = (position for position, word in enumerate(words) if word in _LATE_VERBS and words[position - 1] in _JOINERS)
    positions = {*_verb_positions(words), *late}
    return [form(word) if position in positions else word for position, word in enumerate(words)]


def _around_object(words: list[str]) -> tuple[str, str]:
    """The text before the object and the text after it."""
    position = words.index(_OBJECT)
    before, after = (" ".join(part).replace(" ,", ",") for part in (words[:position], words[position + 1 :]))
    return before, f" {after}" if after else ""
