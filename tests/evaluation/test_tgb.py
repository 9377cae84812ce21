"""The protocol of TGB 2.0, compared with the evaluator and the negative samplers of its package py-tgb."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tlogic
from tests.tgb_data import DAILY, YEARLY, write_dataset
from tlogic.errors import InputError, SettingsError
from tlogic.evaluation.tgb_protocol import split_as_tgb
from tlogic.graph import TemporalGraph

N_NEGATIVES = 20


Load = Callable[[str], Any]


@pytest.fixture
def load(py_tgb: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Returns a function that generates a dataset with negatives, and opens it with py-tgb; its arrays are shuffled."""
    monkeypatch.setattr("tqdm.tqdm", lambda rows, **_: rows)

    def generate(name: str) -> Any:
        write_dataset(tmp_path / name.replace("-", "_"), name)
        root = os.path.relpath(tmp_path, py_tgb.PROJ_DIR)  # py-tgb prepends its own folder
        dataset = py_tgb.LinkPropPredDataset(name, root=root, download=False)
        _write_negatives(dataset, monkeypatch)
        dataset.load_val_ns()
        dataset.load_test_ns()
        return _shuffled(dataset)

    return generate


class Tensor(np.ndarray):
    """An array with the methods of a tensor that py-tgb calls."""

    def cpu(self) -> "Tensor":
        return self

    def numpy(self) -> np.ndarray:
        return np.asarray(self)


class Edges:
    """Edges as tensors, with the names that py-tgb uses."""

    def __init__(self, dataset: Any, mask: np.ndarray) -> None:
        names = {"src": "sources", "dst": "destinations", "t": "timestamps", "edge_type": "edge_type"}
        for own, name in names.items():
            setattr(self, own, dataset.full_data[name][mask].view(Tensor))


def _write_negatives(dataset: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the negatives of both splits with the generator of py-tgb, which names a type of PyG, but uses none."""
    geometric = ModuleType("torch_geometric.data")
    geometric.TemporalData = Edges  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch_geometric", ModuleType("torch_geometric"))
    monkeypatch.setitem(sys.modules, "torch_geometric.data", geometric)
    from tgb.linkproppred.tkg_negative_generator import TKGNegativeEdgeGenerator

    edges = Edges(dataset, np.ones(dataset.num_edges, bool))
    generator = TKGNegativeEdgeGenerator(
        dataset.name,
        dataset.min_dst_idx,
        dataset.max_dst_idx,
        dataset.negative_sampler.strategy,
        N_NEGATIVES,
        partial_path=dataset.root,
        edge_data=edges,
    )
    for split, mask in (("val", dataset.val_mask), ("test", dataset.test_mask)):
        generator.generate_negative_samples(Edges(dataset, mask), split, dataset.root)


def _shuffled(dataset: Any) -> Any:
    order = np.random.default_rng(2).permutation(dataset.num_edges)
    for name in ("sources", "destinations", "timestamps", "edge_type"):
        dataset.full_data[name] = dataset.full_data[name][order]
    for name in ("_train_mask", "_val_mask", "_test_mask"):
        setattr(dataset, name, getattr(dataset, name)[order])
    return dataset


def metrics_of_tgb(dataset: Any, graph: TemporalGraph, forecaster: Any, split: str) -> dict[str, float]:
    """The metrics that the evaluator of py-tgb gives to our scores of every edge and inverse edge of a split."""
    from tgb.linkproppred.evaluate import Evaluator

    name_of = {number: name for name, number in (dataset._node_id or {}).items()}
    relation_of = {number: name for name, number in (dataset._edge_type_ids or {}).items()}
    half = dataset.num_rels // 2
    mask = dataset.test_mask if split == "test" else dataset.val_mask
    edges = [dataset.full_data[name][mask] for name in ("sources", "destinations", "timestamps", "edge_type")]
    step_of = dict(zip(np.unique(dataset.full_data["timestamps"]).tolist(), range(graph.end), strict=True))
    queries, rows = [], list(zip(*(column.tolist() for column in edges), strict=True))
    for source, _, time, kind in rows:
        relation, known = relation_of.get(kind % half, str(kind % half)), name_of.get(source, str(source))
        at = graph.timeline.label_of(step_of[time])
        queries.append((known, relation, None, at) if kind < half else (None, relation, known, at))
    answers = tlogic.forecast(graph, forecaster, queries, top=None)
    negatives = dataset.negative_sampler.query_batch(*edges, split_mode="test" if split == "test" else "val")
    evaluator, found = Evaluator(dataset.name), []
    for candidates, (_, answer, _, _), others in zip(answers, rows, negatives, strict=True):
        score = {candidate.name: candidate.score for candidate in candidates}
        scores = [score.get(name_of.get(entity, str(entity)), -np.inf) for entity in [answer, *others.tolist()]]
        scored = {"y_pred_pos": np.array(scores[:1]), "y_pred_neg": np.array([scores[1:]]), "eval_metric": ["mrr"]}
        found.append(evaluator.eval(scored))
    return {name: float(np.mean([each[name] for each in found])) for name in ("mrr", "hits@10")}


@pytest.mark.parametrize("name", [*YEARLY, *DAILY])
def test_rules_score_as_py_tgb_evaluates_them(load: Load, name: str) -> None:
    dataset = load(name)
    graph = tlogic.read(dataset)
    rules = tlogic.learn(graph, lengths=(1,), walks=20)
    for split in ("valid", "test"):
        evaluation = tlogic.evaluate(graph, rules, split=split, protocol="tgb")
        theirs = metrics_of_tgb(dataset, graph, rules, split)
        assert evaluation.mrr == pytest.approx(theirs["mrr"], abs=1e-6)
        assert evaluation.hits(10) == pytest.approx(theirs["hits@10"], abs=1e-6)
        assert evaluation.mrr != tlogic.evaluate(graph, rules, split=split).mrr  # some answers are not candidates
        mask = dataset.val_mask if split == "valid" else dataset.test_mask
        assert len(evaluation.fell_back) == mask.sum()
    assert 2 * len(graph.train) == dataset.train_mask.sum()


def test_models_score_as_py_tgb_evaluates_them(load: Load) -> None:
    dataset = load("tkgl-smallpedia")
    graph = tlogic.read(dataset)
    model = tlogic.fit(graph, train_on="train", evidence=["recurrence", "popularity"])
    evaluation = tlogic.evaluate(graph, model, protocol="tgb")
    assert evaluation.mrr == pytest.approx(metrics_of_tgb(dataset, graph, model, "test")["mrr"], abs=1e-6)


def test_the_folder_and_the_dataset_of_py_tgb_give_the_same_graph(load: Load) -> None:
    for name in YEARLY:
        dataset = load(name)
        from_folder, from_dataset = tlogic.read(dataset.root), tlogic.read(dataset)
        assert from_folder.fingerprint == from_dataset.fingerprint
        assert (from_folder.valid_from, from_folder.test_from) == (from_dataset.valid_from, from_dataset.test_from)
    daily = load("tkgl-icews")
    assert tlogic.read(daily.root).timeline == tlogic.read(daily).timeline


def test_what_the_protocol_forbids_is_refused(load: Load) -> None:
    graph = tlogic.read(load("tkgl-smallpedia"))
    rules = tlogic.learn(graph, lengths=(1,), walks=5)
    with pytest.raises(SettingsError, match="single-step with the time-aware filter"):
        tlogic.evaluate(graph, rules, protocol="tgb", filter="raw")
    with pytest.raises(SettingsError, match="protocol must be one of paper, tgb"):
        tlogic.evaluate(graph, rules, protocol="ogb")  # type: ignore[arg-type]
    late = tlogic.fit(graph, evidence=["popularity"])
    with pytest.raises(SettingsError, match=r"learned from facts up to .* --train-on train"):
        tlogic.evaluate(graph, late, protocol="tgb")


def test_other_data_is_split_at_the_quantiles_of_tgb() -> None:
    graph = tlogic.sample(days=60)
    split = split_as_tgb(graph)
    rules = tlogic.learn(split, lengths=(1,), walks=5)
    assert len(tlogic.evaluate(graph, rules, protocol="tgb").fell_back) == 2 * len(split.split("test").time)
    with pytest.raises(SettingsError, match=f"--valid-from {split.timeline.label_of(split.valid_from)}"):
        tlogic.evaluate(graph, tlogic.learn(graph, lengths=(1,), walks=5), protocol="tgb")


def test_missing_and_foreign_negatives_raise(load: Load) -> None:
    dataset = load("tkgl-wikidata")
    graph = tlogic.read(dataset.root)
    rules = tlogic.learn(graph, lengths=(1,), walks=5)
    negatives = Path(dataset.root, "tkgl-wikidata_test_ns.pkl")
    negatives.write_bytes(Path(dataset.root, "tkgl-wikidata_val_ns.pkl").read_bytes())
    with pytest.raises(InputError, match=r"has no negatives for .* does not belong to this data"):
        tlogic.evaluate(graph, rules, protocol="tgb")
    negatives.unlink()
    with pytest.raises(InputError, match=r"test_ns\.pkl is missing.*tlogic download tkgl-wikidata"):
        tlogic.evaluate(graph, rules, protocol="tgb")
