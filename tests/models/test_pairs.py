"""Pair tables: found where two kinds of evidence say more together, and part of a readable sum."""

import json

import numpy as np
import pytest

import tlogic
from tests.models.conftest import asked_of_test
from tlogic.graph import TemporalGraph
from tlogic.models import Model
from tlogic.models.model_forecaster import ModelForecaster
from tlogic.models.pair_learning import learn_pairs
from tlogic.models.pair_tables import N_GROUPS, PairTables
from tlogic.models.softmax import Examples
from tlogic.sealing import seal

N_QUERIES, N_CANDIDATES = 3000, 8


def examples_with_a_pair(seed: int) -> Examples:
    """The answer is likely to be where columns 0 and 3 are both low or both high; alone, neither says anything."""
    random = np.random.default_rng(seed)
    bins = random.integers(1, 9, (N_QUERIES * N_CANDIDATES, 5)).astype(np.uint8)
    same = (bins[:, 0] > 4) == (bins[:, 3] > 4)
    wins = (2.0 * same + random.gumbel(size=len(same))).reshape(N_QUERIES, N_CANDIDATES).argmax(axis=1)
    is_true = np.zeros((N_QUERIES, N_CANDIDATES), np.int8)
    is_true[np.arange(N_QUERIES), wins] = 1
    return Examples(np.arange(0, len(bins) + 1, N_CANDIDATES), bins, is_true.ravel())


def learned(threads: int = 1) -> tuple[Examples, PairTables]:
    examples = examples_with_a_pair(7)
    scores, sizes = np.zeros(len(examples.bins)), np.full(5, 9)
    return examples, learn_pairs(examples, scores, sizes, np.arange(5), threads)


def test_the_pair_that_says_more_together_is_found() -> None:
    examples, pairs = learned()
    assert pairs.column.tolist() == [[0, 3]]
    weight = pairs.weight[0, 1:, 1:]
    low, high = slice(0, 3), slice(4, N_GROUPS - 1)
    assert weight[low, low].mean() - weight[low, high].mean() > 0.3  # 2, but penalties are large for few queries
    assert weight[high, high].mean() > weight[high, low].mean()
    assert pairs.contributions(examples.bins).mean() == pytest.approx(0.0, abs=1e-9)  # relative to the average


def test_no_pair_is_found_where_there_is_none_or_within_a_family() -> None:
    examples = examples_with_a_pair(7)
    scores = np.zeros(len(examples.bins))
    assert len(learn_pairs(examples, scores, np.full(5, 9), np.zeros(5, np.int64)).column) == 0
    at_random = examples._replace(is_true=np.tile(np.eye(1, N_CANDIDATES, dtype=np.int8)[0], N_QUERIES))
    assert len(learn_pairs(at_random, scores, np.full(5, 9), np.arange(5)).column) == 0


def test_pairs_do_not_depend_on_threads() -> None:
    assert [each.tobytes() for each in learned(1)[1]] == [each.tobytes() for each in learned(2)[1]]


def test_the_score_of_pairs_is_the_sum_of_their_contributions() -> None:
    examples, pairs = learned()
    assert pairs.scores(examples.bins) == pytest.approx(pairs.contributions(examples.bins).sum(axis=1))
    assert PairTables().scores(examples.bins).tolist() == [0.0] * len(examples.bins)


@pytest.fixture(scope="module")
def paired(scorecard: Model) -> Model:
    """A model with two tables, whatever was learned."""
    weight = np.random.default_rng(1).normal(size=(2, N_GROUPS, N_GROUPS))
    content = json.loads(scorecard.to_json())
    kinds = [{"family": each["family"], "name": each["name"]} for each in content["evidence"]]
    content["pairs"] = [
        {"of": [kinds[0], kinds[-1]], "weights": weight[0].tolist()},
        {"of": [kinds[5], kinds[30]], "weights": weight[1].tolist()},
    ]
    return Model.from_json(seal(json.dumps(content)))


def test_a_model_file_keeps_the_pairs(paired: Model) -> None:
    again = Model.from_json(paired.to_json())
    assert again.to_json() == paired.to_json()
    assert len(again.pairs.column) == 2


def test_a_score_with_pairs_is_the_sum_of_its_explanation(paired: Model, world: TemporalGraph) -> None:
    [query, *_], _ = asked_of_test(world, 1)
    forecast = tlogic.forecast(world, paired, [query])
    why = forecast.explain(0, forecast[0][0].name)
    assert sum(each.weight for each in why.contributions) == pytest.approx(why.score)
    [combined] = [each for each in why.contributions if each.family == "combinations"]
    assert "together" in combined.sentence
    assert sum(weight for _, weight in combined.columns.values()) == pytest.approx(combined.weight)


def test_a_family_left_out_leaves_its_pairs_out(paired: Model, world: TemporalGraph) -> None:
    family = paired.columns[-1][0]
    fewer = ModelForecaster(world, paired).without([family]).model
    assert len(fewer.pairs.column) == 1
    assert len(paired.pairs.column) == 2


def test_a_damaged_pair_is_refused(paired: Model) -> None:
    content = json.loads(paired.to_json())
    content["pairs"][0]["weights"][0][0] = None
    with pytest.raises(tlogic.InputError, match=r"pairs\[0\].weights\[0\]\[0\] is null"):
        Model.from_json(seal(json.dumps(content)))
    content["pairs"][0]["weights"] = [[1.0]]
    with pytest.raises(tlogic.InputError, match="damaged"):
        Model.from_json(seal(json.dumps(content)))
