"""Why a candidate was predicted: its rules, the dated facts behind each, and how they add up."""

from dataclasses import dataclass

import numpy as np

from tlogic.explaining.groundings import DatedFact, latest_grounding
from tlogic.forecasting.application import Queries
from tlogic.forecasting.forecaster import Forecaster
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.rules import Rule


@dataclass(frozen=True)
class Reason:
    """One rule that supports a candidate, and the grounding that set its score."""

    rule: Rule
    score: float
    facts: tuple[str, ...]
    """The grounding in order of time, by name and date."""


@dataclass(frozen=True)
class Explanation:
    """All reasons for a candidate, in the order in which their rules were applied.

    The score is their noisy-OR: 1 - (1 - s_1)(1 - s_2)...
    """

    query: str
    candidate: str
    score: float
    reasons: tuple[Reason, ...]

    def strongest(self, n: int = 3) -> list[Reason]:
        """The reasons with the largest scores."""
        return sorted(self.reasons, key=lambda reason: -reason.score)[:n]


def explain(forecaster: Forecaster, subject: str, relation: str, candidate: str, at: str | int) -> Explanation:
    """Explain a candidate of the query (subject, relation, ?, at); without reasons where no rule supports it.

    >>> import tlogic
    >>> from tlogic.forecasting import ApplicationSettings, Forecaster
    >>> graph = tlogic.sample()
    >>> forecaster = Forecaster(graph, tlogic.learn(graph, lengths=(1,)), ApplicationSettings())
    >>> fact = graph.split("test")
    >>> names = [graph.entities.name_of(fact.subject[0]), graph.relations.name_of(fact.relation[0])]
    >>> why = explain(forecaster, *names, graph.entities.name_of(fact.object[0]), graph.timeline.label_of(fact.time[0]))
    >>> all(0 < reason.score <= 1 for reason in why.reasons)
    True
    """
    graph, settings = forecaster.graph, forecaster.settings
    now = graph.timeline.step_of(at)
    ids = graph.entities.id_of(subject), graph.relations.id_of(relation), graph.entities.id_of(candidate)
    answer = forecaster.new_worker()(Queries(*(np.array([value]) for value in (ids[0], ids[1], now, now))))
    since = max(now - settings.window, 0) if settings.window else 0
    reasons = []
    for rule in forecaster.rules_of(ids[1])[: answer.n_rules[0]]:
        body = tuple(map(graph.relations.id_of, rule.body))
        facts = latest_grounding(graph, body, rule.variables, ids[0], ids[2], since, now)
        if facts:
            age = now - facts[0].time
            score = settings.alpha * rule.confidence + (1 - settings.alpha) * np.exp(-settings.decay * age)
            reasons.append(Reason(rule, float(np.float32(score)), tuple(_tell(graph, fact) for fact in facts)))
    return Explanation(
        query=f"({subject}, {relation}, ?, {graph.timeline.label_of(now)})",
        candidate=candidate,
        score=noisy_or([reason.score for reason in reasons]),
        reasons=tuple(reasons),
    )


def noisy_or(scores: list[float]) -> float:
    """1 - (1 - s_1)(1 - s_2)..., the product in single precision and the difference in double, as forecasts compute it.

    >>> noisy_or([0.5, 0.5])
    0.75
    """
    miss = np.float32(1.0)
    for score in scores:
        miss *= np.float32(1.0) - np.float32(score)
    return 1.0 - float(miss)


def _tell(graph: TemporalGraph, fact: DatedFact) -> str:
    """A fact as it stands in the data: an inverse edge is told the way it was recorded."""
    half = len(graph.relations.base)
    first, second = fact.subject, fact.object
    relation = fact.relation
    if relation >= half:
        first, second, relation = second, first, relation - half
    name = graph.entities.name_of
    return f"{graph.timeline.label_of(fact.time)}  {name(first)} — {graph.relations.name_of(relation)} → {name(second)}"
