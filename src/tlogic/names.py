"""Names: inverse relations, normalisation, suggestions for unknown names, and nouns in singular and plural."""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from tlogic.errors import hint_at
from tlogic.name_search import NameIndex

INVERSE_MARK = "^-1"


def inverse_of(name: str) -> str:
    """The name of the inverse relation.

    >>> inverse_of("visit"), inverse_of("visit^-1")
    ('visit^-1', 'visit')
    """
    return name.removesuffix(INVERSE_MARK) if name.endswith(INVERSE_MARK) else name + INVERSE_MARK


@lru_cache(maxsize=1 << 16)
def normalised(name: str) -> str:
    """A name without case, spaces and underscores, for comparisons.

    >>> normalised("Angela_Merkel") == normalised("angela merkel")
    True
    """
    return "".join(name.casefold().replace("_", " ").split())


def pattern_of(names: Iterable[Hashable]) -> tuple[int, ...]:
    """Number the names by first appearance, so that equal names have equal numbers.

    >>> pattern_of(["Ann", "Bo", "Ann", "Cy"])
    (0, 1, 0, 2)
    """
    numbers: dict[Hashable, int] = {}
    return tuple([numbers.setdefault(name, len(numbers)) for name in names])


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """The end of a message about an unknown name: the candidates that a search for it finds.

    >>> did_you_mean("fines", ["fine", "visit"])
    "; did you mean 'fine'?"
    >>> did_you_mean("walk", ["fine", "visit"])
    '.'
    """
    return hint_at(NameIndex(list(dict.fromkeys(candidates))).similar_to(name))


def name_keys(names: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A hash of each name, to put things in an order that does not depend on their ids.

    >>> keys = name_keys(["Ann", "Bo"])
    >>> keys.tolist() == name_keys(["Bo", "Ann"]).tolist()[::-1], bool((keys >= 0).all())
    (True, True)
    """
    digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in names)
    return (np.frombuffer(digests, "<u8") >> np.uint64(1)).astype(np.int64)


def name_sketch(names: Sequence[str], size: int = 32) -> list[str]:
    """The smallest hashes of names: a sample that does not show the names.

    >>> name_sketch(["Ann", "Bo"]) == name_sketch(["Bo", "Ann"]), len(name_sketch(list("abcdef"), size=3))
    (True, 3)
    """
    return [f"{key:016x}" for key in np.sort(name_keys(names))[:size].tolist()]


def share_known(sketch: Iterable[str], names: Sequence[str]) -> float:
    """The share of a sketch of names that is among other names; 1 if the sketch is empty.

    >>> share_known(name_sketch(["Ann", "Bo"]), ["Bo", "Cy", "Di"])
    0.5
    """
    wanted, known = set(sketch), {f"{key:016x}" for key in name_keys(names).tolist()}
    return len(wanted & known) / len(wanted) if wanted else 1.0


def noun_for(count: int, singular: str, plural: str | None = None) -> str:
    """The form of a noun that follows a count.

    >>> noun_for(1, "fact"), noun_for(2, "fact"), noun_for(0, "entity", "entities")
    ('fact', 'facts', 'entities')
    """
    return singular if count == 1 else plural or f"{singular}s"
