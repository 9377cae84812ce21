"""Watchlist: the outlooks of many full or partial triples at once."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tlogic.errors import InputError, located
from tlogic.events.sources.columns import ROLES, recognised_columns
from tlogic.execution import Execution
from tlogic.forecasting.queries import MISSING
from tlogic.forecasting.query_rows import read_rows
from tlogic.graph.graph_protocol import Graph
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.monitoring.outlook import Names, Outlook, OutlookQuery, outlook_of, outlook_query


class Watchlist(Sequence[Outlook]):
    """One outlook per watched triple.

    Attributes:
        queries: The watched triples: subject, relation and object, with None for what is open.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> watched = tlogic.watch(graph, model, [("Kite Aviation", "sue", None)], top=2)
        >>> len(watched), watched.frame.height
        (1, 2)
    """

    def __init__(self, queries: Sequence[Names], outlooks: Sequence[Outlook]) -> None:
        self.queries, self._outlooks = list(queries), list(outlooks)

    def __len__(self) -> int:
        return len(self._outlooks)

    def __getitem__(self, index: Any) -> Any:
        return self._outlooks[index]

    @property
    def frame(self) -> pl.DataFrame:
        """All events of all outlooks; the column query holds the position of the watched triple."""
        return pl.concat(
            each.frame.select(pl.lit(index, pl.Int64).alias("query"), pl.all())
            for index, each in enumerate(self._outlooks)
        )

    def as_json(self, *, explain: bool = False, when: bool = False) -> Iterator[str]:
        """One JSON object per watched triple.

        Args:
            explain: Whether it holds an explanation of each event.
            when: Whether it holds the probability of its first event by date, as ``curve``.
        """
        for (subject, relation, object_), each in zip(self.queries, self._outlooks, strict=True):
            found = {"query": {"subject": subject, "relation": relation, "object": object_}, **each.to_dict()}
            if when and len(each):
                found["curve"] = each.curve(0).to_dicts()
            if explain:
                found["explanations"] = [each.explain(index).to_dict() for index in range(len(each))]
            yield json.dumps(found, ensure_ascii=False)


def watch(
    forecaster: OccurrenceForecaster,
    queries: Sequence[Names],
    *,
    at: str | int | None,
    horizon: str | int,
    top: int,
    new: bool,
    execution: Execution = Execution(),
) -> Watchlist:
    """The outlooks of watched triples. All of them are checked before the first one is judged."""
    encoded = encode_watchlist(forecaster.graph, queries, at=at, horizon=horizon, top=top, new=new)
    follow = execution.follow(encoded, len(encoded), "queries")
    return Watchlist(queries, [outlook_of(forecaster, each, execution) for each in follow])


def encode_watchlist(
    graph: Graph, queries: Sequence[Names], locations: Sequence[str] | None = None, **settings: Any
) -> list[OutlookQuery]:
    """What each outlook is about.

    Args:
        graph: The graph.
        queries: The watched triples.
        locations: Where each triple stands, such as a line of a file; by default its position.
        **settings: The period and the number of events, as for `outlook_query`.

    Raises:
        InputError: If a setting is out of range, or if a triple has an unknown name. The message gives its location.
    """
    outlook_query(graph, [], **settings)  # an invalid setting is not the fault of a triple
    encoded = []
    for index, names in enumerate(queries):
        with located(f"Triple {index + 1}" if locations is None else locations[index]):
            encoded.append(outlook_query(graph, [names], **settings))
    return encoded


def read_watchlist(path: Path) -> dict[str, Names]:
    """The watched triples of a file with the columns subject, relation and object, by their location in the file."""
    triples = {}
    for location, cells in read_rows(path):
        with located(location):
            triples[location] = _names(cells)
    return triples


def watched_triples(source: Any) -> list[Names]:
    """Watched triples from a list of tuples or mappings, or from a data frame; what is open is None, empty or ``?``.

    >>> watched_triples([("Ann", "calls", "Bo"), {"subject": "Ann", "object": ""}])
    [('Ann', 'calls', 'Bo'), ('Ann', None, None)]
    """
    if hasattr(source, "__arrow_c_stream__"):
        source = pl.DataFrame(source).iter_rows(named=True)
    elif isinstance(source, str) or not isinstance(source, Iterable):
        raise InputError(f"Watched triples are given as a list or a data frame, not as {type(source).__name__}.")
    found = []
    for position, entry in enumerate(source, 1):
        with located(f"Triple {position}"):
            found.append(_names(entry))
    if not found:
        raise InputError("There is nothing to watch: the list of triples is empty.")
    return found


def _names(entry: Any) -> Names:
    if isinstance(entry, Mapping):
        names = list(entry)
        known = recognised_columns(names)
        unknown = [name for index, name in enumerate(names) if index not in known.values()]
        if unknown or not known or "time" in known:
            raise InputError(f"A watched triple has a subject, a relation and an object; found {', '.join(names)}.")
        cells = [entry[names[known[role]]] if role in known else None for role in ROLES[:3]]
    elif isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == len(ROLES) - 1:
        cells = list(entry)
    else:
        raise InputError(
            f"A watched triple is (subject, relation, object), with None for what is open; found {entry!r}."
        )
    subject, relation, object_ = (None if _is_open(cell) else str(cell) for cell in cells)
    if subject is relation is object_ is None:
        raise InputError("Subject, relation and object are all blank; give at least one of them.")
    return subject, relation, object_


def _is_open(cell: Any) -> bool:
    return cell is None or str(cell).strip() in ("", MISSING)
