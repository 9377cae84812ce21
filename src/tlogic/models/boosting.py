"""Gradient-boosted trees on top of a scorecard, for interactions between kinds of evidence. Needs LightGBM."""

import re
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from tlogic.errors import SettingsError
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.softmax import Examples
from tlogic.parallel import thread_count

_MIN_TREES, _MAX_TREES = 200, 600
_ROWS_PER_TREE = 10_000  # between these numbers: with few rows, more trees overfit
_PARAMETERS = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 20,
    "learning_rate": 0.05,
    "num_leaves": 31,
    "lambda_l2": 20.0,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.4,
    "bagging_freq": 1,
    "deterministic": True,
    "force_col_wise": True,  # by rows it takes twice the memory, and no less time
    "is_enable_sparse": False,  # for ICEWS, sparse columns give the same trees, and take more memory and time
    "verbosity": -1,
}
_MIN_LEAF_ROWS = 1000
_MIN_LEAF_SHARE = 0.005  # of all rows, where that is less than the number above
_ROWS_PER_BATCH = 8192


class Trees:
    """Boosted trees over bins of evidence, stored as the text of a LightGBM model."""

    def __init__(self, text: str) -> None:
        if not text.startswith("tree"):
            raise ValueError("the trees are not a LightGBM model")
        self.text = text

    @cached_property
    def _booster(self) -> Any:
        return lightgbm().Booster(model_str=self.text)

    def contributions(self, bins: Ints) -> Floats:
        """What each column adds to the score of each candidate, without the constant that is the same for all."""
        return np.asarray(self._booster.predict(bins, pred_contrib=True, num_threads=1))[:, :-1]

    def scores(self, bins: Ints) -> Floats:
        """What the trees add to the score of each candidate: the sum of its contributions."""
        return np.asarray(self._booster.predict(bins, raw_score=True, num_threads=1)) - self._constant

    @cached_property
    def _constant(self) -> float:
        columns = np.zeros((1, self._booster.num_feature()), np.uint8)
        return float(self._booster.predict(columns, pred_contrib=True, num_threads=1)[0, -1])


class TreeGrower:
    """Fits trees that improve on given scores. The result does not depend on the number of threads.

    It copies the examples, so that their memory can be freed before trees are grown.

    Args:
        examples: The queries to learn from.
        scores: Per candidate: the score that trees are added to.
        seed: The seed of what is drawn.
        threads: How many threads to use; all cores if None.
    """

    def __init__(self, examples: Examples, scores: Floats, seed: int, threads: int | None) -> None:
        boosting, n_rows = lightgbm(), len(examples.is_true)
        self._n_trees = min(max(n_rows // _ROWS_PER_TREE, _MIN_TREES), _MAX_TREES)
        self._parameters = _PARAMETERS | {
            "min_data_in_leaf": max(1, min(_MIN_LEAF_ROWS, int(n_rows * _MIN_LEAF_SHARE))),
            "num_threads": thread_count(threads),
            "seed": seed,
        }
        self._data = boosting.Dataset(
            _in_batches(boosting, examples.bins),
            examples.is_true,
            group=np.diff(examples.start),
            init_score=scores,
            params=self._parameters,
        ).construct()

    def grow(self) -> Trees:
        """Fit the trees."""
        text = lightgbm().train(self._parameters, self._data, self._n_trees).model_to_string()
        return Trees(re.sub(r"\[num_threads: \d+\]", "[num_threads: 1]", text))  # the same text with any number


def _in_batches(boosting: ModuleType, bins: Ints) -> Any:
    """Bins that LightGBM reads in batches. It would copy a whole array to floats, which takes four times its memory."""

    class Batches(boosting.Sequence):  # type: ignore[name-defined]
        batch_size = _ROWS_PER_BATCH

        def __init__(self, bins: Ints) -> None:
            self._bins = bins  # kept by the object, because only the garbage collector frees a local class

        def __getitem__(self, index: Any) -> Floats:
            return self._bins[index].astype(np.float64)

        def __len__(self) -> int:
            return len(self._bins)

    return Batches(bins)


def lightgbm() -> ModuleType:
    """Import LightGBM, which is an optional dependency."""
    try:
        import lightgbm as found
    except ImportError:
        raise SettingsError("Boosted models need LightGBM: install tlogic[boosted].") from None
    except OSError as error:
        raise SettingsError(f"LightGBM does not load ({error}); on Debian, install libgomp1.") from None
    return found
