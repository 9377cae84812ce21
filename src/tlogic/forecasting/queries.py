"""Questions as people ask them, and the same in numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.events.sources.columns import ROLES, recognised_columns
from tlogic.forecasting.application import QueryBatch
from tlogic.graph.graph_protocol import Graph

ASKED = "?"
FARTHEST = 10_000_000
"""How many steps beyond the last fact can be asked about."""

_SHOWN = 5


class Query(NamedTuple):
    """Who comes in the place of ``?``: (subject, relation, ?, at), or (?, relation, object, at).

    Without ``at``, the step after the last fact is meant.

    >>> print(Query("Angela Merkel", "consult", at="2014-08-09"))
    (Angela Merkel, consult, ?, 2014-08-09)
    """

    subject: str | None
    relation: str
    object: str | None = None
    at: str | int | None = None

    def __str__(self) -> str:
        places = (ASKED if name is None else str(name) for name in (self.subject, self.relation, self.object))
        return f"({', '.join(places)}, {'next' if self.at is None else self.at})"


class EncodedQuery(NamedTuple):
    """A query in the numbers of one graph; one about the subject asks for the object of the inverse relation."""

    subject: int
    relation: int
    time: int


def as_queries(source: Any) -> list[Query]:
    """Queries from one, several, or a data frame; as tuples, mappings or rows with names.

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
        raise InputError(f"A query is (subject, relation, object, at) with None for what is asked; found {entry!r}.")
    subject, relation, object_, at = (None if cell in (None, "", ASKED) else cell for cell in cells)
    return Query(subject, relation, object_, at)  # type: ignore[arg-type]


def _cells(row: Mapping[str, Any]) -> list[Any]:
    """The cells of a row in the order of a query, whose columns may have any of the names known for facts."""
    names = list(row)
    known = recognised_columns(names)
    cells = {role: row[names[place]] for role, place in known.items()} | ({"time": row["at"]} if "at" in row else {})
    unknown = [name for place, name in enumerate(names) if place not in known.values() and name != "at"]
    if "relation" not in cells or not {"subject", "object"} & set(cells) or unknown:
        told = f", of which {', '.join(unknown)} mean nothing here" if unknown else ""
        raise InputError(
            "A query names a relation, and a subject or an object, and may name a time (at); "
            f"found the columns {', '.join(names)}{told}."
        )
    return [cells.get(role) for role in ROLES]


def encode_queries(graph: Graph, queries: Sequence[Query], farthest: int = FARTHEST) -> list[EncodedQuery]:
    """The queries in numbers; those that cannot be understood are told all at once."""
    encoded, wrong = [], []
    for place, query in enumerate(queries, 1):
        try:
            encoded.append(_number(graph, query, farthest))
        except InputError as error:
            if len(queries) == 1:
                raise
            wrong.append(f"Query {place}, {query}: {error}")
    if wrong:
        more = [f"and {len(wrong) - _SHOWN:,} more."] if len(wrong) > _SHOWN else []
        raise InputError("\n".join([*wrong[:_SHOWN], *more]))
    return encoded


def _number(graph: Graph, query: Query, farthest: int) -> EncodedQuery:
    if query.relation is None or (query.subject is None) == (query.object is None):
        raise InputError(f"A query names its relation and either a subject or an object; found {query}.")
    relation = graph.relations.id_of(query.relation)
    time = step_asked(graph, query.at, farthest)
    if query.subject is not None:
        return EncodedQuery(graph.entities.id_of(query.subject), relation, time)
    return EncodedQuery(graph.entities.id_of(str(query.object)), graph.relations.inverse_of(relation), time)


def step_asked(graph: Graph, at: str | int | None, farthest: int = FARTHEST) -> int:
    """The step of a time before which something is known, and which is not too far ahead."""
    step = graph.end if at is None else graph.timeline.step_of(at)
    if step <= 0:
        raise InputError(f"Nothing is known before {at}; the first facts are of {graph.timeline.label_of(0)}.")
    if step > graph.end + farthest:
        raise InputError(f"{at} is more than {farthest:,} steps after the last fact.")
    return step


def told(graph: Graph, query: Query, encoded: EncodedQuery) -> Query:
    """The query with the names and the date that the data has for it."""
    entity, at = graph.entities.name_of(encoded.subject), graph.timeline.label_of(encoded.time)
    if query.subject is None:
        return Query(None, graph.relations.name_of(graph.relations.inverse_of(encoded.relation)), entity, at)
    return Query(entity, graph.relations.name_of(encoded.relation), None, at)


def query_batch(queries: Iterable[EncodedQuery]) -> QueryBatch:
    """The queries as arrays; each may use the facts before its own time."""
    subject, relation, time = np.array(list(queries), np.int64).reshape(-1, 3).T.copy()
    return QueryBatch(subject, relation, time, visible_until=time)
