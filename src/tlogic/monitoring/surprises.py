"""Surprises: events that were improbable beforehand, and likely events that failed to happen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from tlogic.evidence.occurrence_evidence import NOVELTIES, known_triples
from tlogic.evidence.triples import Triples
from tlogic.execution import Execution, Progress
from tlogic.explaining.occurrence_explanation import OccurrenceExplanation, explain_occurrence
from tlogic.graph.arrays import Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.models.occurrence.occurrence_forecaster import Judged, OccurrenceForecaster, OccurrenceStep
from tlogic.monitoring.period import check_period
from tlogic.notebook import html_table

_COLUMNS: dict[str, Any] = {"date": pl.String, "subject": pl.String, "relation": pl.String, "object": pl.String}
_COLUMNS |= {"probability": pl.Float64, "novelty": pl.String}


class JudgedEvent(NamedTuple):
    """An event with ids, and the probability that it had beforehand to happen at its time step."""

    probability: float
    step: int
    subject: int
    relation: int
    object: int
    novelty: int


@dataclass(frozen=True)
class Surprises:
    """What was surprising in a period. ``tlogic.surprises`` finds it.

    Attributes:
        since: The first date of the period.
        until: The last date of the period.
        events: The events that were least probable beforehand, the most surprising first: date, subject, relation,
            object, probability and novelty.
        missing: The events that were most probable beforehand, and failed to happen, the most surprising first.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> tlogic.surprises(graph, model, since="2030-02-25", top=2)
        Surprises(2 events, 2 missing, 2030-02-25 to 2030-03-01)
    """

    since: str
    until: str
    events: pl.DataFrame
    missing: pl.DataFrame
    _forecaster: OccurrenceForecaster
    _found: tuple[list[JudgedEvent], list[JudgedEvent]]

    def __repr__(self) -> str:
        return f"Surprises({self.events.height} events, {self.missing.height} missing, {self.since} to {self.until})"

    def _repr_html_(self) -> str:
        return "".join(
            html_table(title, frame.columns, frame.iter_rows())
            for title, frame in (("Improbable events", self.events), ("Missing events", self.missing))
        )

    def explain(self, index: int, *, missing: bool = False, facts: int = 1) -> OccurrenceExplanation:
        """Explain the probability that an event had beforehand.

        Args:
            index: The position of the event among the events.
            missing: Whether it is one of those that failed to happen.
            facts: How many facts of each kind of evidence the explanation holds.
        """
        event = self._found[missing][index]
        return explain_occurrence(self._forecaster, event[2:5], event.step, 1, facts)

    def explain_all(
        self, facts: int = 1, progress: Progress | None = None
    ) -> tuple[list[OccurrenceExplanation], list[OccurrenceExplanation]]:
        """Explain all events, and all that failed to happen; in order of time, which is faster than one by one.

        Args:
            facts: How many facts of each kind of evidence an explanation holds.
            progress: Shows how many events are explained.

        Returns:
            The explanations of the events, and those of the events that failed to happen, in the order of the frames.
        """
        places = [(event.step, missing, i) for missing in (False, True) for i, event in enumerate(self._found[missing])]
        follow = Execution(progress=progress).follow(sorted(places), len(places), "explanations")
        found = {(missing, i): self.explain(i, missing=missing, facts=facts) for _, missing, i in follow}
        happened, failed = ([found[missing, i] for i in range(len(self._found[missing]))] for missing in (False, True))
        return happened, failed

    def to_dict(self) -> dict[str, object]:
        """Everything, for JSON."""
        period = {"from": self.since, "until": self.until}
        return {**period, "events": self.events.to_dicts(), "missing": self.missing.to_dicts()}


def find_surprises(
    forecaster: OccurrenceForecaster, first: int, end: int, top: int, execution: Execution = Execution()
) -> Surprises:
    """The surprises of the time steps from the first one until the end.

    Raises:
        InputError: If there are no facts before the period, or none in it.
    """
    check_period(forecaster.graph, first, end)
    search = SurpriseSearch(forecaster, top)
    for now in execution.follow(range(first, end), end - first, "time steps"):
        with forecaster.at(now, execution) as step:
            search.add(step)
    return search.surprises(first, end)


class SurpriseSearch:
    """Goes through time steps, and keeps what was most surprising.

    Args:
        forecaster: Judges the events.
        top: How many to keep.
    """

    def __init__(self, forecaster: OccurrenceForecaster, top: int) -> None:
        self._forecaster, self._top = forecaster, top
        self._happened: list[JudgedEvent] = []
        self._failed: dict[tuple[int, ...], JudgedEvent] = {}

    def add(self, step: OccurrenceStep) -> None:
        """Take in a time step. A triple that fails to happen is kept once, when that was least expected."""
        graph = self._forecaster.graph
        happened, failed = surprises_at(graph, step, self._top)
        self._happened = least_probable(graph, [*self._happened, *happened], self._top)
        for event in failed:
            known = self._failed.setdefault(event[2:5], event)
            if known.probability < event.probability:
                self._failed[event[2:5]] = event

    def surprises(self, first: int, end: int) -> Surprises:
        """What was most surprising in the time steps from the first one until the end."""
        graph = self._forecaster.graph
        found = self._happened, most_probable(graph, self._failed.values(), self._top)
        label = graph.timeline.label_of
        frames = _frame(graph, found[0]), _frame(graph, found[1])
        return Surprises(label(first), label(end - 1), *frames, self._forecaster, found)


def surprises_at(graph: Graph, step: OccurrenceStep, top: int) -> tuple[list[JudgedEvent], list[JudgedEvent]]:
    """The least probable events of a time step, and the most probable ones that it lacks."""
    facts = Triples.of_facts(graph.facts_between(step.now, step.now + 1))
    happened = least_probable(graph, _events(step, step.judge(facts)), top) if len(facts.subject) else []
    keys = facts.keys(graph)

    def keep(judged: Judged) -> Ints:
        """The most probable triples that did not happen. Ties at the end of the list are all kept."""
        others = np.flatnonzero(~np.isin(judged.triples.keys(graph), keys))
        probability = judged.probability[others, 0]
        if len(others) <= top:
            return others
        return others[probability >= np.partition(probability, -top)[-top]]

    failed = _events(step, step.judge(known_triples(step.memory, step.now), keep))
    return happened, most_probable(graph, failed, top)


def least_probable(graph: Graph, events: Iterable[JudgedEvent], n: int) -> list[JudgedEvent]:
    """The least probable events, ties broken by date and names."""
    return sorted(events, key=lambda event: (event.probability, *_tie_breaks(graph, event)))[:n]


def most_probable(graph: Graph, events: Iterable[JudgedEvent], n: int) -> list[JudgedEvent]:
    """The most probable events, ties broken by date and names."""
    return sorted(events, key=lambda event: (-event.probability, *_tie_breaks(graph, event)))[:n]


def _tie_breaks(graph: Graph, event: JudgedEvent) -> tuple[int, ...]:
    entity, relation = graph.entity_rank, graph.relation_rank
    return event.step, int(entity[event.subject]), int(relation[event.relation]), int(entity[event.object])


def _events(step: OccurrenceStep, judged: Judged) -> Iterator[JudgedEvent]:
    rows = zip(*(column.tolist() for column in judged.triples), judged.novelty.tolist(), strict=True)
    for probability, (s, r, o, novelty) in zip(judged.probability[:, 0].tolist(), rows, strict=True):
        yield JudgedEvent(probability, step.now, s, r, o, novelty)


def _frame(graph: Graph, events: list[JudgedEvent]) -> pl.DataFrame:
    entity, relation, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    rows = [
        (label(e.step), entity(e.subject), relation(e.relation), entity(e.object), e.probability, NOVELTIES[e.novelty])
        for e in events
    ]
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")
