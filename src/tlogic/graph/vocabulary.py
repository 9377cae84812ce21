"""Vocabularies: names outside, integer ids inside."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from tlogic.errors import InputError, UnknownNameError
from tlogic.graph.arrays import Ints
from tlogic.name_search import NameIndex
from tlogic.names import INVERSE_MARK, inverse_of, normalised

_MAX_SINGLE_INSERTIONS = 200
"""Up to this many new names are inserted one by one; more are merged."""


class Vocabulary:
    """Names of one kind, with ids from zero.

    The ids of a ``TemporalGraph`` follow the sorted names. In a ``LiveGraph``, new names get the next ids.

    Args:
        names: The names, in the order of their ids.
        kind: What the names are of, for messages.
        count: Counts the events of each name, so that busy names are suggested first.

    Example:
        >>> people = Vocabulary(["Ann", "Bo"], kind="entity")
        >>> people.id_of("Bo"), people.name_of(0), len(people)
        (1, 'Ann', 2)
    """

    def __init__(self, names: Iterable[str], kind: str, count: Callable[[], Ints] | None = None) -> None:
        self.names = list(names)
        self.kind, self._count = kind, count

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._ids

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "index"} | {"_count": None}

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
        """Append new names, which get the next ids.

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
        """The id of a name, or of the only name that differs just in case, spaces and underscores; else None."""
        number = self._ids.get(name)
        if number is None:
            near = self._plain_ids.get(normalised(name), [])
            return near[0] if len(near) == 1 else None
        return number

    def id_of(self, name: str) -> int:
        """Return the id of a name.

        Args:
            name: The name; case, spaces and underscores may differ if only one name matches.

        Returns:
            The id.

        Raises:
            UnknownNameError: If no name matches. The message lists similar names.
            InputError: If the name is not text.

        Example:
            >>> Vocabulary(["Ann", "Bo"], kind="entity").id_of("bo")
            1
        """
        if not isinstance(name, str):
            raise InputError(f"The name of the {self.kind} must be text, not {name!r}.")
        number = self.match(name)
        if number is None:
            raise UnknownNameError(f"Unknown {self.kind} {name!r}", partial(self._similar_to, name))
        return number

    @cached_property
    def index(self) -> NameIndex:
        """Finds names from what people type. It may be searched while names are added."""
        return NameIndex(self.names)

    def _similar_to(self, name: str) -> list[str]:
        return self.index.similar_to(name, None if self._count is None else self._count())

    def name_of(self, number: int) -> str:
        """Return the name of an id.

        Example:
            >>> Vocabulary(["Ann", "Bo"], kind="entity").name_of(1)
            'Bo'
        """
        return self.names[number]


class StoredVocabulary(Vocabulary):
    """Names stored in one array of bytes and decoded on demand.

    >>> import numpy as np
    >>> people = StoredVocabulary(np.frombuffer(b"AnnBo", np.uint8), np.array([3, 5]), kind="entity")
    >>> len(people), people.name_of(1), people.id_of("Ann")
    (2, 'Bo', 0)
    """

    def __init__(self, text: Ints, end: Ints, kind: str, count: Callable[[], Ints] | None = None) -> None:
        self._text, self._end, self.kind, self._count = text, end, kind, count
        self._decoded: list[str] | None = None

    def __len__(self) -> int:
        return len(self._end)

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """All names, decoded at the first call."""
        if self._decoded is None:
            text, ends = self._text.tobytes(), self._end.tolist()
            self._decoded = [text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]
        return self._decoded

    def name_of(self, number: int) -> str:
        """The name of an id."""
        if self._decoded is not None:
            return self._decoded[number]
        start = int(self._end[number - 1]) if number else 0
        return self._text[start : int(self._end[number])].tobytes().decode()


class Relations(Vocabulary):
    """The relations of a graph, followed by their inverse relations.

    Relation ``r`` of ``n`` has the inverse ``r + n``, named with the suffix ``^-1``.

    >>> relations = Relations(["visit", "consult"])
    >>> relations.id_of("consult^-1"), relations.name_of(2), relations.inverse_of(2)
    (3, 'visit^-1', 0)
    """

    def __init__(self, names: Iterable[str], count: Callable[[], Ints] | None = None) -> None:
        base = list(names)
        super().__init__(base + [name + INVERSE_MARK for name in base], "relation", count)
        self.base = base

    @cached_property
    def index(self) -> NameIndex:
        """Finds relations, without the inverse relations."""
        return NameIndex(self.base)

    def inverse_of(self, number: int) -> int:
        """The id of the inverse relation."""
        half = len(self.base)
        return number + half if number < half else number - half

    def _similar_to(self, name: str) -> list[str]:
        if name.endswith(INVERSE_MARK):
            return [inverse_of(similar) for similar in super()._similar_to(inverse_of(name))]
        return super()._similar_to(name)


class NameRanks:
    """The rank of each name of a growing vocabulary: its position among all names, sorted by code points.

    Args:
        names: The first names, in the order of their ids.

    Example:
        >>> ranks = NameRanks(["Cy", "Ann"])
        >>> ranks.add(["Bo"])
        >>> ranks.rank.tolist()
        [2, 0, 1]
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.rank: Ints = np.empty(0, np.int32)
        """Per id. ``add`` replaces the array and does not change it."""
        self._sorted: list[str] = []
        self.add(names)

    def add(self, names: Sequence[str]) -> None:
        """Insert new names, which get the next ids: their positions are searched, and all ranks are shifted at once."""
        if not names:
            return
        order = sorted(range(len(names)), key=names.__getitem__)
        new = [names[i] for i in order]
        position = np.array([bisect_left(self._sorted, name) for name in new])
        new_rank = np.empty(len(names), np.int32)
        new_rank[order] = position + np.arange(len(names))
        n_before = np.cumsum(np.bincount(position, minlength=len(self._sorted) + 1), dtype=np.int32)
        self.rank = np.concatenate([self.rank + n_before[self.rank], new_rank])
        if len(new) <= _MAX_SINGLE_INSERTIONS:
            for name in new:
                insort(self._sorted, name)
        else:
            self._sorted += new
            self._sorted.sort()  # merges two sorted runs
