"""Names on the outside, integers inside."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from tlogic.errors import UnknownNameError
from tlogic.graph.arrays import Ints
from tlogic.names import INVERSE_MARK, did_you_mean, normalised


class Vocabulary:
    """The names of one kind of thing, numbered from zero in order of first appearance.

    >>> people = Vocabulary(["Ann", "Bo"], kind="entity")
    >>> people.id_of("Bo"), people.name_of(0), len(people)
    (1, 'Ann', 2)
    """

    def __init__(self, names: Iterable[str], kind: str) -> None:
        self.names = list(names)
        self.kind = kind

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._ids

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _plain_ids(self) -> dict[str, list[int]]:
        ids: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            ids.setdefault(normalised(name), []).append(number)
        return ids

    def add(self, names: Iterable[str]) -> None:
        """Number new names behind the others.

        >>> people = Vocabulary(["Ann"], kind="entity")
        >>> people.add(["Bo"])
        >>> people.id_of("bo")
        1
        """
        for name in names:
            self._ids[name] = len(self.names)
            self._plain_ids.setdefault(normalised(name), []).append(len(self.names))
            self.names.append(name)

    def match(self, name: str) -> int | None:
        """The id of a name, or of the only one that differs from it in nothing but case, spaces and underscores."""
        number = self._ids.get(name)
        if number is None:
            near = self._plain_ids.get(normalised(name), [])
            return near[0] if len(near) == 1 else None
        return number

    def id_of(self, name: str) -> int:
        """The id of a name, as ``match`` finds it; an unknown one is an error that lists the nearest known names."""
        number = self.match(name)
        if number is None:
            raise UnknownNameError(f"Unknown {self.kind} {name!r}{did_you_mean(name, self.names)}")
        return number

    def name_of(self, number: int) -> str:
        """The name behind an id."""
        return self.names[number]


class StoredVocabulary(Vocabulary):
    """Names that lie in arrays one behind the other; those are read that are needed.

    >>> import numpy as np
    >>> people = StoredVocabulary(np.frombuffer(b"AnnBo", np.uint8), np.array([3, 5]), kind="entity")
    >>> len(people), people.name_of(1), people.id_of("Ann")
    (2, 'Bo', 0)
    """

    def __init__(self, text: Ints, end: Ints, kind: str) -> None:
        self._text, self._end, self.kind = text, end, kind

    def __len__(self) -> int:
        return len(self._end)

    @cached_property
    def names(self) -> list[str]:  # type: ignore[override]
        """All names."""
        text, ends = self._text.tobytes(), self._end.tolist()
        return [text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]

    def name_of(self, number: int) -> str:
        """The name behind an id."""
        if "names" in self.__dict__:
            return self.names[number]
        start = int(self._end[number - 1]) if number else 0
        return self._text[start : int(self._end[number])].tobytes().decode()


class Relations(Vocabulary):
    """The relations of a graph and, behind them, their inverses.

    Relation ``r`` of ``n`` has the inverse ``r + n``, named with the suffix ``^-1``.

    >>> relations = Relations(["visit", "consult"])
    >>> relations.id_of("consult^-1"), relations.name_of(2), relations.inverse_of(2)
    (3, 'visit^-1', 0)
    """

    def __init__(self, names: Iterable[str]) -> None:
        base = list(names)
        super().__init__(base + [name + INVERSE_MARK for name in base], kind="relation")
        self.base = base

    def inverse_of(self, number: int) -> int:
        """The id of the inverse relation."""
        half = len(self.base)
        return number + half if number < half else number - half
