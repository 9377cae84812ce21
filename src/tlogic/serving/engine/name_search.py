"""Names found as people type them: beginnings, parts, and forgiving of spelling."""

from collections.abc import Sequence
from threading import Lock

from rapidfuzz import fuzz, process

_ALIKE = 70


class NameSearch:
    """The names of one kind, in their order, which may grow.

    >>> search = NameSearch(["Angela Merkel", "Police (India)", "Merkava"])
    >>> [search.names[place] for place in search.find("angela merkl", 2)]
    ['Angela Merkel']
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._spelled: list[str] = []
        self._growing = Lock()

    def find(self, text: str, limit: int, weight: Sequence[int] | None = None) -> list[int]:
        """The places of the best matches: those that begin so, then those that hold it, then those spelled alike.

        Among equals the one that weighs more comes first, and then the shorter.
        """
        with self._growing:
            self._spelled += map(spelled, self.names[len(self._spelled) :])
        wanted = spelled(text)
        weighs = weight if weight is not None else [0] * len(self._spelled)

        def order(found: tuple[int, float]) -> tuple[float, int, int]:
            return found[1], -weighs[found[0]], len(self._spelled[found[0]])

        close = [(place, _distance(name, wanted)) for place, name in enumerate(self._spelled) if wanted in name]
        if len(close) < limit and wanted:
            held = {place for place, _ in close}
            alike = process.extract(
                wanted, self._spelled, scorer=fuzz.WRatio, score_cutoff=_ALIKE, limit=limit + len(held)
            )
            close += [(place, 1000.0 - score) for _, score, place in alike if place not in held]
        return [place for place, _ in sorted(close, key=order)[:limit]]


def spelled(name: str) -> str:
    """A name without what people do not type: case and underscores.

    >>> spelled("Angela_Merkel")
    'angela merkel'
    """
    return name.casefold().replace("_", " ").strip()


def _distance(name: str, wanted: str) -> float:
    """0 for the name itself, 1 where it begins so, 2 where a word of it does, 3 where it holds it."""
    if name == wanted:
        return 0.0
    if name.startswith(wanted):
        return 1.0
    return 2.0 if f" {wanted}" in name or f"({wanted}" in name else 3.0
