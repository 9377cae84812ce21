"""Facts as they were written, before anything is made of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from tlogic.errors import InputError


class Quote(NamedTuple):
    """One row as its source has it, for a message: its place, its cells, and what the source finds wrong."""

    place: str
    cells: Mapping[str, str | None]
    problem: str | None = None


@dataclass(frozen=True)
class RawFacts:
    """The cells of one file or data frame, one row a fact.

    `cells` has the columns subject, relation, object (strings) and time (any type that times come in).
    Nothing in it is checked yet; a null is an empty cell, or an id without a name. `quote` goes back to the
    source for some rows, to show them. `header` is empty where the columns have no names.
    """

    name: str
    format: str
    header: tuple[str, ...]
    cells: pl.DataFrame
    quote: Callable[[Sequence[int]], list[Quote]]


@contextmanager
def source_errors(name: str) -> Iterator[None]:
    """Say which source it was when reading fails below us."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)[:200]
        raise InputError(f"{name} cannot be read ({reason}); it may be damaged, or wrongly named.") from error
