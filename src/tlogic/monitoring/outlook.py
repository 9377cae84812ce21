"""Outlook: which events are likely within a period, for an entity, a pair, a relation, or anywhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from tlogic.checks import check_count
from tlogic.errors import InputError
from tlogic.evidence.occurrence_evidence import COLUMNS, KNOWN_TRIPLE, NOVELTIES
from tlogic.evidence.triple_search import Pattern, triples_of
from tlogic.execution import Execution
from tlogic.explaining.occurrence_explanation import OccurrenceExplanation, explain_occurrence
from tlogic.forecasting.queries import query_step
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.models.occurrence.horizons import parse_horizon
from tlogic.models.occurrence.occurrence_forecaster import Judged, OccurrenceForecaster, OccurrenceStep
from tlogic.models.occurrence.occurrence_model import OccurrenceModel
from tlogic.notebook import html_table

_AGE, _EVENTS = (COLUMNS.index(("history", name)) for name in ("age", "events in all"))
_MEDIAN = 0.5
_MAX_CURVE_STEPS = 1000

Names = tuple[str | None, str | None, str | None]
"""Subject, relation and object; None for what is open."""


class Likely(NamedTuple):
    """One event of an outlook.

    Attributes:
        subject: The name of the subject.
        relation: The name of the relation.
        object: The name of the object.
        probability: The probability that the event happens at least once within the horizon.
        novelty: "known triple" if it happened before, "known pair" if only other events of the two did, else "new
            pair".
        events: How often it happened before.
        last: The date of the last time; None if it never happened.
        median_wait: The number of time steps within which it is as likely as not; None if it is more than the horizon
            and more than the largest horizon that the model was fitted for.

    Example:
        >>> Likely("Ann", "calls", "Bo", 0.5, "known triple", 2, "2030-01-04", 1).probability
        0.5
    """

    subject: str
    relation: str
    object: str
    probability: float
    novelty: str
    events: int
    last: str | None
    median_wait: int | None


@dataclass(frozen=True)
class OutlookQuery:
    """What an outlook is about.

    Attributes:
        patterns: Triples of which parts may be open.
        step: The first time step of the period.
        horizon: The number of time steps of the period.
        top: How many events to keep.
        new: Whether only events that never happened before are wanted.
    """

    patterns: tuple[Pattern, ...]
    step: int
    horizon: int
    top: int
    new: bool


class Outlook(Sequence[Likely]):
    """Likely events, the most probable first. ``tlogic.outlook`` makes it.

    Attributes:
        graph: The graph.
        step: The first time step of the period.
        horizon: The number of time steps of the period.
        since: The first date of the period.
        until: The last date of the period.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> likely = tlogic.outlook(graph, model, entity="Kite Aviation", horizon="7d", top=2)
        >>> likely
        Outlook(2 events, 2030-03-02 to 2030-03-08)
        >>> likely[0].probability >= likely[1].probability
        True
    """

    def __init__(
        self, forecaster: OccurrenceForecaster, query: OutlookQuery, rows: list[Likely], found: Judged
    ) -> None:
        self.graph: Graph = forecaster.graph
        self.step, self.horizon = query.step, query.horizon
        label = self.graph.timeline.label_of
        self.since, self.until = label(query.step), label(query.step + query.horizon - 1)
        self._forecaster, self._query, self._rows, self._found = forecaster, query, rows, found

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __repr__(self) -> str:
        return f"Outlook({len(self)} events, {self.since} to {self.until})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.frame.columns, self.frame.iter_rows())

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The events as a polars data frame, one per row."""
        schema = dict(
            zip(Likely._fields, [pl.String] * 3 + [pl.Float64, pl.String, pl.Int64, pl.String, pl.Int64], strict=True)
        )
        return pl.DataFrame(self._rows, schema=schema, orient="row")

    def curve(self, index: int) -> pl.DataFrame:
        """The probability that an event has happened by each date of the period, or of a model's largest horizon.

        Args:
            index: The position of the event in the outlook.

        Returns:
            A data frame with the columns date and probability, of at most 1000 time steps.
        """
        occurrence = self._forecaster.occurrence
        steps = range(1, min(_longest(occurrence, self._query), _MAX_CURVE_STEPS) + 1)
        own = self._found.probability[index : index + 1]
        label = self.graph.timeline.label_of
        return pl.DataFrame(
            {
                "date": [label(self._query.step + n - 1) for n in steps],
                "probability": [float(occurrence.within(own, n)[0]) for n in steps],
            }
        )

    def explain(self, index: int, facts: int = 1) -> OccurrenceExplanation:
        """Explain the probability of an event.

        Args:
            index: The position of the event in the outlook.
            facts: How many facts of each kind of evidence the explanation holds.
        """
        triple = tuple(int(column[index]) for column in self._found.triples)
        return explain_occurrence(self._forecaster, triple, self._query.step, self._query.horizon, facts)

    def to_dict(self) -> dict[str, Any]:
        """The period and all events, for JSON."""
        period = {"from": self.since, "until": self.until, "horizon": self.horizon}
        return {**period, "events": [row._asdict() for row in self._rows]}


def outlook_of(forecaster: OccurrenceForecaster, query: OutlookQuery, execution: Execution = Execution()) -> Outlook:
    """The most probable events that fit a query."""
    graph, occurrence = forecaster.graph, forecaster.occurrence
    with forecaster.at(query.step, execution) as step:
        reach = occurrence.horizons[-1]
        triples = triples_of(graph, step.memory, query.step, reach, list(query.patterns))
        best = partial(_best, forecaster, query)
        found = step.judge(triples, keep=best)
        found = found.part(best(found))
        rows = _rows(forecaster, query, step, found)
    return Outlook(forecaster, query, rows, found)


def _best(forecaster: OccurrenceForecaster, query: OutlookQuery, judged: Judged) -> Ints:
    """The most probable triples, ties broken by names."""
    graph, triples = forecaster.graph, judged.triples
    probability = forecaster.occurrence.within(judged.probability, query.horizon)
    names = graph.entity_rank[triples.object], graph.relation_rank[triples.relation], graph.entity_rank[triples.subject]
    order = np.lexsort((*names, -probability))
    if query.new:
        order = order[judged.novelty[order] != KNOWN_TRIPLE]
    return order[: query.top]


def _rows(forecaster: OccurrenceForecaster, query: OutlookQuery, step: OccurrenceStep, found: Judged) -> list[Likely]:
    graph, occurrence = forecaster.graph, forecaster.occurrence
    entity, relation, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    values = step.evidence(found.triples).values
    probability = occurrence.within(found.probability, query.horizon)
    rows = []
    for i, (s, r, o) in enumerate(zip(*(column.tolist() for column in found.triples), strict=True)):
        is_known = found.novelty[i] == KNOWN_TRIPLE
        rows.append(
            Likely(
                entity(s),
                relation(r),
                entity(o),
                float(probability[i]),
                NOVELTIES[found.novelty[i]],
                int(values[i, _EVENTS]) if is_known else 0,
                label(query.step - int(values[i, _AGE])) if is_known else None,
                _median_wait(partial(occurrence.within, found.probability[i : i + 1]), _longest(occurrence, query)),
            )
        )
    return rows


def _longest(occurrence: OccurrenceModel, query: OutlookQuery) -> int:
    """The time steps up to which events are followed: those of the period, or of the largest fitted horizon."""
    return max(query.horizon, occurrence.horizons[-1])


def _median_wait(within: Callable[[int], Floats], longest: int) -> int | None:
    """The smallest number of time steps with a probability of one half."""
    if within(longest)[0] < _MEDIAN:
        return None
    low, high = 1, longest
    while low < high:
        middle = (low + high) // 2
        if within(middle)[0] >= _MEDIAN:
            high = middle
        else:
            low = middle + 1
    return low


def outlook_query(
    graph: Graph,
    patterns: Sequence[Names],
    *,
    at: str | int | None,
    horizon: str | int,
    top: int,
    new: bool,
) -> OutlookQuery:
    """What an outlook is about, from names: (subject, relation, object), with None for what is open.

    Raises:
        InputError: If a name is unknown, or if a setting is out of range.
    """
    check_count(top, "The number of events to keep")
    steps = parse_horizon(graph.timeline, horizon)
    return OutlookQuery(tuple(_encoded(graph, *each) for each in patterns), query_step(graph, at), steps, top, new)


def _encoded(graph: Graph, subject: str | None, relation: str | None, object: str | None) -> Pattern:
    s, o = (None if name is None else graph.entities.id_of(name) for name in (subject, object))
    r = None if relation is None else graph.relations.id_of(relation)
    if r is not None and r >= len(graph.relations.base):
        return Pattern(o, graph.relations.inverse_of(r), s)
    return Pattern(s, r, o)


def patterns_of(entity: str | None, other: str | None, relation: str | None) -> list[Names]:
    """What an outlook for an entity, a pair, a relation or anywhere is about: each entity may be subject or object.

    If all three are given, the event is exactly that: the entity is the subject.

    >>> patterns_of("Ann", None, "calls")
    [('Ann', 'calls', None), (None, 'calls', 'Ann')]
    """
    if entity is None and other is not None:
        raise InputError(f"An outlook with {other!r} needs another entity, too; give one, or give only {other!r}.")
    if entity is None or None not in (entity, other, relation):
        return [(entity, relation, other)]
    return [(entity, relation, other), (other, relation, entity)]
