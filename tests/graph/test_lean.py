"""How much memory a fact takes, and that no array grows with more than facts, entities and relations."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import synthetic

import tlogic
from tlogic.graph import arrays
from tlogic.graph.arrays import integer_dtype
from tlogic.graph.facts import Facts
from tlogic.graph.triples import build_triple_index
from tlogic.graph.views import build_views

PER_EDGE, PER_TRIPLE, PER_SLOT, PER_ENTITY = 2, 3, 2, 1
"""Numbers of four bytes each, to forecast."""
TO_LEARN_PER_EDGE, TO_LEARN_PER_PAIR, TO_LEARN_PER_TRAINED, TO_LEARN_PER_ENTITY = 6, 3, 2, 2
"""Numbers of four bytes each, to learn; a triple that occurs in training is a trained one."""


def test_bytes_of_the_index_are_as_promised() -> None:
    graph = tlogic.sample()
    index = graph.triples
    n_edges, n_triples, n_slots = 2 * len(graph), len(index.target), len(index.slot_relation)
    numbers = PER_EDGE * n_edges + PER_TRIPLE * n_triples + PER_SLOT * n_slots + PER_ENTITY * len(graph.entities)
    ends = 3
    assert sum(column.nbytes for column in index) - index.fact_time.nbytes == 4 * (numbers + ends)
    assert index.fact_time is graph.facts.time


def test_bytes_of_the_views_are_as_promised() -> None:
    graph = tlogic.sample()
    views, n_trained = graph.views, len(graph.train.triples.target)
    n_edges, n_pairs = 2 * len(graph), len(views.pairs.pair_target)
    numbers = TO_LEARN_PER_EDGE * n_edges + TO_LEARN_PER_PAIR * n_pairs + TO_LEARN_PER_TRAINED * n_trained
    numbers += TO_LEARN_PER_ENTITY * len(graph.entities)
    ends = 4
    assert sum(column.nbytes for view in views for column in view) == 4 * (numbers + ends)


def test_the_memory_of_making_a_compiled_graph_is_less_than_twice_its_size_and_a_constant(tmp_path: Path) -> None:
    """So it is for what a larger graph takes more than a smaller one."""
    (small_size, small_peak), (size, peak) = (index_world(tmp_path, n_facts) for n_facts in (500_000, 2_000_000))
    assert size - small_size > 100 << 20
    assert peak - small_peak < 2 * (size - small_size)


def index_world(folder: Path, n_facts: int) -> tuple[int, int]:
    """Write a world as text and compile it: the size of that, and the peak memory of the process, in bytes."""
    text, compiled = folder / f"{n_facts}.txt", folder / f"{n_facts}.graph"
    synthetic.write(synthetic.generate(n_facts), text)
    command = [sys.executable, "-m", "tlogic", "index", str(text), "--out", str(compiled), "--quiet"]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return compiled.stat().st_size, usage.ru_maxrss << 10


def test_numbers_are_as_wide_as_they_must_be() -> None:
    assert integer_dtype(2**31 - 1) is np.int32
    assert integer_dtype(2**31) is np.int64


def test_wide_numbers_give_the_same_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were more than two billion edges."""
    graph = tlogic.sample(days=60)
    narrow, _ = graph.triples, graph.views
    monkeypatch.setattr(arrays, "MAX_INT32", 10)
    wide = build_triple_index(graph.facts, len(graph.entities), len(graph.relations.base))
    assert wide.arrival.dtype == wide.time_start.dtype == wide.triple_start.dtype == np.int64
    for one, other in zip(narrow, wide, strict=True):
        assert np.array_equal(one, other)
    views = build_views(graph.facts, len(graph.entities), len(graph.relations.base), graph.valid_from)
    assert views.sources.edge.dtype == views.pairs.start.dtype == views.last.start.dtype == np.int64
    for view, same in zip(graph.views, views, strict=True):
        assert all(map(np.array_equal, view, same))


def test_more_entities_than_sixteen_bits_tell_apart() -> None:
    n = 70_000
    numbers = np.arange(n, dtype=np.int32)
    facts = Facts(numbers, np.zeros(n, np.int32), numbers[::-1].copy(), np.zeros(n, np.int32))
    index = build_triple_index(facts, n, 1)
    assert index.target[index.arrival[0::2]].tolist() == facts.object.tolist()
    assert index.target[index.arrival[1::2]].tolist() == facts.subject.tolist()
