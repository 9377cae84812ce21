"""The occurrence model: its regression, its draws, its horizons and its file."""

import json
from typing import Any

import numpy as np
import pytest
from benchmarks import worlds

import tlogic
from tlogic.events.timeline import Timeline
from tlogic.evidence.memory import Memory
from tlogic.evidence.occurrence_evidence import KNOWN_PAIR, KNOWN_TRIPLE, NEW_PAIR, occurrence_evidence
from tlogic.graph import TemporalGraph
from tlogic.models import Model
from tlogic.models.occurrence.correction import Correction, learn_correction
from tlogic.models.occurrence.horizons import fitted_horizons, parse_horizon
from tlogic.models.occurrence.logistic import Cases, fit_logistic
from tlogic.models.occurrence.occurrence_model import OccurrenceModel
from tlogic.models.occurrence.triple_draws import FactKeys, TripleDraws
from tlogic.sealing import seal


def test_the_regression_finds_the_frequencies_of_weighted_cases() -> None:
    """With one column and many cases, the probability in each bin is the weighted frequency in it."""
    random = np.random.default_rng(5)
    bins = random.integers(1, 4, (600_000, 1)).astype(np.uint8)
    happened = (random.random(len(bins)) < np.array([0.0, 0.1, 0.4, 0.8])[bins[:, 0]]).astype(np.float64)
    weight = np.where(bins[:, 0] == 1, 1.0, 3.0)
    fitted = fit_logistic(Cases(bins, happened, weight), np.array([4]))
    found = 1 / (1 + np.exp(-fitted.log_odds(np.array([[1], [2], [3]], np.uint8))))
    assert found == pytest.approx([0.1, 0.4, 0.8], abs=0.02)
    mean = (fitted.weight[0, bins[:, 0]] * weight).sum() / weight.sum()
    assert mean == pytest.approx(0.0, abs=1e-6)  # weights are relative to the average case


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_the_regression_survives_cases_that_all_end_alike(rate: float) -> None:
    cases = Cases(np.ones((5, 1), np.uint8), np.full(5, rate), np.ones(5))
    fitted = fit_logistic(cases, np.array([3]))
    found = 1 / (1 + np.exp(-fitted.log_odds(cases.bins)))
    assert found == pytest.approx(0.5 + (rate - 0.5) * 5 / 6)  # five cases do not prove that it is always so


@pytest.mark.parametrize("novelty", [KNOWN_TRIPLE, KNOWN_PAIR, NEW_PAIR])
def test_drawn_triples_stand_for_all_triples_of_their_novelty(novelty: int) -> None:
    """The weights, one over the probability to be drawn, add up to the number of triples."""
    graph, now = tlogic.sample(days=60), 40
    memory = Memory(tlogic.fit(tlogic.sample(days=60), evidence=["popularity"]).memory_settings)
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.add(graph.facts.between(0, now))
    n, since = np.searchsorted(graph.facts.time, [now, now - 10]).tolist()
    draws = TripleDraws(FactKeys(graph), memory, n, since, np.random.default_rng(1))
    triples = draws.draw(novelty, 200_000)
    evidence = occurrence_evidence(memory, now, None, triples)
    probability = draws.probabilities(novelty, triples, evidence)
    own = (evidence.novelty == novelty) & ~np.isnan(probability)
    assert (1 / probability[own]).sum() / 200_000 == pytest.approx(_n_of_novelty(graph, now, novelty), rel=0.03)


def _n_of_novelty(graph: TemporalGraph, now: int, novelty: int) -> int:
    facts = graph.facts.between(0, now)
    n, half = len(graph.entities), len(graph.relations.base)
    triples = set(zip(facts.subject.tolist(), facts.relation.tolist(), facts.object.tolist(), strict=True))
    pairs = {frozenset((s, o)) for s, _, o in triples}
    n_of_pairs = sum(2 * half if len(pair) > 1 else 0 for pair in pairs)
    n_known_of_pairs = sum(s != o for s, _, o in triples)
    with_loops = sum(half for pair in pairs if len(pair) == 1)
    return {
        KNOWN_TRIPLE: len(triples),
        KNOWN_PAIR: n_of_pairs - n_known_of_pairs,
        NEW_PAIR: n * n * half - n_of_pairs - with_loops,
    }[novelty]


def test_horizons_follow_the_length_of_a_time_step() -> None:
    assert fitted_horizons(Timeline("hour", 6, "2014-08-09")) == (1, 28, 120)
    assert fitted_horizons(Timeline("year", 1, "2014")) == (1,)
    assert fitted_horizons(Timeline("integer", 24, "0")) == (1, 7, 30)
    assert parse_horizon(Timeline("week", 1, "2014-08-04"), "14d") == 2


@pytest.mark.parametrize(
    ("timeline", "horizon"),
    [
        (Timeline("day", 1, "2014-08-09"), "6h"),
        (Timeline("day", 2, "2014-08-09"), "3d"),
        (Timeline("integer", 1, "0"), "7d"),
        (Timeline("day", 1, "2014-08-09"), "soon"),
        (Timeline("day", 1, "2014-08-09"), "0"),
    ],
)
def test_other_horizons_are_refused(timeline: Timeline, horizon: str) -> None:
    with pytest.raises(tlogic.InputError):
        parse_horizon(timeline, horizon)


@pytest.fixture(scope="module")
def occurrence(scorecard: Model) -> OccurrenceModel:
    assert scorecard.occurrence is not None
    return scorecard.occurrence


def test_longer_periods_are_never_less_probable(occurrence: OccurrenceModel) -> None:
    at_horizons = np.array([[0.1, 0.3, 0.3], [0.0, 0.5, 0.9]])
    assert occurrence.horizons == (1, 7, 30)
    found = np.array([occurrence.within(at_horizons, steps) for steps in range(1, 50)])
    assert (np.diff(found, axis=0) >= 0).all()
    assert found[[0, 6, 29]] == pytest.approx(at_horizons.T)


def test_a_model_file_keeps_the_occurrence_model(scorecard: Model) -> None:
    again = Model.from_json(scorecard.to_json())
    assert again.to_json() == scorecard.to_json()
    assert again.occurrence is not None


def test_a_file_without_an_occurrence_model_still_forecasts(scorecard: Model, world: TemporalGraph) -> None:
    content: dict[str, Any] = json.loads(scorecard.to_json())
    del content["occurrence"]
    old = Model.from_json(seal(json.dumps(content)))
    assert len(tlogic.forecast(world, old, [(world.entities.names[0], world.relations.base[0])])) == 1
    with pytest.raises(tlogic.InputError, match="fit it again"):
        tlogic.outlook(world, old)


def test_a_damaged_occurrence_model_is_refused(scorecard: Model) -> None:
    content = json.loads(scorecard.to_json())
    content["occurrence"]["new pair"]["evidence"][0]["name"] = "other"
    with pytest.raises(tlogic.InputError, match="damaged model file"):
        Model.from_json(seal(json.dumps(content)))


def test_a_correction_undoes_what_is_wrong_with_log_odds() -> None:
    """Large log-odds are twice too far from -3; small ones are right."""
    random = np.random.default_rng(8)
    given = random.normal(-3, 2, 200_000)
    right = np.where(given > -3, -3 + (given + 3) / 2, given)
    happened = (random.random(len(given)) < 1 / (1 + np.exp(-right))).astype(np.float64)
    correction = learn_correction(given, happened, np.ones(len(given)))
    points = np.array([-6.0, -3.0, -1.0, 2.0])
    assert correction.of(points) == pytest.approx([-6.0, -3.0, -2.0, -0.5], abs=0.4)
    assert (np.diff(correction.of(np.linspace(-30, 30, 500))) > 0).all()


def test_a_correction_needs_events() -> None:
    given = np.linspace(-4, 2, 50)
    assert learn_correction(given, np.ones(50), np.ones(50)).of(given) == pytest.approx(given)
    assert Correction().of(given) == pytest.approx(given)


def test_contributions_sum_to_the_log_odds(occurrence: OccurrenceModel) -> None:
    """The correction changes them in proportion."""
    for table in occurrence.tables:
        for logistic in table.by_horizon:
            corrected = logistic._replace(correction=Correction(np.array([-5.0]), 0.3, np.array([1.0, 0.5])))
            bins = np.minimum(3, table.bins.sizes - 1).astype(np.uint8)
            base, own = corrected.contributions(bins)
            assert base + own.sum() == pytest.approx(corrected.log_odds(bins[None, :])[0])


def test_what_happens_every_week_is_expected_within_four() -> None:
    graph = worlds.regular()
    likely = tlogic.outlook(graph, tlogic.fit(graph, evidence=["recurrence"]), horizon=4, relation="control", top=10)
    assert [event for event in likely if event.probability < 0.97] == []
