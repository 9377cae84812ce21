"""Terms: distinct words, or initials, and the names that have them."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

_LAST_CHARACTER = chr(0x10FFFF)

Array = np.ndarray[Any, np.dtype[Any]]


class Terms:
    """Distinct strings in alphabetical order, and the names that each of them occurs in.

    Args:
        strings: The strings; equal ones may occur several times.
        names: For each of them, the number of its name.

    Example:
        >>> terms = Terms(["bo", "ann", "hannah", "ann"], np.array([0, 0, 1, 2]))
        >>> terms.distinct, terms.names_of(terms.containing("ann")).tolist()
        (['ann', 'bo', 'hannah'], [0, 2, 1])
    """

    def __init__(self, strings: Sequence[str], names: Array) -> None:
        text = "\n".join(["", *sorted(set(strings)), ""])
        self._text = _encoded(text)
        self._position = np.flatnonzero(np.frombuffer(self._text, np.uint8) == ord("\n"))
        """Where the line of each term begins in the text, at the line end before it."""
        self.distinct = text.split("\n")[1:-1]  # new strings, side by side in memory, which are compared much faster
        number = dict(zip(self.distinct, range(len(self.distinct)), strict=True))
        term = np.fromiter(map(number.__getitem__, strings), np.int32, len(strings))
        self._names = names[np.argsort(term, kind="stable")]
        self._start = np.concatenate([[0], np.cumsum(np.bincount(term, minlength=len(self.distinct)))])

    def beginning_with(self, prefix: str) -> range:
        """The numbers of the terms with a prefix."""
        return range(bisect_left(self.distinct, prefix), bisect_left(self.distinct, prefix + _LAST_CHARACTER))

    def equal_to(self, string: str) -> range:
        """The number of a term; empty if there is no such term."""
        first = bisect_left(self.distinct, string)
        return range(first, first + (self.distinct[first : first + 1] == [string]))

    def containing(self, string: str) -> Array:
        """The numbers of the terms that contain a string."""
        wanted, positions = _encoded(string), []
        position = self._text.find(wanted)
        while position >= 0:
            positions.append(position)
            position = self._text.find(wanted, self._text.find(b"\n", position))
        return self._terms_at(positions)

    def abbreviated_by(self, word: str) -> Array:
        """The numbers of the terms that begin and end like a word and have its characters in the same order."""
        if not word.isascii():
            return np.empty(0, np.int64)
        first, *inner, last = (re.escape(each) for each in word)
        middle = "".join(f"[^{each}\n]*{each}" for each in inner)
        pattern = f"\n{first}{middle}[^\n]*{last}(?=\n)"
        same_initial = self.beginning_with(word[0])
        bounds = self._position[same_initial.start], self._position[same_initial.stop] + 1
        found = re.compile(pattern.encode()).finditer(self._text, *map(int, bounds))
        return self._terms_at([each.start() for each in found])

    def names_of(self, terms: Iterable[int]) -> Array:
        """The numbers of the names that have one of the terms."""
        if isinstance(terms, range):
            return self._names[self._start[terms.start] : self._start[terms.stop]]
        runs = [self._names[self._start[each] : self._start[each + 1]] for each in terms]
        return np.concatenate(runs) if runs else np.empty(0, np.int64)

    def _terms_at(self, positions: Sequence[int]) -> Array:
        return np.searchsorted(self._position, positions, side="right") - 1


def _encoded(string: str) -> bytes:
    """Bytes are searched faster than a text with emoji. Names may have lone surrogates."""
    return string.encode("utf-8", "surrogatepass")
