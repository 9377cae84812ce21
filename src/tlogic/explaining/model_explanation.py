"""ModelExplanation: why a model gave a candidate its score, as a sum of contributions of evidence families."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tlogic.events.timeline import Timeline
from tlogic.evidence.memory import Memory
from tlogic.evidence.statements import Case, Edge
from tlogic.explaining.combinations import COMBINATIONS, combination_sentence
from tlogic.explaining.explanation import Explanation, Fact, citations
from tlogic.forecasting.answers import as_percent
from tlogic.forecasting.queries import EncodedQuery, Query, encode_queries, with_names
from tlogic.graph.arrays import Floats
from tlogic.graph.graph_protocol import Graph
from tlogic.models.model import Model
from tlogic.models.model_forecaster import ModelForecaster


@dataclass(frozen=True)
class Contribution:
    """What one family of evidence, or all tables of two kinds of evidence together, adds to a score.

    Attributes:
        family: The name of the family; "combinations" for the tables.
        weight: What it adds to the score.
        sentence: What it found, in words.
        facts: The facts behind it, the most relevant first, as many as were requested.
        n_facts: How many facts there are.
        columns: By kind of evidence: its value, None if there is none, and its weight.
        has_evidence: False if the family found nothing that speaks for the candidate; texts leave it out.

    Example:
        >>> calls = Fact("Ann", "calls", "Bo", "2030-01-04")
        >>> part = Contribution("pair", 0.25, "Ann and Bo have 1 earlier event in common", (calls,), 1, {})
        >>> part.family, part.weight
        ('pair', 0.25)
    """

    family: str
    weight: float
    sentence: str
    facts: tuple[Fact, ...]
    n_facts: int
    columns: dict[str, tuple[float | None, float]]
    has_evidence: bool = True


@dataclass(frozen=True, repr=False)
class ModelExplanation(Explanation):
    """Why a model gave a candidate its score and its rank. The score is the sum of its contributions.

    Attributes:
        query: The query, with the names and the date that the data has for it.
        candidate: The name of the entity that is explained.
        score: The sum of the contributions; 0 if the entity is not a candidate.
        probability: The probability that it is an answer, of any number of answers.
        rank: One more than the number of candidates with higher scores; None if it is not a candidate.
        n_candidates: How many candidates the query has.
        contributions: What each family of evidence adds, the largest first.
        timeline: The dates of the time steps.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["recurrence", "popularity"])
        >>> forecast = tlogic.forecast(graph, model, [("Kite Aviation", "sue")])
        >>> first, second = (forecast.explain(0, forecast[0][index].name) for index in (0, 1))
        >>> abs(first.score - sum(part.weight for part in first.contributions)) < 1e-9
        True
        >>> print(first.over(second).text().splitlines()[0])
        Why Lantern Pharma over Kite Aviation for (Kite Aviation, sue, ?, 2030-03-02)?
    """

    query: Query
    candidate: str
    score: float
    probability: float
    rank: int | None
    n_candidates: int
    contributions: tuple[Contribution, ...]
    timeline: Timeline

    def __repr__(self) -> str:
        return f"ModelExplanation({self.query}: {self.candidate}, rank {self.rank} of {self.n_candidates})"

    def text(self, n_reasons: int | None = None) -> str:
        """The sum as text, with the largest contributions or all of them (None).

        Families that found nothing are summed in the last line. Facts that a sentence names are not cited again.
        """
        lines = [f"Why {self.candidate} for {self.query}?", self._rank_line()]
        cited = set[Fact]()
        shown = self.strongest(n_reasons)
        for each in shown:
            lines.append(f"  {signed(each.weight):>7}  {each.sentence}")
            facts = [fact for fact in each.facts if not _is_named(fact, shown)]
            lines += [f"             {line}" for line in citations(facts, cited)]
        rest = [each.weight for each in self.contributions if each not in shown]
        return "\n".join([*lines, *_rest_line(rest)])

    def strongest(self, n: int | None = 3) -> list[Contribution]:
        """The largest contributions of families that found something."""
        return [each for each in self.contributions if each.has_evidence][:n]

    def facts_behind(self, n_reasons: int | None = 3) -> list[Fact]:
        """The facts behind the largest contributions or all of them (None), each once, in order of time."""
        return self._in_order_of_time(fact for each in self.strongest(n_reasons) for fact in each.facts)

    @property
    def figure(self) -> str:
        """The probability, as text."""
        return f"probability {as_percent(self.probability)}"

    def over(self, other: "ModelExplanation") -> "Comparison":
        """Why this candidate ranks above another candidate of the same query, or below it."""
        return Comparison(self, other)

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation, for JSON."""
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
                    "has_evidence": each.has_evidence,
                    "evidence": {name: {"value": v, "weight": w} for name, (v, w) in each.columns.items()},
                }
                for each in self.contributions
            ],
        }

    def _rank_line(self) -> str:
        if self.rank is None:
            return f"It is not among the {_candidates(self)}."
        return (
            f"Rank {self.rank:,} of {_candidates(self)}, with a probability of "
            f"{as_percent(self.probability)}; the score {signed(self.score)} is the sum of:"
        )


@dataclass(frozen=True)
class Comparison:
    """Why one candidate ranks above another, or below it: the difference of two sums.

    Attributes:
        one: The explanation of the one candidate.
        other: The explanation of the other candidate.

    Example:
        >>> parts = [Contribution("pair", weight, "", (), 0, {}) for weight in (0.5, 0.25)]
        >>> query = Query("Ann", "calls", None, "2030-01-04")
        >>> days = Timeline("day", 1, "2030-01-01")
        >>> one, other = (
        ...     ModelExplanation(query, name, part.weight, 0.5, rank, 2, (part,), days)
        ...     for rank, (name, part) in enumerate(zip(("Bo", "Cy"), parts, strict=True), 1)
        ... )
        >>> one.over(other).differences[0][0]
        0.25
    """

    one: ModelExplanation
    other: ModelExplanation

    @property
    def differences(self) -> list[tuple[float, Contribution, Contribution]]:
        """Per family: how much more it adds for the one, and its contribution to both; the largest first."""
        theirs = {each.family: each for each in self.other.contributions}
        pairs = [(each, theirs[each.family]) for each in self.one.contributions if each.family in theirs]
        return sorted(((a.weight - b.weight, a, b) for a, b in pairs), key=lambda each: -abs(each[0]))

    def text(self, n_reasons: int | None = None) -> str:
        """The difference as text, with the largest parts or all of them (None)."""
        one, other = self.one.candidate, self.other.candidate
        lines = [f"Why {one} over {other} for {self.one.query}?"]
        for sheet in (self.one, self.other):
            if sheet.rank is None:
                return "\n".join([*lines, f"{sheet.candidate} is not among the {_candidates(sheet)}."])
        lines.append(f"The difference of scores {signed(self.one.score - self.other.score)} is the sum of:")
        telling = [each for each in self.differences if each[1].has_evidence or each[2].has_evidence]
        for difference, first, second in telling[:n_reasons]:
            lines += [f"  {signed(difference):>7}  {first.sentence}", f"           against: {second.sentence}"]
        rest = [each[0] for each in self.differences if each not in telling[:n_reasons]]
        return "\n".join([*lines, *_rest_line(rest)])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison, for JSON; the difference is null if one of the two is not a candidate."""
        both = self.one.rank is not None and self.other.rank is not None
        return {
            "one": self.one.to_dict(),
            "other": self.other.to_dict(),
            "difference": self.one.score - self.other.score if both else None,
            "differences": [{"family": one.family, "weight": weight} for weight, one, _ in self.differences],
        }


def signed(weight: float) -> str:
    """A weight with its sign, and with four digits; 0.0000 has none.

    >>> signed(0.25), signed(-0.25), signed(-0.00001)
    ('+0.2500', '-0.2500', '0.0000')
    """
    text = f"{weight:+z.4f}"
    return "0.0000" if text == "+0.0000" else text


def _candidates(sheet: ModelExplanation) -> str:
    return f"{sheet.n_candidates:,} candidate{'s' * (sheet.n_candidates != 1)}"


def _rest_line(weights: Sequence[float]) -> list[str]:
    """The sum of what the families add that are not shown, if there are any."""
    kinds = "1 other kind" if len(weights) == 1 else f"{len(weights)} other kinds"
    return [f"  {signed(sum(weights)):>7}  from {kinds} of evidence"] if weights else []


def _is_named(fact: Fact, contributions: Sequence[Contribution]) -> bool:
    """Whether a sentence names a fact and its date."""
    arrow = f"{fact.subject} — {fact.relation} → {fact.object}"
    return any(arrow in each.sentence and f"({fact.time})" in each.sentence for each in contributions)


def explain_by_model(forecaster: ModelForecaster, query: Query, candidate: str, n_facts: int = 1) -> ModelExplanation:
    """Explain a candidate of a query, with up to ``n_facts`` facts of each family of evidence.

    >>> import tlogic
    >>> graph = tlogic.sample(days=60)
    >>> answers = tlogic.forecast(graph, tlogic.fit(graph), [("Kite Aviation", "sue")])
    >>> why = answers.explain(0, answers[0][0].name)
    >>> why.rank, abs(why.score - sum(each.weight for each in why.contributions)) < 1e-9
    (1, True)
    """
    graph, model = forecaster.graph, forecaster.model
    [encoded] = encode_queries(graph, [query])
    entity = graph.entities.id_of(candidate)
    with forecaster.evidence.at(encoded) as (part, memory):
        scores = model.scores(part.values)
        probabilities = model.probabilities(part.context.start, scores, part.history)
        own = next(iter(np.flatnonzero(part.context.candidate == entity).tolist()), None)
        contributions = (
            () if own is None else _contributions(forecaster, encoded, entity, part.values[own], memory, n_facts)
        )
    return ModelExplanation(
        query=with_names(graph, query, encoded),
        candidate=graph.entities.name_of(entity),
        score=0.0 if own is None else float(scores[own]),
        probability=0.0 if own is None else float(probabilities[own]),
        rank=None if own is None else int((scores > scores[own]).sum()) + 1,
        n_candidates=len(scores),
        contributions=contributions,
        timeline=graph.timeline,
    )


def _contributions(
    forecaster: ModelForecaster,
    query: EncodedQuery,
    entity: int,
    evidence: Floats,
    memory: Memory,
    n_facts: int,
) -> tuple[Contribution, ...]:
    """What each family adds, the largest absolute value first."""
    weights = forecaster.model.contributions(evidence[None, :])[0]
    columns: dict[str, dict[str, tuple[float | None, float]]] = {}
    for (family, name), value, weight in zip(
        forecaster.model.columns, evidence.tolist(), weights.tolist(), strict=True
    ):
        columns.setdefault(family, {})[name] = (None if np.isnan(value) else value, weight)
    found = []
    for family, own in columns.items():
        values = {name: value for name, (value, _) in own.items() if value is not None}
        case = Case(forecaster.graph, memory.events, query, entity, values)
        sentence, found_edges, has_evidence = memory.families[family].describe(case)
        edges = distinct_facts(forecaster.graph, found_edges)
        facts, weight = facts_with_names(forecaster.graph, edges[:n_facts]), sum(w for _, w in own.values())
        found.append(Contribution(family, weight, sentence, facts, len(edges), own, has_evidence))
    if len(forecaster.model.pairs.column):
        names = (forecaster.graph.entities.name_of(each) for each in (query.subject, entity))
        found.append(_combinations(forecaster.model, evidence, *names))
    return tuple(sorted(found, key=lambda each: -abs(each.weight)))


def _combinations(model: Model, evidence: Floats, subject: str, candidate: str) -> Contribution:
    """What all tables of two kinds of evidence add."""
    weights = model.pair_contributions(evidence[None, :])[0].tolist()
    kinds = [(model.columns[one], model.columns[other]) for one, other in model.pairs.column.tolist()]
    names = [f"{' '.join(one)} and {' '.join(other)}" for one, other in kinds]
    columns: dict[str, tuple[float | None, float]] = {
        name: (None, weight) for name, weight in zip(names, weights, strict=True)
    }
    sentence = combination_sentence(kinds, weights, subject, candidate)
    return Contribution(COMBINATIONS, sum(weights), sentence, (), 0, columns)


def distinct_facts(graph: Graph, edges: Sequence[Edge]) -> list[Edge]:
    """The recorded facts behind edges, each once: an edge and its inverse are the same fact."""
    half = len(graph.relations.base)
    return list(
        dict.fromkeys(
            edge if edge.relation < half else Edge(edge.target, edge.relation - half, edge.source, edge.time)
            for edge in edges
        )
    )


def facts_with_names(graph: Graph, edges: Sequence[Edge]) -> tuple[Fact, ...]:
    """Facts with names and dates instead of ids."""
    name, relation_name, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    return tuple(Fact(name(s), relation_name(r), name(o), label(t)) for s, r, o, t in edges)
