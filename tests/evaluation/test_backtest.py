"""The backtest's figures equal those that a slow reference computes from the outlooks of each day."""

import numpy as np
import pytest

import tlogic
from tlogic.evaluation.backtest import _Sums
from tlogic.evaluation.score_histogram import ScoreHistogram
from tlogic.evidence.groups import N_HALF_LIVES
from tlogic.graph import TemporalGraph
from tlogic.models import Model


def _average_precision(score: np.ndarray, happened: np.ndarray) -> float:
    """The mean, over events, of the precision among all cases that score as high."""
    return float(np.mean([happened[score >= one].mean() for one in score[happened]]))


def test_a_histogram_gives_the_figures_of_its_cases() -> None:
    random = np.random.default_rng(2)
    score = random.normal(-2, 2, 20_000)
    probability = 1 / (1 + np.exp(-score))
    happened = random.random(len(score)) < probability / 2
    histogram = ScoreHistogram(-12, 8)
    for part in np.array_split(np.arange(len(score)), 3):
        histogram.add(score[part], probability[part], happened[part])
    precision = histogram.average_precision()
    assert precision is not None
    assert precision == pytest.approx(_average_precision(score, happened), rel=0.01)
    assert histogram.average_precision(happened.sum()) == pytest.approx(precision / 2)
    assert histogram.brier == pytest.approx(((probability - happened) ** 2).mean())
    assert histogram.base_rate == pytest.approx(happened.mean())
    assert histogram.groups(10)[:, 2] == pytest.approx(happened.sum() / 10, rel=0.05)
    groups = np.array_split(np.argsort(score), 2000)
    error = sum(abs(probability[g].mean() - happened[g].mean()) * happened[g].sum() for g in groups) / happened.sum()
    assert histogram.calibration_error() == pytest.approx(error, abs=0.05)


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample(days=150)


@pytest.fixture(scope="module")
def model(graph: TemporalGraph) -> Model:
    return tlogic.fit(graph, evidence=["recurrence", "rules"])


def test_figures_equal_those_of_the_outlooks(graph: TemporalGraph, model: Model) -> None:
    measured = tlogic.backtest(graph, model, every=4)
    score, happened = [], []
    for step in range(graph.test_from, graph.end, 4):
        known = tlogic.outlook(graph, model, at=graph.timeline.label_of(step), top=10**6).frame
        known = known.filter(novelty="known triple")
        for subject, relation, object_, probability, *_ in known.rows():
            ids = graph.entities.id_of(subject), graph.relations.id_of(relation)
            score.append(probability)
            happened.append(graph.entities.id_of(object_) in graph.answers_at(*ids, step))
    figures = measured.frame.filter(horizon=1, kind="recurring").row(0, named=True)
    assert figures["triples"] == len(score)
    assert figures["events"] == sum(happened)
    expected = _average_precision(np.array(score), np.array(happened))
    assert figures["average_precision"] == pytest.approx(expected, rel=0.02)
    brier = ((np.array(score) - happened) ** 2).mean()
    assert figures["brier_skill"] == pytest.approx(1 - brier / np.var(happened))


def test_events_that_never_happen_have_no_figures_that_need_events() -> None:
    sums = _Sums(horizon=1, kind="recurring")
    sums.add(np.full(3, 0.25), np.ones((3, N_HALF_LIVES)), np.zeros(3, bool), n_events=0)
    figures = sums.figures()
    without_value = {name for name, value in figures.items() if value is None}
    of_ranking, of_probabilities = {"average_precision", "best_count"}, {"brier_skill", "calibration_error"}
    assert without_value == of_ranking | of_probabilities | {"brier_skill_over_counts"}
    assert figures["precision_at_100"] == 0.0


def test_events_that_are_never_judged_are_never_found() -> None:
    sums = _Sums(horizon=1, kind="new")
    sums.add(np.full(3, 0.25), np.ones((3, N_HALF_LIVES)), np.zeros(3, bool), n_events=2)
    assert (sums.figures()["average_precision"], sums.figures()["calibration_error"]) == (0.0, None)


def test_periods_that_end_after_the_facts_are_left_out(graph: TemporalGraph, model: Model) -> None:
    measured = tlogic.backtest(graph, model)
    n_days = graph.end - graph.test_from
    assert measured.n_steps == n_days
    assert n_days < 30
    assert set(measured.frame["horizon"]) == {1, 7}
    assert measured.misses.since == graph.timeline.label_of(graph.test_from)


def test_a_period_since_a_date_is_measured_as_the_split_that_begins_then(graph: TemporalGraph, model: Model) -> None:
    of_split = tlogic.backtest(graph, model, every=4)
    since = tlogic.backtest(graph, model, since=of_split.since, every=4)
    assert (of_split.split, since.split) == ("test", None)
    assert {**since.to_dict(), "split": "test"} == of_split.to_dict()


@pytest.mark.parametrize("since", ["2030-01-01", "2031-01-01", "1999-01-01"])
def test_periods_without_a_past_or_without_facts_are_refused(graph: TemporalGraph, model: Model, since: str) -> None:
    with pytest.raises(tlogic.InputError, match="facts before and in the period"):
        tlogic.backtest(graph, model, since=since)


def test_a_model_of_facts_of_the_period_is_reported(graph: TemporalGraph, model: Model) -> None:
    known = graph.timeline.label_of(graph.test_from - 1)
    with pytest.warns(tlogic.ForecastWarning, match="include facts of the period; the figures are too good"):
        tlogic.backtest(graph, model, since=known, every=20)


def test_bad_requests_are_explained(graph: TemporalGraph, model: Model) -> None:
    with pytest.raises(tlogic.SettingsError):
        tlogic.backtest(graph, model, every=0)
    with pytest.raises(tlogic.InputError, match="Unknown split"):
        tlogic.backtest(graph, model, split="future")
