"""RuleExplanation: the rules that lead to a candidate, the dated facts behind each, and how their scores combine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tlogic.events.timeline import Timeline
from tlogic.explaining.explanation import Explanation, Fact
from tlogic.explaining.groundings import find_paths, latest_groundings, latest_times
from tlogic.forecasting.queries import EncodedQuery, Query, encode_queries, query_batch, with_names
from tlogic.forecasting.rule_forecaster import BaseRuleForecaster, LeadingRules, Worker
from tlogic.graph.graph_protocol import Graph
from tlogic.rules import Rule

_STANDARD_ERRORS = 1.96  # of a 95% confidence interval
_MAX_SHOWN_ABOVE = 5
Grounding = tuple[Fact, ...]
"""The facts of a body, in order of time."""


@dataclass(frozen=True)
class Reason:
    """One rule that leads to a candidate.

    Attributes:
        rule: The rule.
        score: ``confidence_part`` plus ``recency_part``.
        age: How many time steps before the query the first fact of the first grounding lies.
        confidence_part: Alpha times the confidence of the rule.
        recency_part: (1 - alpha) exp(-lambda age).
        groundings: The grounding that determines the score; then others, as many as were requested.

    Example:
        >>> rule = Rule("consult", ("meet",), (0, 1), 3, 4)
        >>> met = Fact("Ann", "meet", "Bo", "2030-01-04")
        >>> print(Reason(rule, 0.625, 1, 0.375, 0.25, ((met,),)).facts[0])
        2030-01-04  Ann — meet → Bo
    """

    rule: Rule
    score: float
    age: int
    confidence_part: float
    recency_part: float
    groundings: tuple[Grounding, ...]

    @property
    def facts(self) -> Grounding:
        """The grounding that determines the score."""
        return self.groundings[0]


@dataclass(frozen=True)
class RuleExplanation(Explanation):
    """Why rules gave a candidate its score and its rank. The score is the noisy-OR of its reasons' scores s_i.

    Attributes:
        query: The query, with the names and the date that the data has for it.
        candidate: The name of the entity that is explained.
        score: 1 - (1 - s_1)(1 - s_2)..., or 0 if the entity is not a candidate.
        rank: One more than the number of candidates with higher scores; None if it is not a candidate.
        n_equal: How many other candidates have the same score.
        n_candidates: How many candidates the query has.
        reasons: The rules that lead to the candidate, in the order in which they were applied.
        untried: Rules that lead to it too, but come after the stopping rule ended the search.
        n_rules: How many rules the relation of the query has.
        n_rules_tried: How many of them were applied before the search ended.
        above: The best candidates with higher scores.
        timeline: The dates of the time steps.
        fallback_share: If no rule leads to any candidate: the candidate's share of the objects of the relation.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> rules = tlogic.learn(graph, lengths=(1,))
        >>> forecast = tlogic.forecast(graph, rules, [("Kite Aviation", "sue", None, "2031-02-10")])
        >>> why = forecast.explain(0, "Northlight Energy")
        >>> print(why.strongest(1)[0].rule)
        sue(X, Y, T2) <- bid_for^-1(X, Y, T1)
    """

    query: Query
    candidate: str
    score: float
    rank: int | None
    n_equal: int
    n_candidates: int
    reasons: tuple[Reason, ...]
    untried: tuple[Reason, ...]
    n_rules: int
    n_rules_tried: int
    above: tuple[tuple[str, float], ...]
    timeline: Timeline = field(repr=False)
    fallback_share: float | None = None

    def __repr__(self) -> str:
        rank = "not a candidate" if self.rank is None else f"rank {self.rank:,} of {self.n_candidates:,}"
        rules = f"{len(self.reasons):,} rule{'' if len(self.reasons) == 1 else 's'}"
        return f"RuleExplanation({self.query}: {self.candidate}, {rank}, score {self.score:.4f} by {rules})"

    def strongest(self, n: int | None = 3) -> list[Reason]:
        """The strongest reasons: by their scores, with a lower bound of the confidence instead of the confidence.

        A rule that was right in 1 of 1 cases comes after all others.
        """
        return sorted(self.reasons, key=by_strength)[:n]

    def without(self, reason: Reason) -> float:
        """The score that the candidate would have without one reason."""
        return noisy_or([other.score for other in self.reasons if other is not reason])

    def to_dict(self) -> dict[str, Any]:
        """The whole explanation, for JSON."""
        from tlogic.explaining.formatting import as_dict

        return as_dict(self)

    def text(self, n_reasons: int | None = 3) -> str:
        """The explanation as text, with the strongest reasons or all of them (None)."""
        from tlogic.explaining.formatting import as_text

        return as_text(self, n_reasons)

    def facts_behind(self, n_reasons: int | None = 3) -> list[Fact]:
        """The facts behind the strongest reasons or all of them (None), each once, in order of time."""
        return self._in_order_of_time(fact for reason in self.strongest(n_reasons) for fact in reason.facts)

    @property
    def figure(self) -> str:
        """The score, as text."""
        return f"score {self.score:.4f}"


def explain_by_rules(
    forecaster: BaseRuleForecaster, query: Query, candidate: str, groundings: int = 1
) -> RuleExplanation:
    """Explain a candidate of a query, with up to ``groundings`` groundings of each rule, the latest first.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> rules = tlogic.learn(graph, lengths=(1,))
    >>> answers = tlogic.forecast(graph, rules, [("Kite Aviation", "sue")])
    >>> why = answers.explain(0, answers[0][0].name)
    >>> why.rank, why.score == noisy_or([reason.score for reason in why.reasons])
    (1, True)
    """
    graph = forecaster.graph
    [encoded] = encode_queries(graph, [query])
    entity = graph.entities.id_of(candidate)
    with forecaster.worker() as worker:
        scored = worker(query_batch([encoded]))
        tried = int(scored.n_rules[0])
        leading = worker.leading_to(entity, encoded)
        finder = _ReasonFinder(forecaster, worker, encoded, entity, groundings)
        reasons, untried = (
            finder.reasons(leading, own) for own in (leading.position < tried, leading.position >= tried)
        )
    fallback = None if len(scored.entity) else forecaster.fallback.of(encoded.relation, encoded.time)
    entities, scores = fallback or (scored.entity, scored.score)
    own = scores[entities == entity]
    score = float(own[0]) if len(own) else 0.0
    return RuleExplanation(
        query=with_names(graph, query, encoded),
        candidate=graph.entities.name_of(entity),
        score=score,
        rank=int((scores > score).sum()) + 1 if len(own) else None,
        n_equal=int((scores == score).sum()) - 1 if len(own) else 0,
        n_candidates=len(entities),
        reasons=reasons,
        untried=untried,
        n_rules=len(forecaster.rules_of(encoded.relation)),
        n_rules_tried=tried,
        above=_above(graph, entities, scores, score),
        timeline=graph.timeline,
        fallback_share=score if fallback else None,
    )


def by_strength(reason: Reason) -> tuple[bool, float]:
    """Sorts reasons: the strongest first, and rules with a single case last."""
    rule = reason.rule
    if rule.confidence == 0:
        return rule.body_support <= 1, -reason.score
    bound = wilson_bound(rule.rule_support, rule.body_support) / rule.confidence
    return rule.body_support <= 1, -(reason.confidence_part * bound + reason.recency_part)


def wilson_bound(hits: int, n: int) -> float:
    """The lower end of the 95% interval for a share of which ``hits`` of ``n`` cases are known (Wilson, 1927).

    >>> [round(wilson_bound(hits, n), 2) for hits, n in ((1, 1), (57, 100), (0, 0))]
    [0.21, 0.47, 0.0]
    """
    if n == 0:
        return 0.0
    share, z2 = hits / n, _STANDARD_ERRORS**2
    spread = _STANDARD_ERRORS * float(np.sqrt(share * (1 - share) / n + z2 / (4 * n * n)))
    return max((share + z2 / (2 * n) - spread) / (1 + z2 / n), 0.0)


def noisy_or(scores: Sequence[float]) -> float:
    """1 - (1 - s_1)(1 - s_2)..., the product in single precision and the difference in double, as forecasts compute it.

    >>> noisy_or([0.5, 0.5])
    0.75
    """
    miss = np.float32(1.0)
    for score in scores:
        miss *= np.float32(1.0) - np.float32(score)
    return 1.0 - float(miss)


class _ReasonFinder:
    """Turns the rules that lead to one candidate of one query into reasons."""

    def __init__(
        self, forecaster: BaseRuleForecaster, worker: Worker, query: EncodedQuery, candidate: int, n: int
    ) -> None:
        self._graph, self._settings = forecaster.graph, forecaster.settings
        self._rules = forecaster.rules_of(query.relation)
        self._visible, self._query, self._candidate, self._n = worker.visible, query, candidate, n
        self._since = max(query.time - self._settings.window, 0) if self._settings.window else 0

    def reasons(self, leading: LeadingRules, wanted: np.ndarray) -> tuple[Reason, ...]:
        pairs = zip(leading.position[wanted].tolist(), leading.age[wanted].tolist(), strict=True)
        return tuple(self._reason(self._rules[index], age) for index, age in pairs)

    def _reason(self, rule: Rule, age: int) -> Reason:
        alpha, decay = self._settings.alpha, self._settings.decay
        confidence_part = alpha * rule.confidence
        recency_part = (1.0 - alpha) * float(np.exp(-decay * age))
        return Reason(
            rule=rule,
            score=float(np.float32(confidence_part + recency_part)),
            age=age,
            confidence_part=confidence_part,
            recency_part=recency_part,
            groundings=self._groundings(rule, self._query.time - age),
        )

    def _groundings(self, rule: Rule, first_time: int) -> tuple[Grounding, ...]:
        body = np.array([self._graph.relations.match(name) for name in rule.body])
        facts = self._visible, self._graph.entity_rank
        where = *facts, body, np.array(rule.variables), self._query.subject, self._candidate, self._since
        [path] = find_paths(*where, first_time, 1).tolist()
        deciding = (path, latest_times(self._visible, path, first_time))
        others = [other for other in latest_groundings(*where, self._n) if other != deciding] if self._n > 1 else []
        return tuple(self._named(rule, body.tolist(), *found) for found in [deciding, *others][: self._n])

    def _named(self, rule: Rule, body: list[int], path: list[int], times: list[int]) -> Grounding:
        """A grounding with names; an inverse edge is given as the fact that was recorded."""
        graph, half = self._graph, len(self._graph.relations.base)
        facts, source = [], self._query.subject
        entity_of = {rule.variables[0]: source}
        for i, (relation, triple, time) in enumerate(zip(body, path, times, strict=True)):
            source = entity_of[rule.variables[i]]
            target = entity_of.setdefault(rule.variables[i + 1], int(self._visible.target[triple]))
            pair = (source, target) if relation < half else (target, source)
            first, second = (graph.entities.name_of(entity) for entity in pair)
            facts.append(Fact(first, graph.relations.name_of(relation % half), second, graph.timeline.label_of(time)))
        return tuple(facts)


def _above(graph: Graph, entity: np.ndarray, score: np.ndarray, own: float) -> tuple[tuple[str, float], ...]:
    best = [i for i in np.lexsort((graph.entity_rank[entity], -score))[:_MAX_SHOWN_ABOVE].tolist() if score[i] > own]
    return tuple((graph.entities.name_of(entity[i]), float(score[i])) for i in best)
