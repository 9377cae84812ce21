"""Models: the same with any threads, kept in files, better than paper mode where it counts, sound on little data."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tlogic
from tests.datasets import dataset
from tlogic.evidence.extraction import COLUMNS
from tlogic.graph import TemporalGraph
from tlogic.models.scorecard import Examples, bins_of, cut_into_bins, learn_weights, scores_of


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample()


@pytest.fixture(scope="module")
def model(graph: TemporalGraph) -> tlogic.Model:
    return tlogic.fit(graph, threads=2)


def test_threads_do_not_matter(graph: TemporalGraph, model: tlogic.Model, tmp_path: Path) -> None:
    for name, threads in (("one", 1), ("two", 2)):
        tlogic.fit(graph, threads=threads).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    first, second = (tlogic.evaluate(graph, model, threads=threads) for threads in (1, 2))
    assert np.array_equal(first.ranks.higher, second.ranks.higher)


def test_a_model_is_kept_in_a_file(graph: TemporalGraph, model: tlogic.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "world.model")
    again = tlogic.Model.load(tmp_path / "world.model")
    assert again.settings == model.settings
    first, second = (tlogic.evaluate(graph, each) for each in (model, again))
    assert np.array_equal(first.ranks.realistic, second.ranks.realistic)


def test_it_beats_paper_mode_on_the_sample_world(graph: TemporalGraph, model: tlogic.Model) -> None:
    paper = tlogic.evaluate(graph, tlogic.learn(graph)).to_dict()["realistic"]["mrr"]
    assert tlogic.evaluate(graph, model).to_dict()["realistic"]["mrr"] > paper + 0.1


def test_it_beats_paper_mode_on_icews14() -> None:
    graph = tlogic.read(dataset("icews14"))
    figures = tlogic.evaluate(graph, tlogic.fit(graph)).to_dict()
    assert figures["queries"] == 26444
    assert figures["realistic"]["mrr"] > 0.455


def test_weights_from_training_alone_know_nothing_of_the_rest(graph: TemporalGraph, tmp_path: Path) -> None:
    strict, standard = tlogic.fit(graph, train_on="train"), tlogic.fit(graph)
    assert strict.data["until"] < standard.data["until"] < graph.timeline.label_of(graph.test_from)
    alone = tlogic.fit(graph.before(graph.valid_from), train_on="train")
    for name, each in (("a", strict), ("b", alone)):
        each.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_twenty_facts_are_enough_to_run() -> None:
    facts = pl.DataFrame(
        {
            "subject": ["Ann", "Bo"] * 10,
            "relation": ["calls"] * 20,
            "object": ["Bo", "Ann"] * 10,
            "time": list(range(20)),
        }
    )
    graph = tlogic.read(facts, valid_from=14, test_from=17)
    assert tlogic.evaluate(graph, tlogic.fit(graph)).to_dict()["realistic"]["mrr"] == 1.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no model file"),
        ("not json", "is not a model file"),
        ("{}", "is not a model file"),
        ('{"format": "tlogic model", "version": 1}', "damaged"),
        ('{"format": "tlogic model", "version": 1, "evidence": []}', "other evidence"),
    ],
)
def test_files_that_are_no_models(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "some.model"
    if content is not None:
        path.write_text(content)
    with pytest.raises(tlogic.InputError, match=message):
        tlogic.Model.load(path)


def test_settings_that_make_no_sense_are_refused(graph: TemporalGraph, model: tlogic.Model) -> None:
    with pytest.raises(tlogic.SettingsError, match="train_on"):
        tlogic.fit(graph, train_on="test")  # type: ignore[arg-type]
    with pytest.raises(tlogic.SettingsError, match="settings in itself"):
        tlogic.evaluate(graph, model, window=3)
    with pytest.raises(tlogic.InputError, match="no valid facts"):
        tlogic.evaluate(graph.train, model, split="valid")


def test_scores_are_sums_of_weights() -> None:
    evidence = np.array([[0.5, np.nan], [2.0, 1.0], [np.nan, 3.0]], np.float32)
    edge_start, edge = cut_into_bins(evidence)
    bins = bins_of(edge_start, edge, evidence)
    assert bins[0, 1] == bins[2, 0] == 0
    assert bins[1, 0] > bins[0, 0] > 0
    weight = np.random.default_rng(0).normal(size=(2, 25))
    by_hand = [sum(weight[column, bins[row, column]] for column in range(2)) for row in range(3)]
    assert scores_of(weight, bins) == pytest.approx(by_hand)


def test_weights_learn_what_tells_answers_from_others() -> None:
    random = np.random.default_rng(5)
    right = np.tile([1, 0, 0, 0], 500).astype(np.int8)
    told = np.where(right == 1, random.normal(1, 1, 2000), random.normal(-1, 1, 2000))
    evidence = np.stack([told, random.normal(size=2000)], axis=1).astype(np.float32)
    edge_start, edge = cut_into_bins(evidence)
    weight = learn_weights(Examples(np.arange(0, 2001, 4), bins_of(edge_start, edge, evidence), right), 5, seed=1)
    assert np.corrcoef(np.arange(1, 25), weight[0, 1:25])[0, 1] > 0.9
    assert np.ptp(weight[0, 1:]) > 3 * np.ptp(weight[1, 1:])


def test_every_kind_of_evidence_has_a_name_of_its_own() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)
