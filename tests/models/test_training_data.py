"""Training data: which queries the weights and the calibration are learned from."""

import numpy as np
import pytest
from benchmarks import worlds

from tlogic.evidence.answer_history import MEAN_ANSWERS
from tlogic.graph import TemporalGraph
from tlogic.models import sampling
from tlogic.models.settings import FitSettings
from tlogic.models.training_data import TrainingData, collect_training_data


@pytest.fixture(scope="module")
def regular() -> TemporalGraph:
    """Banks control the same two to five rates every week."""
    return worlds.regular()


@pytest.fixture(scope="module")
def data(regular: TemporalGraph) -> TrainingData:
    return collect_training_data(regular, FitSettings())


def test_all_queries_calibrate_if_there_are_few(data: TrainingData) -> None:
    assert len(data.counts.n_similar) < sampling._MIN_CALIBRATION_QUERIES
    assert (data.counts.n_similar == 1.0).all()
    assert len(data.to_calibrate.start) == len(data.counts.n_similar) + 1
    assert data.to_calibrate.is_true.sum() == data.counts.n_answers.sum()


def test_all_queries_with_many_answers_calibrate(
    regular: TemporalGraph, data: TrainingData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others stand for ten. The weights are learned from the same examples whatever calibrates."""
    monkeypatch.setattr(sampling, "_MIN_CALIBRATION_QUERIES", 0)
    fewer = collect_training_data(regular, FitSettings())
    many = fewer.counts.history[:, MEAN_ANSWERS] >= np.log(2.0)
    assert many.any()
    assert (fewer.counts.n_similar[many] == 1.0).all()
    assert set(fewer.counts.n_similar[~many]) == {0.0, 10.0}
    assert 0.05 < (fewer.counts.n_similar[~many] > 0).mean() < 0.15
    assert len(fewer.to_calibrate.start) == (fewer.counts.n_similar > 0).sum() + 1
    assert all(np.array_equal(one, other) for one, other in zip(data.examples, fewer.examples, strict=True))


@pytest.mark.parametrize(("graph", "warm_up"), [(worlds.regular(1), 0.5), (worlds.weekly(1, n_weeks=60), 0.75)])
def test_few_facts_make_up_for_it_with_examples_from_a_longer_time(graph: TemporalGraph, warm_up: float) -> None:
    """Examples are taken from the last quarter of the training time, or from half of it if that has few facts."""
    data = collect_training_data(graph, FitSettings(train_on="train", evidence=("pair",)))
    facts, half = graph.facts.between(int(warm_up * graph.valid_from), graph.valid_from), len(graph.relations.base)
    rows = zip(*(column.tolist() for column in facts), strict=True)
    queries = {query for s, r, o, t in rows for query in ((s, r, t), (o, r + half, t))}
    assert len(data.counts.n_answers) == len(queries)
