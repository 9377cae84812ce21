"""How much memory a fact takes, and that no array grows with more than facts, entities and relations."""

import numpy as np
import pytest

import tlogic
from tlogic.graph import arrays
from tlogic.graph.arrays import width_for
from tlogic.graph.facts import Facts
from tlogic.graph.triples import build_triple_index

PER_EDGE, PER_TRIPLE, PER_SLOT, PER_ENTITY = 2, 3, 2, 1
"""Numbers of four bytes each."""


def test_bytes_of_the_index_are_as_promised() -> None:
    graph = tlogic.sample()
    index = graph.triples
    n_edges, n_triples, n_slots = 2 * len(graph), len(index.target), len(index.slot_relation)
    numbers = PER_EDGE * n_edges + PER_TRIPLE * n_triples + PER_SLOT * n_slots + PER_ENTITY * len(graph.entities)
    ends = 3
    assert sum(column.nbytes for column in index) - index.fact_time.nbytes == 4 * (numbers + ends)
    assert index.fact_time is graph.facts.time


def test_numbers_are_as_wide_as_they_must_be() -> None:
    assert width_for(2**31 - 1) is np.int32
    assert width_for(2**31) is np.int64


def test_wide_numbers_give_the_same_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were more than two billion edges."""
    graph = tlogic.sample(days=60)
    narrow = graph.triples
    monkeypatch.setattr(arrays, "MOST_IN_32_BITS", 10)
    wide = build_triple_index(graph.facts, len(graph.entities), len(graph.relations.base))
    assert wide.arrival.dtype == wide.time_start.dtype == wide.triple_start.dtype == np.int64
    for one, other in zip(narrow, wide, strict=True):
        assert np.array_equal(one, other)


def test_more_entities_than_sixteen_bits_tell_apart() -> None:
    n = 70_000
    numbers = np.arange(n, dtype=np.int32)
    facts = Facts(numbers, np.zeros(n, np.int32), numbers[::-1].copy(), np.zeros(n, np.int32))
    index = build_triple_index(facts, n, 1)
    assert index.target[index.arrival[0::2]].tolist() == facts.object.tolist()
    assert index.target[index.arrival[1::2]].tolist() == facts.subject.tolist()
