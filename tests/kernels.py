"""Compile the kernels and store them for all later processes: `python -m tests.kernels [rules] [models]`.

Tests that run side by side would otherwise each compile what they need, and write to the same files while they do.
"""

import sys

import numpy as np

import tlogic
from tlogic.evaluation import evaluate_many
from tlogic.evidence.live_evidence import LiveQueryEvidence
from tlogic.explaining import explain_by_model, explain_by_rules
from tlogic.forecasting.forecast import forecast_queries
from tlogic.forecasting.live_forecaster import LiveRuleForecaster
from tlogic.graph import Facts
from tlogic.graph.live_graph import LiveGraph
from tlogic.models.model_forecaster import ModelForecaster
from tlogic.serving.engine.entity_history import count_events, entity_history, relation_rates

QUERY = ("Kite Aviation", "sue")


def use_rules() -> None:
    """Learn, measure, apply and explain rules on a small graph, which does not change or grows."""
    graph = tlogic.sample(days=60)
    rules = tlogic.learn(graph, walks=5)
    tlogic.learn(graph, walks=5, lengths=(1, 4), transition="unif")
    tlogic.learn(graph, walks=5, confidence="exact")
    tlogic.measure(graph, rules)
    tlogic.evaluate(graph, rules)
    tlogic.evaluate(graph, rules, max_groundings=2)
    evaluate_many(graph, rules, [tlogic.ApplicationSettings(alpha=share) for share in (0.0, 0.5, 1.0)])
    _explain(tlogic.forecast(graph, rules, [QUERY]))
    _use_live_graph(graph, rules)


def use_models() -> None:
    """Fit, apply and explain a model with all families of evidence on a small graph."""
    graph = tlogic.sample(days=60)
    model = tlogic.fit(graph, names=True)
    tlogic.evaluate(graph, model)
    _explain(tlogic.forecast(graph, model, [QUERY]))
    tlogic.outlook(graph, model, top=1).explain(0)
    live = LiveGraph.of(graph)
    forecaster = ModelForecaster(live, model, LiveQueryEvidence(live, model.memory_settings))
    for end in (live.end, live.end + 1):
        live.add(Facts(*np.array([[0], [0], [1], [end]])))
        _explain(forecast_queries(forecaster, explain_by_model, [tlogic.Query(*QUERY)]))


def _use_live_graph(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> None:
    live = LiveGraph.of(graph)
    live.add(Facts(*np.array([[0], [0], [1], [100]])))
    forecaster = LiveRuleForecaster(live, rules)
    for at in (None, "2030-02-01"):
        _explain(forecast_queries(forecaster, explain_by_rules, [tlogic.Query(*QUERY, at=at)]))
    forecaster.fallback.of(0, live.end)
    entity_history(live, 0)
    count_events(live)
    relation_rates(live, 0, live.end)


def _explain(forecast: tlogic.Forecast[tlogic.Explanation]) -> None:
    forecast.explain(0, forecast[0][0].name)


PARTS = {"rules": use_rules, "models": use_models}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
