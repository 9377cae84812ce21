"""The events and probabilities behind changes, looked up when a change is explained."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tlogic.evidence.triples import Triples
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.facts import Facts
from tlogic.graph.graph_protocol import Graph
from tlogic.monitoring.change_explanation import (
    ChangedTriple,
    ChangeExplanation,
    by_probability,
    by_rate,
    factor_text,
    probability_summary_of,
    summary_of,
)
from tlogic.monitoring.change_groups import KINDS
from tlogic.monitoring.period import ComparedPeriods
from tlogic.monitoring.probability_changes import NOT_JUDGED, ProbabilityChanges


class ChangedGroup(NamedTuple):
    """An entity, a pair or a relation with the numbers of its change."""

    kind: str
    group: int
    """The id of the entity or the relation, or the key of the pair."""
    rates: tuple[float, float]
    """The facts per time step before and after."""
    probabilities: tuple[float, float] | None
    """The probabilities before and after."""


class ChangeEvidence:
    """The facts and probabilities that changes were computed from. Nothing is computed until a change is explained.

    Args:
        graph: The graph.
        periods: The period of interest and the one before.
        changes: The changed groups.
        judged: The probabilities of triples at the first time step of the period and after it; None without a model.
        horizon: The number of time steps of the probabilities.
    """

    def __init__(
        self,
        graph: Graph,
        periods: ComparedPeriods,
        changes: Sequence[ChangedGroup],
        judged: ProbabilityChanges | None,
        horizon: int,
    ) -> None:
        self._graph, self._periods, self._changes = graph, periods, changes
        self._judged, self._horizon = judged, horizon

    def explain(self, index: int, n: int) -> ChangeExplanation:
        """The events behind a change: up to n by rate, and with a model up to n by probability."""
        change = self._changes[index]
        events = self._events(change)
        before, after = events.counts(self._periods)
        lengths = self._periods.lengths
        moved = after * lengths[0] - before * lengths[1]  # exact, so that ties are ties
        rates = events.largest(self._graph, moved, int(moved.sum()))
        p_before, p_after = change.probabilities or (0.0, 0.0)
        probabilities = events.largest(
            self._graph, events.probabilities[1] - events.probabilities[0], p_after - p_before
        )
        name, other = KINDS[change.kind].names(self._graph, change.group)
        span = self._graph.timeline.span_of(lengths[0])
        return ChangeExplanation(
            kind=change.kind,
            name=name,
            other=other,
            summary=self._summary(change, (int(before.sum()), int(after.sum()))),
            triples=tuple(by_rate(self._triple(events, i), span) for i in rates[:n].tolist()),
            n_triples=len(rates),
            probability_summary=self._probability_summary(change),
            likely=tuple(by_probability(self._triple(events, i)) for i in probabilities[:n].tolist()),
            n_likely=len(probabilities),
        )

    @cached_property
    def _facts(self) -> Facts:
        """The facts of both periods; with probabilities also those before, as the latest event may be an old one."""
        return self._graph.facts_between(self._periods.start if self._judged is None else 0, self._periods.until)

    def _events(self, change: ChangedGroup) -> "_Events":
        """The triples of a group that happened or were judged, with their facts and probabilities."""
        graph, contains = self._graph, KINDS[change.kind].contains
        own = np.flatnonzero(contains(graph, change.group, self._facts))
        facts = Facts(*(column[own] for column in self._facts))
        happened, judged = Triples.of_facts(facts), NOT_JUDGED
        if self._judged is not None:
            judged = self._judged.part(np.flatnonzero(contains(graph, change.group, self._judged.triples)))
        triples = Triples.joined([happened, judged.triples]).distinct(graph)
        keys = triples.keys(graph)
        probabilities = np.zeros((2, len(keys)))
        probabilities[:, np.searchsorted(keys, judged.triples.keys(graph))] = judged.probabilities
        return _Events(triples, np.searchsorted(keys, happened.keys(graph)), facts.time, probabilities)

    def _triple(self, events: "_Events", i: int) -> ChangedTriple:
        """One triple with its numbers and dates; a probability is 0 if an outlook does not consider the triple."""
        start, since, _ = self._periods
        time = events.time[events.triple == i]
        before, after = time[(start <= time) & (time < since)], time[time >= since]
        entity, label = self._graph.entities.name_of, self._graph.timeline.label_of
        probability_before, probability_after = (float(each) or None for each in events.probabilities[:, i])
        subject, relation, object_ = (int(column[i]) for column in events.triples)
        return ChangedTriple(
            subject=entity(subject),
            relation=self._graph.relations.name_of(relation),
            object=entity(object_),
            events_before=len(before),
            events_after=len(after),
            before=len(before) / self._periods.lengths[0],
            after=len(after) / self._periods.lengths[1],
            first=label(int(after.min())) if len(after) else None,
            latest=label(int(time.max())) if len(time) else None,
            probability_before=probability_before,
            probability_after=probability_after,
        )

    def _summary(self, change: ChangedGroup, events: tuple[int, int]) -> str:
        timeline, (before, after) = self._graph.timeline, self._periods.lengths
        step = "time step" if timeline.unit == "integer" else timeline.step_size.removeprefix("1 ")
        spans = timeline.span_of(before), timeline.span_of(after)
        factor = f"{factor_text(*change.rates)} per {step}"
        return summary_of(events, spans, timeline.label_of(self._periods.since), factor)

    def _probability_summary(self, change: ChangedGroup) -> str | None:
        if change.probabilities is None:
            return None
        timeline, (_, since, until) = self._graph.timeline, self._periods
        dates = timeline.label_of(since), timeline.label_of(until)
        return probability_summary_of(change.probabilities, timeline.span_of(self._horizon), dates)


class _Events(NamedTuple):
    """The triples of a group, each once, with their facts and probabilities."""

    triples: Triples
    triple: Ints
    """Per fact: the index of its triple."""
    time: Ints
    """Per fact: its time step."""
    probabilities: Floats
    """Before and after, per triple; 0 if it was not judged."""

    def counts(self, periods: ComparedPeriods) -> tuple[Ints, Ints]:
        """The number of facts of each triple in the period before, and in the period of interest."""
        start, since, until = periods
        before, after = (
            np.bincount(self.triple[(first <= self.time) & (self.time < end)], minlength=len(self.triples.subject))
            for first, end in ((start, since), (since, until))
        )
        return before, after

    def largest(self, graph: Graph, movement: Ints | Floats, change: float) -> Ints:
        """The triples that moved most: first those that moved as their group did, then the others.

        Args:
            graph: The graph, whose names break ties.
            movement: What each triple moved by.
            change: What the group moved by; 0 to order by size only.
        """
        subject, relation, object_ = self.triples
        names = graph.entity_rank[object_], graph.relation_rank[relation], graph.entity_rank[subject]
        against = np.sign(movement) == -np.sign(change)
        order = np.lexsort((*names, -np.abs(movement), against))
        return order[movement[order] != 0]
