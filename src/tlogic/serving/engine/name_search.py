"""Search for names of entities or relations, tolerant of spelling mistakes."""

from collections.abc import Sequence
from threading import Lock

from rapidfuzz import fuzz, process

_MIN_SIMILARITY = 70
"""In percent, as `rapidfuzz` measures it."""


class NameSearch:
    """Searches a list of names, which may grow.

    >>> search = NameSearch(["Angela Merkel", "Police (India)", "Merkava"])
    >>> [search.names[index] for index in search.find("angela merkl", 2)]
    ['Angela Merkel']
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._normalized: list[str] = []
        self._lock = Lock()

    def find(self, text: str, limit: int, weights: Sequence[int] | None = None) -> list[int]:
        """The indices of the best matches: names that start with the text, then contain it, then are similar to it.

        Among equal matches, names with a larger weight come first, then shorter names, then in alphabetical order.
        """
        with self._lock:
            self._normalized += map(normalized, self.names[len(self._normalized) :])
        wanted = normalized(text)
        weight_of = weights if weights is not None else [0] * len(self._normalized)

        def sort_key(match: tuple[int, float]) -> tuple[float, int, int, str]:
            index, distance = match
            return distance, -weight_of[index], len(self._normalized[index]), self.names[index]

        matches = [(index, _distance(name, wanted)) for index, name in enumerate(self._normalized) if wanted in name]
        if len(matches) < limit and wanted:
            found = {index for index, _ in matches}
            similar = process.extract(
                wanted, self._normalized, scorer=fuzz.WRatio, score_cutoff=_MIN_SIMILARITY, limit=limit + len(found)
            )
            matches += [(index, 1000.0 - score) for _, score, index in similar if index not in found]
        return [index for index, _ in sorted(matches, key=sort_key)[:limit]]


def normalized(name: str) -> str:
    """A name in lower case, with spaces instead of underscores.

    >>> normalized("Angela_Merkel")
    'angela merkel'
    """
    return name.casefold().replace("_", " ").strip()


def _distance(name: str, text: str) -> float:
    """0 if the name equals the text, 1 if it starts with it, 2 if one of its words does, 3 if it contains it."""
    if name == text:
        return 0.0
    if name.startswith(text):
        return 1.0
    return 2.0 if f" {text}" in name or f"({text}" in name else 3.0
