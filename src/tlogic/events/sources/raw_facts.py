"""RawFacts: the cells of a source, before they are parsed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from tlogic.errors import InputError


class Quote(NamedTuple):
    """One row for an error message: its location, its cells, and the problem found by the reader."""

    location: str
    cells: Mapping[str, str | None]
    problem: str | None = None


@dataclass(frozen=True)
class RawFacts:
    """The cells of one file, query or data frame, one fact per row.

    `cells` has the columns subject, relation, object (strings) and time (of any type), which are not validated yet.
    A null is an empty cell, or an id without a name. `quote` reads some rows again for error messages. `header` is
    empty if the columns have no names; then `first_row` may be a header that was not recognised. `notes` are the
    reader's warnings.
    """

    name: str
    format: str
    header: tuple[str, ...]
    cells: pl.DataFrame
    quote: Callable[[Sequence[int]], list[Quote]]
    first_row: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@contextmanager
def source_errors(name: str) -> Iterator[None]:
    """Turn errors of readers into input errors that name the source."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)[:200]
        raise InputError(f"{name} cannot be read ({reason}); it may be damaged or have the wrong suffix.") from error
