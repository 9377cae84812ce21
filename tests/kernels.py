"""Compile the kernels, which keeps them for all later processes: `python -m tests.kernels`.

Tests that run side by side would otherwise each compile what they need, and write to the same files while they do.
"""

import numpy as np

import tlogic
from tlogic.evaluation import evaluate_many
from tlogic.explaining import explain_by_rules
from tlogic.forecasting.forecast import forecast_queries
from tlogic.forecasting.live_forecaster import LiveRuleForecaster
from tlogic.graph import Facts
from tlogic.graph.live_graph import LiveGraph
from tlogic.serving.engine.entity_history import count_events, entity_history, relation_rates


def compile_kernels() -> None:
    """Use everything once, on little data."""
    graph = tlogic.sample(days=60)
    rules = tlogic.learn(graph, walks=5)
    tlogic.learn(graph, walks=5, lengths=(1, 4), transition="unif")
    tlogic.learn(graph, walks=5, confidence="exact")
    tlogic.measure(graph, rules)
    tlogic.evaluate(graph, rules)
    tlogic.evaluate(graph, rules, max_groundings=2)
    evaluate_many(graph, rules, [tlogic.ApplicationSettings(alpha=share) for share in (0.0, 0.5, 1.0)])
    for knowledge in (rules, tlogic.fit(graph)):
        tlogic.evaluate(graph, knowledge)
        answers = tlogic.forecast(graph, knowledge, [("Kite Aviation", "sue", None)])
        answers.explain(0, answers[0][0].name)
    _ask_as_it_grows(graph, rules)


def _ask_as_it_grows(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> None:
    live = LiveGraph.of(graph)
    live.add(Facts(*np.array([[0], [0], [1], [100]])))
    forecaster = LiveRuleForecaster(live, rules)
    for at in (None, "2030-02-01"):
        answers = forecast_queries(forecaster, explain_by_rules, [tlogic.Query("Kite Aviation", "sue", at=at)])
        answers.explain(0, answers[0][0].name)
    forecaster.fallback.of(0, live.end)
    entity_history(live, 0)
    count_events(live)
    relation_rates(live, 0, live.end)


if __name__ == "__main__":
    compile_kernels()
