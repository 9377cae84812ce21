"""The paper's figures on ICEWS14, whatever the number of threads."""

import numpy as np
import pytest

import tlogic
from tests.datasets import Datasets
from tlogic.forecasting.settings import LARGE_GRAPH_MAX_GROUNDINGS, UNLIMITED_GROUNDINGS, ApplicationSettings
from tlogic.graph import TemporalGraph

PUBLISHED = {"mrr": 0.4304, "hits@1": 0.3356, "hits@3": 0.4827, "hits@10": 0.6123}
TOLERANCE = {"mrr": 0.004, "hits@1": 0.006, "hits@3": 0.006, "hits@10": 0.006}
# What the authors' code learns with 200 walks, exponential weights and seed 12.
PUBLISHED_RULES = {1: 7795, 2: 7452, 3: 11576}


@pytest.fixture(scope="module")
def icews14(dataset: Datasets) -> TemporalGraph:
    return tlogic.read(dataset("icews14"))


@pytest.fixture(scope="module")
def rules(icews14: TemporalGraph) -> tlogic.RuleSet:
    return tlogic.learn(icews14, threads=2)


@pytest.fixture(scope="module")
def evaluation(icews14: TemporalGraph, rules: tlogic.RuleSet) -> tlogic.Evaluation:
    return tlogic.evaluate(icews14, rules, threads=2)


def test_as_many_rules_as_the_authors_code_finds(rules: tlogic.RuleSet) -> None:
    assert rules.by_length() == pytest.approx(PUBLISHED_RULES, rel=0.03)


def test_the_published_figures_come_out(
    icews14: TemporalGraph, rules: tlogic.RuleSet, evaluation: tlogic.Evaluation
) -> None:
    figures = evaluation.to_dict()
    assert figures["queries"] == 26444
    for name, value in PUBLISHED.items():
        assert figures["optimistic"][name] == pytest.approx(value, abs=TOLERANCE[name])
    alone = tlogic.evaluate(icews14, rules, threads=1)
    assert np.array_equal(alone.ranks.higher, evaluation.ranks.higher)
    assert np.array_equal(alone.ranks.same, evaluation.ranks.same)


def test_one_thread_learns_the_same_rules(icews14: TemporalGraph, rules: tlogic.RuleSet) -> None:
    assert tlogic.learn(icews14, threads=1) == rules


def test_what_bounds_queries_in_huge_graphs_would_change_little(
    icews14: TemporalGraph, rules: tlogic.RuleSet, evaluation: tlogic.Evaluation
) -> None:
    assert ApplicationSettings().limit_for(len(icews14)) == UNLIMITED_GROUNDINGS
    full = evaluation.to_dict()["realistic"]["mrr"]
    limited = tlogic.evaluate(icews14, rules, max_groundings=LARGE_GRAPH_MAX_GROUNDINGS).to_dict()["realistic"]["mrr"]
    assert limited == pytest.approx(full, abs=0.002)
