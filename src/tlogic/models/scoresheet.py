"""Scoresheet: why a model gave a candidate its score, as a sum of what each family of evidence says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tlogic.evidence.family import Family
from tlogic.evidence.statements import Case, Edge
from tlogic.explaining.explanation import Fact
from tlogic.forecasting.queries import EncodedQuery, Query
from tlogic.graph.arrays import Floats
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.model_forecaster import ModelForecaster


@dataclass(frozen=True)
class Contribution:
    """What one family of evidence adds to a score, in words, and the facts it counted."""

    family: str
    weight: float
    sentence: str
    facts: tuple[Fact, ...]
    """The most telling first, as many as were asked for."""
    n_facts: int
    """How many there are."""
    columns: dict[str, tuple[float | None, float]]
    """By kind of evidence: its value, None where there is none, and its weight."""


@dataclass(frozen=True, repr=False)
class Scoresheet:
    """The score of a candidate as a sum, the largest contributions first."""

    query: Query
    candidate: str
    score: float
    probability: float
    rank: int | None
    """One more than there are candidates with higher scores; None where it is no candidate at all."""
    n_candidates: int
    contributions: tuple[Contribution, ...]

    def __repr__(self) -> str:
        return f"Scoresheet({self.query}: {self.candidate}, rank {self.rank} of {self.n_candidates})"

    def text(self, n_reasons: int | None = None) -> str:
        """The sum for people, with the largest contributions or all of them (None)."""
        lines = [f"Why {self.candidate} for {self.query}?", self._standing()]
        for each in self.contributions[:n_reasons]:
            lines += [f"  {each.weight:+.4f}  {each.sentence}", *(f"             {fact}" for fact in each.facts)]
        rest = self.contributions[n_reasons:] if n_reasons is not None else ()
        if rest:
            lines.append(f"  {sum(each.weight for each in rest):+.4f}  from {len(rest)} more kinds of evidence")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def over(self, other: "Scoresheet") -> "Comparison":
        """Why this candidate stands above another one of the same query, or below."""
        return Comparison(self, other)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "query": self.query._asdict(),
            "candidate": self.candidate,
            "score": self.score,
            "probability": self.probability,
            "rank": self.rank,
            "candidates": self.n_candidates,
            "contributions": [
                {
                    "family": each.family,
                    "weight": each.weight,
                    "sentence": each.sentence,
                    "facts": [fact._asdict() for fact in each.facts],
                    "facts_in_all": each.n_facts,
                    "evidence": {name: {"value": v, "weight": w} for name, (v, w) in each.columns.items()},
                }
                for each in self.contributions
            ],
        }

    def _standing(self) -> str:
        if self.rank is None:
            return f"It is not among the {self.n_candidates:,} candidates."
        return (
            f"Rank {self.rank:,} of {self.n_candidates:,} candidates, with a probability of {self.probability:.1%}; "
            f"the score {self.score:+.4f} is the sum of:"
        )


@dataclass(frozen=True)
class Comparison:
    """Why one candidate stands above another, or below: the difference of two sums."""

    one: Scoresheet
    other: Scoresheet

    @property
    def differences(self) -> list[tuple[float, Contribution, Contribution]]:
        """Per family: how much more it gives to the one, and what it says of both; the largest first."""
        theirs = {each.family: each for each in self.other.contributions}
        pairs = [(each, theirs[each.family]) for each in self.one.contributions if each.family in theirs]
        return sorted(((a.weight - b.weight, a, b) for a, b in pairs), key=lambda each: -abs(each[0]))

    def text(self, n_reasons: int | None = None) -> str:
        """The difference for people, with the largest parts or all of them (None)."""
        one, other = self.one.candidate, self.other.candidate
        lines = [f"Why {one} over {other} for {self.one.query}?"]
        for sheet in (self.one, self.other):
            if sheet.rank is None:
                return "\n".join([*lines, f"{sheet.candidate} is not among the {sheet.n_candidates:,} candidates."])
        lines.append(f"The difference of scores {self.one.score - self.other.score:+.4f} is the sum of:")
        for difference, first, second in self.differences[:n_reasons]:
            lines += [f"  {difference:+.4f}  {first.sentence}", f"           against: {second.sentence}"]
        rest = self.differences[n_reasons:] if n_reasons is not None else []
        if rest:
            lines.append(f"  {sum(each[0] for each in rest):+.4f}  from {len(rest)} more kinds of evidence")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; there is no difference where one of the two is no candidate."""
        both = self.one.rank is not None and self.other.rank is not None
        return {
            "one": self.one.to_dict(),
            "other": self.other.to_dict(),
            "difference": self.one.score - self.other.score if both else None,
            "differences": [{"family": one.family, "weight": weight} for weight, one, _ in self.differences],
        }


def scoresheet(
    forecaster: ModelForecaster, asked: Query, query: EncodedQuery, candidate: str, *, n_facts: int = 1
) -> Scoresheet:
    """Explain a candidate of a query, with some of the facts that each family counted.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> answers = tlogic.forecast(graph, tlogic.fit(graph), [("Kite Aviation", "sue")])
    >>> why = answers.explain(0, answers[0][0].name)
    >>> why.rank, abs(why.score - sum(each.weight for each in why.contributions)) < 1e-9
    (1, True)
    """
    graph, model = forecaster.graph, forecaster.model
    entity = graph.entities.id_of(candidate)
    with forecaster.asking(query) as (part, families):
        scores = model.scores(part.evidence)
        probabilities = model.probabilities(part.pairs.start, scores)
        own = next(iter(np.flatnonzero(part.pairs.candidate == entity).tolist()), None)
        contributions = (
            () if own is None else _contributions(forecaster, query, entity, part.evidence[own], families, n_facts)
        )
    return Scoresheet(
        query=asked,
        candidate=graph.entities.name_of(entity),
        score=0.0 if own is None else float(scores[own]),
        probability=0.0 if own is None else float(probabilities[own]),
        rank=None if own is None else int((scores > scores[own]).sum()) + 1,
        n_candidates=len(scores),
        contributions=contributions,
    )


def _contributions(
    forecaster: ModelForecaster,
    query: EncodedQuery,
    entity: int,
    evidence: Floats,
    families: dict[str, Family],
    n_facts: int,
) -> tuple[Contribution, ...]:
    """What each family adds, the largest first, whether for or against."""
    weights = forecaster.model.contributions(evidence[None, :])[0]
    columns: dict[str, dict[str, tuple[float | None, float]]] = {}
    for (family, name), value, weight in zip(
        forecaster.model.columns, evidence.tolist(), weights.tolist(), strict=True
    ):
        columns.setdefault(family, {})[name] = (None if np.isnan(value) else value, weight)
    found = []
    for family, own in columns.items():
        values = {name: value for name, (value, _) in own.items() if value is not None}
        case = Case(forecaster.graph, forecaster.histories, query, entity, values)
        sentence, told = families[family].describe(case)
        edges = _distinct(forecaster.graph, told)
        facts = _as_facts(forecaster.graph, edges[:n_facts])
        found.append(Contribution(family, sum(w for _, w in own.values()), sentence, facts, len(edges), own))
    return tuple(sorted(found, key=lambda each: -abs(each.weight)))


def _distinct(graph: TemporalGraph, edges: Sequence[Edge]) -> list[Edge]:
    """The facts behind edges as they stand in the data, each once: a fact and its inverse are the same."""
    half = len(graph.relations.base)
    return list(
        dict.fromkeys(
            edge if edge.relation < half else Edge(edge.target, edge.relation - half, edge.source, edge.time)
            for edge in edges
        )
    )


def _as_facts(graph: TemporalGraph, edges: Sequence[Edge]) -> tuple[Fact, ...]:
    name, relation_name, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    return tuple(Fact(name(s), relation_name(r), name(o), label(t)) for s, r, o, t in edges)
