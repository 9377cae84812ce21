"""OccurrenceExplanation: why an event is probable, as factors of its odds."""

from calendar import day_name, month_name
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tlogic.evidence.event_memory import FIRST_TIME, EventMemory, slot_of
from tlogic.evidence.families.one_step_rules import rate_by_age
from tlogic.evidence.groups import EARLIER, LATEST, moment_before, n_events
from tlogic.evidence.lists import indexes_of
from tlogic.evidence.memory import Memory
from tlogic.evidence.occurrence_evidence import COLUMNS, NOVELTIES, RULES_FAMILY
from tlogic.evidence.statements import Case, Edge, Statement, how_often, percent
from tlogic.evidence.triples import Triples
from tlogic.explaining.explanation import Fact, citations
from tlogic.explaining.model_explanation import distinct_facts, facts_with_names
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster

_NEGLIGIBLE = 0.02  # a contribution to log-odds below that, a factor of about 1, is not told
_MIN_PAIRS = 3  # a rule that speaks for an event, but was seen with fewer pairs of entities, comes last


@dataclass(frozen=True)
class OddsFactor:
    """What one kind of evidence does to the odds of an event.

    Attributes:
        family: The kind of evidence.
        factor: What it multiplies the odds by.
        sentence: What it found, in words.
        facts: The facts behind it, the latest first, as many as were requested.
        n_facts: How many facts there are.

    Example:
        >>> calls = Fact("Ann", "calls", "Bo", "2030-01-04")
        >>> OddsFactor("history", 12.5, "it happened once before", (calls,), 1).factor
        12.5
    """

    family: str
    factor: float
    sentence: str
    facts: tuple[Fact, ...]
    n_facts: int


@dataclass(frozen=True, repr=False)
class OccurrenceExplanation:
    """Why an event has its probability. Its odds are those of a start value, times the factors of the evidence.

    The start value is the intercept of the model for events of that novelty, with the factors that are too close to 1
    to be listed. It is not the average probability of such events.


    Attributes:
        subject: The name of the subject.
        relation: The name of the relation.
        object: The name of the object.
        novelty: "known triple", "known pair" or "new pair".
        period: The period of the explained probability, such as "7 days from 2014-12-01".
        probability: The probability within that period.
        base_rate: The probability that the start value stands for.
        factors: What each kind of evidence does to the odds, the largest effect first; rules that speak for the event,
            but were seen with fewer than three pairs of entities, come last.
        requested_period: The requested period, if it is not one that the model is fitted for; else None. The fitted
            period that comes next to it is explained.
        requested_probability: The probability within the requested period, or None.

    Example:
        >>> factor = OddsFactor("history", 99.0, "it happened twice before", (), 2)
        >>> print(OccurrenceExplanation("Ann", "calls", "Bo", "known triple", "1 day", 0.5, 0.01, (factor,)))
        Why 50.0% for Ann — calls → Bo within 1 day?
        The model starts from 1.0% for an event that happened before, and multiplies its odds by:
          × 99      it happened twice before
    """

    subject: str
    relation: str
    object: str
    novelty: str
    period: str
    probability: float
    base_rate: float
    factors: tuple[OddsFactor, ...]
    requested_period: str | None = None
    requested_probability: float | None = None

    def __repr__(self) -> str:
        return f"OccurrenceExplanation({self.subject}, {self.relation}, {self.object}: {self.probability:.2g})"

    def __str__(self) -> str:
        return self.text()

    def text(self, n_reasons: int | None = None) -> str:
        """The explanation as text, with the largest factors or all of them (None)."""
        lines = [
            f"Why {percent(self.probability)} for {self.subject} — {self.relation} → {self.object} "
            f"within {self.period}?",
            *([self.note] if self.note else []),
            f"The model starts from {percent(self.base_rate)} for {STARTS[self.novelty]}{self._effect}",
        ]
        cited = set[Fact]()
        for each in self.factors[:n_reasons]:
            lines.append(f"  × {each.factor:<7.3g} {each.sentence}")
            lines += [f"            {line}" for line in citations(each.facts, cited)]
        rest = self.factors[n_reasons:] if n_reasons is not None else ()
        if rest:
            product = float(np.prod([each.factor for each in rest]))
            lines.append(
                f"  × {product:<7.3g} {_times(len(rest), 'more kind')} of evidence{' together' * (len(rest) > 1)}"
            )
        return "\n".join(lines)

    @property
    def note(self) -> str | None:
        """How the probability within the requested period follows, if another period is explained; else None."""
        if self.requested_period is None or self.requested_probability is None:
            return None
        return (
            f"The probability within {self.requested_period}, {percent(self.requested_probability)}, is derived from "
            f"those within the fitted periods; the nearest one, {percent(self.probability)} within {self.period}, is "
            f"explained here."
        )

    @property
    def _effect(self) -> str:
        return ", and multiplies its odds by:" if self.factors else "; no kind of evidence changes its odds."

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation, for JSON."""
        about: dict[str, Any] = {
            "subject": self.subject,
            "relation": self.relation,
            "object": self.object,
            "novelty": self.novelty,
        }
        about |= {"period": self.period, "probability": self.probability, "base_rate": self.base_rate}
        about |= {"requested_period": self.requested_period, "requested_probability": self.requested_probability}
        about |= {"note": self.note}
        factors = [
            {
                "family": each.family,
                "factor": each.factor,
                "sentence": each.sentence,
                "facts": [fact._asdict() for fact in each.facts],
                "facts_in_all": each.n_facts,
            }
            for each in self.factors
        ]
        return {**about, "factors": factors}


STARTS = {
    "known triple": "an event that happened before",
    "known pair": "a new event between two that had other events before",
    "new pair": "an event between two that had no event in common before",
}
"""By novelty: the events that the model starts from the same probability for, in words."""


def explain_occurrence(
    forecaster: OccurrenceForecaster, triple: tuple[int, ...], now: int, horizon: int, n_facts: int = 1
) -> OccurrenceExplanation:
    """Explain the probability of a triple, for the fitted horizon that comes next to the requested one."""
    graph, occurrence = forecaster.graph, forecaster.occurrence
    span, label = graph.timeline.span_of, graph.timeline.label_of
    fitted = min(occurrence.horizons, key=lambda each: (abs(each - horizon), each))
    s, r, o = triple
    with forecaster.at(now) as step:
        triples = Triples.of(*(np.array([each]) for each in triple))
        evidence = step.evidence(triples)
        novelty = int(evidence.novelty[0])
        intercept, weights = occurrence.contributions(evidence.values[0], novelty, fitted)
        factors = _factors(forecaster, step.memory, EncodedQuery(s, r, now), o, evidence.values[0], weights, n_facts)
        told = sum(np.log(each.factor) for each in factors)
        probabilities = occurrence.probabilities(evidence)
    base = intercept + float(weights.sum()) - float(told)
    return OccurrenceExplanation(
        subject=graph.entities.name_of(s),
        relation=graph.relations.name_of(r),
        object=graph.entities.name_of(o),
        novelty=NOVELTIES[novelty],
        period=f"{span(fitted)} from {label(now)}",
        probability=float(probabilities[0, occurrence.horizons.index(fitted)]),
        base_rate=float(1 / (1 + np.exp(-base))),
        factors=factors,
        requested_period=None if horizon == fitted else f"{span(horizon)} from {label(now)}",
        requested_probability=None if horizon == fitted else float(occurrence.within(probabilities, horizon)[0]),
    )


def _factors(
    forecaster: OccurrenceForecaster,
    memory: Memory,
    query: EncodedQuery,
    entity: int,
    evidence: Floats,
    weights: Floats,
    n_facts: int,
) -> tuple[OddsFactor, ...]:
    """What each kind of evidence does, the largest effect first, but rules of few pairs last."""
    graph = forecaster.graph
    found: list[OddsFactor] = []
    unsure: list[OddsFactor] = []
    columns = {family: [i for i, (name, _) in enumerate(COLUMNS) if name == family] for family in _DESCRIPTIONS}
    effects = {family: float(weights[own].sum()) for family, own in columns.items()}
    for family in sorted(effects, key=lambda each: -abs(effects[each])):
        if abs(effects[family]) < _NEGLIGIBLE:
            break
        values = {COLUMNS[i][1]: float(evidence[i]) for i in columns[family] if not np.isnan(evidence[i])}
        sentence, edges, is_sure = _DESCRIPTIONS[family](Case(graph, memory.events, query, entity, values), memory)
        behind, factor = distinct_facts(graph, edges), float(np.exp(effects[family]))
        own = OddsFactor(family, factor, sentence, facts_with_names(graph, behind[:n_facts]), len(behind))
        (found if is_sure or factor < 1 else unsure).append(own)
    return (*found, *unsure)


def _history(case: Case, _: Memory) -> Statement:
    edges = case.edges(case.query.subject, case.query.relation, case.entity)
    if not edges:
        return Statement("it never happened before")
    return Statement(f"it happened {how_often(len(edges))} before, {_last(case, edges, 'the last time')}", edges)


def _pair(case: Case, _: Memory) -> Statement:
    edges = case.edges(case.query.subject, None, case.entity)
    if not edges:
        return Statement(f"{case.subject} and {case.candidate} had no event in common before")
    n, last = _times(len(edges), "event"), _last(case, edges, "the last one")
    return Statement(f"{case.subject} and {case.candidate} had {n} in common, {last}", edges)


def _subject(case: Case, _: Memory) -> Statement:
    edges = case.edges(case.query.subject, case.query.relation, None)
    return _end(case, case.subject, "subject", edges)


def _object(case: Case, _: Memory) -> Statement:
    return _end(case, case.candidate, "object", case.answers())


def _end(case: Case, name: str, role: str, edges: tuple[Edge, ...]) -> Statement:
    if not edges:
        return Statement(f"{name} was never the {role} of {case.relation} before")
    often, last = how_often(len(edges)), _last(case, edges, "the last time")
    return Statement(f"{name} was the {role} of {case.relation} {often}, {last}", edges)


def _last(case: Case, edges: tuple[Edge, ...], words: str) -> str:
    """How long ago the last of some edges is; words say that it is the last one if there are several."""
    age = case.duration(case.query.time - edges[0].time)
    return f"{words} {age} earlier" if len(edges) > 1 else f"{age} earlier"


def _activity(case: Case, _: Memory) -> Statement:
    found: list[Edge] = []
    parts = []
    for entity, name in ((case.query.subject, case.subject), (case.entity, case.candidate)):
        edges = case.edges(entity, None, None)
        found += edges[:1]
        age = case.duration(case.query.time - edges[0].time) if edges else None
        parts.append(f"{name} took part in an event {age} earlier" if age else f"{name} took part in no event before")
    return Statement("; ".join(parts), tuple(found))


def _relation(case: Case, _: Memory) -> Statement:
    relations, own = case.memory.relations, case.head >> 1
    moment = int(moment_before(relations, own, case.query.time))
    n = int(n_events(relations, own, moment)) if moment >= 0 else 0
    if not n:
        return Statement(f"there was no {case.relation} event before")
    return Statement(
        f"there {'was' if n == 1 else 'were'} {_times(n, f'{case.relation} event')} between any two before"
    )


def _rules(case: Case, memory: Memory) -> Statement:
    """The other event of the pair that most often leads to this one; no evidence to rely on if few pairs had both."""
    newest: dict[int, Edge] = {}
    for edge in case.edges(case.query.subject, None, case.entity):
        if edge.relation != case.query.relation:
            newest.setdefault(edge.relation, edge)
    if not newest or RULES_FAMILY not in memory.families:
        return Statement(f"no other event between {case.subject} and {case.candidate} leads to this one")
    tally = memory.families[RULES_FAMILY].state

    def rate(edge: Edge) -> float:
        return float(rate_by_age(tally, case.head, case.encoded(edge.relation), case.query.time - edge.time))

    edges = sorted(newest.values(), key=rate, reverse=True)
    best, n_pairs = edges[0], _pairs_with_both(case, edges[0].relation)
    is_sure = n_pairs >= _MIN_PAIRS
    seen = f"seen with {_times(n_pairs, 'pair')} of entities only" if n_pairs else "not seen so far"
    age = case.duration(case.query.time - best.time)
    return Statement(
        f"{case.fact(*best[:3])} {age} earlier; when one of two entities with such an earlier event is the subject of "
        f"{case.relation}, the other is the object in {percent(rate(best))} of cases{'' if is_sure else f' ({seen})'}",
        tuple(edges),
        is_sure,
    )


def _pairs_with_both(case: Case, relation: int) -> int:
    """The number of pairs of which an event of a relation led to one of the query's; counted until there are enough."""
    memory, n = case.memory, 0
    slots, triples = memory.slots_of_relation, memory.triples
    for i in indexes_of(slots, case.head):
        source, slot = slots.record[i].tolist()
        other = slot_of(memory.slot, source, case.encoded(relation))
        (one, of_one), (two, of_two) = (_targets(memory, each) for each in (slot, other))
        _, at_one, at_two = np.intersect1d(one, two, return_indices=True)
        latest, earlier = triples[of_one[at_one], LATEST], triples[of_one[at_one], EARLIER]
        last = np.where(latest < case.query.time, latest, earlier)
        n += int((triples[of_two[at_two], FIRST_TIME] < last).sum())
        if n >= _MIN_PAIRS:
            break
    return n


def _targets(memory: EventMemory, slot: int) -> Ints:
    """The targets of a slot, none for -1, and their triples."""
    return memory.targets_of_slot.record[list(indexes_of(memory.targets_of_slot, slot)), :2].T


def _calendar(case: Case, _: Memory) -> Statement:
    phase, unit = int(case.values.get("phase", 0)), case.graph.timeline.unit
    if unit in ("day", "business day"):
        return Statement(f"the period begins on a {day_name[phase]}")
    return Statement(f"the period begins in {month_name[phase + 1]}" if unit == "month" else f"it begins at {phase}:00")


def _times(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"


_DESCRIPTIONS: Mapping[str, Callable[[Case, Memory], Statement]] = {
    "history": _history,
    "pair": _pair,
    "subject": _subject,
    "object": _object,
    "activity": _activity,
    "relation": _relation,
    "rules": _rules,
    "calendar": _calendar,
}
