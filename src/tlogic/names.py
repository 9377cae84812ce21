"""Names as people spell them: what counts as the same, what is near, what comes again, and how inverse relations are
marked."""

from collections.abc import Hashable, Iterable
from functools import lru_cache

INVERSE_MARK = "^-1"


def inverse_of(name: str) -> str:
    """The name of the inverse relation.

    >>> inverse_of("visit"), inverse_of("visit^-1")
    ('visit^-1', 'visit')
    """
    return name.removesuffix(INVERSE_MARK) if name.endswith(INVERSE_MARK) else name + INVERSE_MARK


@lru_cache(maxsize=1 << 16)
def normalised(name: str) -> str:
    """A name without what people spell differently: case, spaces and underscores.

    >>> normalised("Angela_Merkel") == normalised("angela merkel")
    True
    """
    return "".join(name.casefold().replace("_", " ").split())


def pattern_of(names: Iterable[Hashable]) -> tuple[int, ...]:
    """Which of the names come again: each numbered by first appearance.

    >>> pattern_of(["Ann", "Bo", "Ann", "Cy"])
    (0, 1, 0, 2)
    """
    numbers: dict[Hashable, int] = {}
    return tuple([numbers.setdefault(name, len(numbers)) for name in names])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: known ones that hold it, shortest first, and those spelled alike.

    >>> did_you_mean("fines", ["fine", "visit"])
    "; did you mean 'fine'?"
    >>> did_you_mean("walk", ["fine", "visit"])
    '.'
    """
    from difflib import get_close_matches

    spellings: dict[str, list[str]] = {}
    for other in known:
        spellings.setdefault(normalised(other), []).append(other)
    wanted = normalised(name)
    holding = sorted((key for key in spellings if len(wanted) > 2 and wanted in key), key=len)
    near = [other for key in [*holding, *get_close_matches(wanted, spellings)] for other in spellings[key]]
    near = list(dict.fromkeys(near))
    return f"; did you mean {', '.join(map(repr, near[:3]))}?" if near else "."
