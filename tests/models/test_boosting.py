"""Tests of the trees that are grown on top of a scorecard."""

import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from tlogic.models.boosting import TreeGrower
from tlogic.models.softmax import Examples


@pytest.fixture
def without_collector() -> Iterator[None]:
    """Only what nothing refers to is freed, and at once."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
def test_examples_are_freed_before_trees_grow() -> None:
    n_queries, per_query = 200, 5
    bins = np.random.default_rng(0).integers(0, 8, (n_queries * per_query, 3), dtype=np.uint8)
    is_true = (bins[:, 0] > 5).astype(np.int8)
    examples = Examples(np.arange(n_queries + 1) * per_query, bins, is_true)
    grower = TreeGrower(examples, np.zeros(len(bins)), seed=0, threads=1)
    freed, rows = weakref.ref(bins), np.array([[7, 0, 0], [0, 7, 7]], np.uint8)
    del bins, examples
    assert freed() is None
    high, low = grower.grow().scores(rows)
    assert high > low
