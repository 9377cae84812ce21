"""NameIndex: finds names from what people type, in a list of names that may grow."""

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic

import numpy as np

from tlogic.name_search.folding import folded, words_in
from tlogic.name_search.indexed_names import MISSING, ONE_MISTAKE, IndexedNames
from tlogic.name_search.terms import Array

_MAX_TEXT_LENGTH = 200
"""In characters; the rest of a longer text is not searched."""
_MAX_WORDS = 8
_MAX_SUGGESTIONS = 3
_MAX_SECONDS = 0.25
"""After this time, a search corrects no more words."""
_MIN_MATCHES = 5
"""If fewer names match as typed, other spellings are searched, too."""
_MIN_MATCHED_SHARE = 0.6
"""The least share of the typed letters that a name must match if it need not contain all words."""
_EXACT, _ALL_WORDS, _SIMILAR = 0, 1, 1000
"""The best quality of a name that equals the text, contains all words, or is only similar. Costs are added to it."""


class NameIndex:
    """Finds names by the words that people type.

    The words may be in any order, incomplete, abbreviated or misspelled. A single word can also be the initials of a
    name. Case, accents and punctuation do not matter. Several threads may search at the same time.

    Args:
        names: The names, in the order of their numbers. More may be appended at any time.

    Example:
        >>> names = ["Goldman Sachs", "U.S. Federal Reserve", "World Trade Organization"]
        >>> index = NameIndex(names)
        >>> [names[index.search(text, 1)[0]] for text in ("goldmn sacks", "fed res", "wto")]
        ['Goldman Sachs', 'U.S. Federal Reserve', 'World Trade Organization']
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._parts: tuple[IndexedNames, ...] = ()
        """Each has fewer names than the one before, so a new name is indexed again only a few times."""
        self._lock = Lock()

    def search(self, text: str, limit: int, counts: Sequence[int] | Array | None = None) -> list[int]:
        """Find the names that match a text best.

        Args:
            text: What was typed. If it is empty, all names match.
            limit: The maximum number of names to return.
            counts: Per name, its number of events. Names without one are left out.

        Returns:
            The numbers of the names: first those that equal the text, then those that contain all words as typed, then
            those with other spellings. Among equal matches, names with more events come first, then shorter names.

        Example:
            >>> NameIndex(["Merkava", "Angela Merkel"]).search("merk", 2, counts=[1, 80])
            [1, 0]
        """
        quality = _qualities(self._updated(), _words_of(text))
        if counts is not None:
            quality = quality[: len(counts)]
        return self._best(quality, limit, np.zeros(len(quality), np.int64) if counts is None else np.asarray(counts))

    def similar_to(self, name: str, counts: Sequence[int] | Array | None = None) -> list[str]:
        """The names to suggest instead of an unknown name, the best first.

        Example:
            >>> NameIndex(["fine", "visit"]).similar_to("fines")
            ['fine']
        """
        numbers = self.search(name, _MAX_SUGGESTIONS, counts) if _words_of(name) else []
        return [self.names[number] for number in numbers]

    def _updated(self) -> tuple[IndexedNames, ...]:
        """The parts of the index, after new names were added to it."""
        with self._lock:
            first, end = sum(map(len, self._parts)), len(self.names)
            if first < end:
                parts = list(self._parts)
                while parts and len(parts[-1]) <= end - first:
                    first = parts.pop().first
                self._parts = (*parts, IndexedNames(self.names[first:end], first))
            return self._parts

    def _best(self, quality: Array, limit: int, counts: Array) -> list[int]:
        numbers = np.flatnonzero(quality >= 0)
        quality, counts = quality[numbers], counts[: len(quality)][numbers].astype(np.int64)
        if len(numbers) > limit:
            key = (quality.astype(np.int64) << 48) - counts
            keep = key <= np.partition(key, limit - 1)[limit - 1]
            numbers, quality, counts = numbers[keep], quality[keep], counts[keep]
        names = [self.names[number] for number in numbers.tolist()]
        rows = zip(quality.tolist(), (-counts).tolist(), map(len, names), names, numbers.tolist(), strict=True)
        return [row[-1] for row in sorted(rows)[:limit]]


def _words_of(text: str) -> list[str]:
    """The first words of a text that was typed."""
    [line] = words_in(folded(" ".join(text[:_MAX_TEXT_LENGTH].split())))
    return line.split()[:_MAX_WORDS]


def _qualities(parts: Sequence[IndexedNames], words: Sequence[str]) -> Array:
    """Per name, how well it matches the words, from 0 for the best; -1 if it does not match."""
    if not parts or not words:
        return np.zeros(sum(map(len, parts)), np.int64)
    quality = _qualities_by_words(parts, words)
    quality[_joined(parts, lambda part: part.first + part.equal_to(words))] = _EXACT
    return quality


def _qualities_by_words(parts: Sequence[IndexedNames], words: Sequence[str]) -> Array:
    deadline = monotonic() + _MAX_SECONDS
    costs = np.stack([_joined(parts, lambda part, word=word: part.costs(word)) for word in words])
    quality = _with_all_words(costs)
    n_matches = np.count_nonzero(quality >= 0)
    if n_matches >= _MIN_MATCHES:
        return quality
    for row, word in enumerate(words):
        if monotonic() < deadline:
            costs[row] = _joined(parts, lambda part, word=word: part.tolerant_costs(word))
    quality = _with_all_words(costs)
    if n_matches:
        return np.where(quality <= _ALL_WORDS + ONE_MISTAKE, quality, -1)
    if not (quality >= 0).any():
        quality = _with_most_words(costs, words)
    if not (quality >= 0).any() and monotonic() < deadline:
        similarity = _joined(parts, lambda part: part.similarity(words))
        quality = np.where(similarity > 0, _SIMILAR + 100 - similarity.astype(np.int64), -1)
    return quality


def _with_all_words(costs: Array) -> Array:
    """The qualities of names that contain all words, from the costs of each word and name."""
    return np.where(costs.max(axis=0) < MISSING, _ALL_WORDS + costs.sum(axis=0), -1)


def _with_most_words(costs: Array, words: Sequence[str]) -> Array:
    """The qualities of names that contain words with most of the letters."""
    length = np.array([len(word) for word in words])
    matched = length @ (costs < MISSING)
    return np.where(matched >= _MIN_MATCHED_SHARE * length.sum(), _ALL_WORDS + costs.sum(axis=0), -1)


def _joined(parts: Sequence[IndexedNames], compute: Callable[..., Array]) -> Array:
    return np.concatenate([compute(part) for part in parts])
