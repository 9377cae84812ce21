"""Names prepared for the search of one word, with the cost of each way in which a name can contain it."""

from collections.abc import Iterable, Sequence
from itertools import compress

import numpy as np

from tlogic.name_search.folding import folded_lines, is_unspaced, words_in
from tlogic.name_search.terms import Array, Terms

MISSING = 100
"""The cost of a word that a name does not contain."""
ONE_MISTAKE = 3
"""The cost of a word with one spelling mistake; each more costs 1 more."""
_INITIALS_COST, _ABBREVIATION_COST, _SUBSTRING_COST = 1, 1, 2
_MAX_NAME_LENGTH = 300
"""In characters; the rest of a longer name is not searched."""
_MIN_PART_LENGTH = 3
"""The least number of characters of an abbreviation, or of a part within a word or within initials."""
_MIN_PREFIX_LENGTH = 6
"""The least number of characters of the misspelled beginning of a word."""
_MIN_MAJOR_LENGTH = 4
"""Initials such as FBI may leave out shorter words."""
_MIN_SIMILARITY = 75
"""Of whole names, in percent."""


class IndexedNames:
    """Consecutive names of a vocabulary, with their words and initials.

    Args:
        names: The names.
        first: The number of the first of them.

    Example:
        >>> names = IndexedNames(["Ann Lee", "Federal Bureau of Investigation"])
        >>> names.costs("fed").tolist(), names.costs("fbi").tolist(), names.tolerant_costs("burxau").tolist()
        ([100, 0], [100, 0], [100, 3])
    """

    def __init__(self, names: Sequence[str], first: int = 0) -> None:
        self.first = first
        # Without line ends in names, all are split at once.
        self._lines = words_in(folded_lines([" ".join(name[:_MAX_NAME_LENGTH].split()) for name in names]))
        self._hashes = np.fromiter(map(hash, self._lines), np.int64, len(names))
        n_words = np.array([line.count(" ") + 1 for line in self._lines])
        words = " ".join(self._lines).split(" ")
        self._words = Terms(words, np.repeat(np.arange(len(names)), n_words))
        self._initials = _initials(words, n_words)

    def __len__(self) -> int:
        return len(self._lines)

    def equal_to(self, words: Sequence[str]) -> Array:
        """The numbers of the names with exactly these words."""
        line = " ".join(words)
        return np.array([i for i in np.flatnonzero(self._hashes == hash(line)) if self._lines[i] == line], np.int64)

    def costs(self, word: str) -> Array:
        """Per name, 0 if one of its words begins with a word, or if the word is its initials; else ``MISSING``."""
        costs = np.full(len(self), MISSING, np.int16)
        costs[self._words.names_of(self._words.beginning_with(word))] = 0
        costs[self._initials.names_of(self._initials.equal_to(word))] = 0
        if is_unspaced(word):
            costs[self._words.names_of(self._words.containing(word))] = 0
        return costs

    def tolerant_costs(self, word: str) -> Array:
        """Like ``costs``, also for names with the word misspelled, abbreviated, or within another word."""
        costs = np.full(len(self), MISSING, np.int16)
        for n_mistakes, similar in self._similar_words(word):
            costs[self._words.names_of(similar)] = ONE_MISTAKE + n_mistakes - 1
        if len(word) >= _MIN_PART_LENGTH or not word.isalnum():
            costs[self._words.names_of(self._words.containing(word))] = _SUBSTRING_COST
        if len(word) >= _MIN_PART_LENGTH:
            costs[self._words.names_of(self._words.abbreviated_by(word))] = _ABBREVIATION_COST
            costs[self._initials.names_of(self._initials.containing(word))] = _INITIALS_COST
        return np.minimum(costs, self.costs(word))

    def similarity(self, words: Sequence[str]) -> Array:
        """Per name, the similarity of its words to others, in percent; 0 if it is small."""
        from rapidfuzz import fuzz, process

        return process.cdist([" ".join(words)], self._lines, scorer=fuzz.ratio, score_cutoff=_MIN_SIMILARITY)[0]

    def _similar_words(self, word: str) -> Iterable[tuple[int, Array]]:
        """Words spelled similarly, by their number of mistakes, the largest first. To be incomplete is one, too."""
        max_distance, words = _max_distance(word), self._words.distinct
        if not max_distance or not words:
            return
        distance = _distances(word, words, max_distance)
        same_initial = self._words.beginning_with(word[0])
        if same_initial and len(word) >= _MIN_PREFIX_LENGTH:
            part = slice(same_initial.start, same_initial.stop)
            lengths = len(word) - 1, len(word), len(word) + 1  # a mistake may be a letter too many or too few
            beginnings = [each[:length] for length in lengths for each in words[part]]
            nearest = _distances(word, beginnings, max_distance - 1).reshape(len(lengths), -1).min(axis=0)
            distance[part] = np.minimum(distance[part], nearest + 1)
        for n_mistakes in range(max_distance, 0, -1):
            yield n_mistakes, np.flatnonzero(distance == n_mistakes)


def _initials(words: Sequence[str], n_words: Array) -> Terms:
    """The initials of each name with several words: of all words, and of the longer words.

    >>> _initials("federal bureau of investigation ann".split(), np.array([4, 1])).distinct
    ['fbi', 'fboi']
    """
    is_long = np.fromiter(map(len, words), np.int64, len(words)) >= _MIN_MAJOR_LENGTH
    letters = [word[:1] or " " for word in words]
    end = np.cumsum(n_words)
    end_long = np.concatenate([[0], np.cumsum(is_long)])[end]
    n_long = np.diff(end_long, prepend=0)
    several, several_long = np.flatnonzero(n_words > 1), np.flatnonzero((n_long > 1) & (n_long < n_words))
    initials = _runs("".join(letters), end, n_words, several)
    initials += _runs("".join(compress(letters, is_long)), end_long, n_long, several_long)
    return Terms(initials, np.concatenate([several, several_long]))


def _runs(text: str, end: Array, length: Array, chosen: Array) -> list[str]:
    """Parts of a text, given by their ends and lengths."""
    bounds = zip((end - length)[chosen].tolist(), end[chosen].tolist(), strict=True)
    return [text[start:stop] for start, stop in bounds]


def _max_distance(word: str) -> int:
    """The number of spelling mistakes that a word may have.

    >>> [_max_distance(word) for word in ("un", "seu", "goldmn", "2014")]
    [0, 1, 2, 0]
    """
    return 0 if len(word) < 3 or word.isdecimal() else 1 if len(word) < 6 else 2


def _distances(word: str, others: Sequence[str], max_distance: int) -> Array:
    """The number of characters to insert, delete, replace or swap; a larger number than allowed if it is more."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    return process.cdist([word], others, scorer=OSA.distance, score_cutoff=max_distance)[0]
