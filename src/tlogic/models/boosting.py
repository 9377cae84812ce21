"""Trees on top of a scorecard: what kinds of evidence say together beyond what each says alone. Needs LightGBM."""

import re
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from tlogic.errors import SettingsError
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.scorecard import Examples
from tlogic.parallel import thread_count

_N_TREES = 200
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
    "force_row_wise": True,
    "verbosity": -1,
}
_MIN_ROWS, _MIN_SHARE = 1000, 0.005  # of a leaf; the second where there are few rows


class Trees:
    """Boosted trees over bins of evidence, kept as text."""

    def __init__(self, text: str) -> None:
        if not text.startswith("tree"):
            raise ValueError("its trees are none")
        self.text = text

    @cached_property
    def _booster(self) -> Any:
        return lightgbm().Booster(model_str=self.text)

    def contributions(self, bins: Ints) -> Floats:
        """What each column adds to the score of each candidate; what is the same for all is left out."""
        return np.asarray(self._booster.predict(bins, pred_contrib=True, num_threads=1))[:, :-1]

    def scores(self, bins: Ints) -> Floats:
        """What the trees add to the score of each candidate: the sum of its contributions."""
        return np.asarray(self._booster.predict(bins, raw_score=True, num_threads=1)) - self._usual

    @cached_property
    def _usual(self) -> float:
        columns = np.zeros((1, self._booster.num_feature()), np.uint8)
        return float(self._booster.predict(columns, pred_contrib=True, num_threads=1)[0, -1])


def grow_trees(examples: Examples, scores: Floats, seed: int, threads: int | None) -> Trees:
    """Trees that improve on given scores, which are the same with any number of threads."""
    boosting = lightgbm()
    n_rows = len(examples.right)
    parameters = _PARAMETERS | {
        "min_data_in_leaf": max(1, min(_MIN_ROWS, int(n_rows * _MIN_SHARE))),
        "num_threads": thread_count(threads),
        "seed": seed,
    }
    data = boosting.Dataset(
        examples.bins, examples.right, group=np.diff(examples.start), init_score=scores, params=parameters
    )
    text = boosting.train(parameters, data, _N_TREES).model_to_string()
    return Trees(re.sub(r"\[num_threads: \d+\]", "[num_threads: 1]", text))  # so that it is the same with any


def lightgbm() -> ModuleType:
    """The library, which is an extra."""
    try:
        import lightgbm as found
    except ImportError:
        raise SettingsError("Boosted models need LightGBM: install tlogic[boosted].") from None
    except OSError as error:
        raise SettingsError(f"LightGBM does not load ({error}); on Debian, install libgomp1.") from None
    return found
