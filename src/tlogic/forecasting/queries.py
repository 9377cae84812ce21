"""Queries with names, as users ask them, and encoded with the ids of a graph."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from tlogic.errors import InputError, UnknownNameError
from tlogic.events.sources.columns import ROLES, recognised_columns
from tlogic.forecasting.application import QueryBatch
from tlogic.graph.arrays import Ints
from tlogic.graph.graph_protocol import Graph

MISSING = "?"
"""How the end of a query that is asked for is written."""
MAX_STEPS_AHEAD = 10_000_000
"""The latest time of a query, in time steps after the last fact."""

_MAX_ERRORS_SHOWN = 5
_MAX_SUGGESTION_SECONDS = 0.5


class Query(NamedTuple):
    """A query for the object, (subject, relation, ?, at), or for the subject, (?, relation, object, at).

    Attributes:
        subject: The name of the subject, or None if it is asked for.
        relation: The name of the relation.
        object: The name of the object, or None if it is asked for.
        at: The date or time step of the query; None for the step after the last fact.

    Example:
        >>> print(Query("Angela Merkel", "consult", at="2014-08-09"))
        (Angela Merkel, consult, ?, 2014-08-09)
    """

    subject: str | None
    relation: str
    object: str | None = None
    at: str | int | None = None

    def __str__(self) -> str:
        parts = (MISSING if name is None else str(name) for name in (self.subject, self.relation, self.object))
        return f"({', '.join(parts)}, {'next' if self.at is None else self.at})"


class InvalidQueriesError(InputError):
    """Queries that cannot be encoded. The message shows the first of them."""

    def __init__(self, errors: Sequence[tuple[str, InputError]]) -> None:
        super().__init__(errors)
        self._errors = errors

    def __str__(self) -> str:
        return self._message

    @cached_property
    def _message(self) -> str:
        """Made when it is first read, because similar names are searched for. After some time, they are left out."""
        deadline, lines = monotonic() + _MAX_SUGGESTION_SECONDS, []
        for location, error in self._errors[:_MAX_ERRORS_SHOWN]:
            is_late = monotonic() > deadline
            shown = UnknownNameError(error.problem) if is_late and isinstance(error, UnknownNameError) else error
            lines.append(f"{location}: {shown}")
        n_more = len(self._errors) - len(lines)
        return "\n".join([*lines, f"and {n_more:,} more."] if n_more else lines)


class EncodedQuery(NamedTuple):
    """A query with the ids of one graph. A query for the subject is one for the object of the inverse relation."""

    subject: int
    relation: int
    time: int


def as_queries(source: Any) -> list[Query]:
    """Queries from one query, a list of tuples or mappings, or a data frame.

    >>> as_queries([("Ann", "calls"), {"target": "Bo", "relation": "calls", "date": "2030-01-04"}])[1]
    Query(subject=None, relation='calls', object='Bo', at='2030-01-04')
    """
    if isinstance(source, Query | Mapping):
        source = [source]
    elif hasattr(source, "__arrow_c_stream__"):
        import polars as pl

        source = pl.DataFrame(source).iter_rows(named=True)
    elif isinstance(source, str) or not isinstance(source, Iterable):
        raise InputError(f"Queries are given as a list or a data frame, not as {type(source).__name__}.")
    return [_as_query(entry) for entry in source]


def _as_query(entry: Any) -> Query:
    if isinstance(entry, Mapping):
        cells = _cells(entry)
    elif not isinstance(entry, str) and isinstance(entry, Sequence) and 2 <= len(entry) <= len(Query._fields):
        cells = [*entry, None, None][: len(Query._fields)]
    else:
        raise InputError(
            f"A query is (subject, relation, object, at), with None for the end that is asked for; found {entry!r}."
        )
    subject, relation, object_, at = (None if cell in (None, "", MISSING) else cell for cell in cells)
    return Query(subject, relation, object_, at)  # type: ignore[arg-type]


def _cells(row: Mapping[str, Any]) -> list[Any]:
    """The cells of a row in the order of a query; columns may have any of the names that are recognised for facts."""
    names = list(row)
    known = recognised_columns(names)
    cells = {role: row[names[index]] for role, index in known.items()} | ({"time": row["at"]} if "at" in row else {})
    unknown = [name for index, name in enumerate(names) if index not in known.values() and name != "at"]
    if "relation" not in cells or not {"subject", "object"} & set(cells) or unknown:
        unused = f"; {', '.join(unknown)} cannot be used" if unknown else ""
        raise InputError(
            "A query needs a relation, a subject or an object, and optionally a time (at); "
            f"found the columns {', '.join(names)}{unused}."
        )
    return [cells.get(role) for role in ROLES]


def encode_queries(
    graph: Graph,
    queries: Sequence[Query],
    max_steps_ahead: int = MAX_STEPS_AHEAD,
    locations: Sequence[str] | None = None,
) -> list[EncodedQuery]:
    """The queries with ids instead of names; one error lists all queries that cannot be encoded.

    Args:
        graph: The graph.
        queries: The queries.
        max_steps_ahead: The latest time of a query, in time steps after the last fact.
        locations: Where each query stands, such as a line of a file; by default its position.
    """
    encoded, wrong = [], []
    for index, query in enumerate(queries):
        try:
            encoded.append(_encode(graph, query, max_steps_ahead))
        except InputError as error:
            if len(queries) == 1 and locations is None:
                raise
            where = f"Query {index + 1}" if locations is None else locations[index]
            wrong.append((f"{where}, {query}", error))
    if wrong:
        raise InvalidQueriesError(wrong)
    return encoded


def _encode(graph: Graph, query: Query, max_steps_ahead: int) -> EncodedQuery:
    if query.relation is None or (query.subject is None) == (query.object is None):
        raise InputError(f"A query needs a relation and either a subject or an object; found {query}.")
    relation = graph.relations.id_of(query.relation)
    time = query_step(graph, query.at, max_steps_ahead)
    if query.subject is not None:
        return EncodedQuery(graph.entities.id_of(query.subject), relation, time)
    return EncodedQuery(graph.entities.id_of(str(query.object)), graph.relations.inverse_of(relation), time)


def query_step(graph: Graph, at: str | int | None, max_steps_ahead: int = MAX_STEPS_AHEAD) -> int:
    """The time step of a query, which must lie after the first facts and not too far after the last."""
    step = graph.end if at is None else graph.timeline.step_of(at)
    if step <= 0:
        raise InputError(f"There are no facts before {at}; the first facts are of {graph.timeline.label_of(0)}.")
    if step > graph.end + max_steps_ahead:
        raise InputError(f"{at} is more than {max_steps_ahead:,} steps after the last fact.")
    return step


def with_names(graph: Graph, query: Query, encoded: EncodedQuery) -> Query:
    """The query with the names and the date that the data has for it."""
    entity, at = graph.entities.name_of(encoded.subject), graph.timeline.label_of(encoded.time)
    if query.subject is None:
        return Query(None, graph.relations.name_of(graph.relations.inverse_of(encoded.relation)), entity, at)
    return Query(entity, graph.relations.name_of(encoded.relation), None, at)


def query_batch(queries: Iterable[EncodedQuery]) -> QueryBatch:
    """The queries as arrays; the facts before a query's own time are visible to it."""
    subject, relation, time = np.array(list(queries), np.int64).reshape(-1, 3).T.copy()
    return QueryBatch(subject, relation, time, visible_until=time)


def distinct_in_time(queries: Iterable[EncodedQuery]) -> tuple[list[EncodedQuery], QueryBatch]:
    """Each query once, sorted by time, and the same queries as a batch."""
    distinct = sorted(dict.fromkeys(queries), key=lambda query: query.time)
    return distinct, query_batch(distinct)


def part_of(queries: QueryBatch, index: Ints) -> QueryBatch:
    """Some queries of a batch."""
    return QueryBatch(*(column[index] for column in queries))
