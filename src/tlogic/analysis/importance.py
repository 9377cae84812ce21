"""Parameter importance: how much each parameter contributes to the differences between trials."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tlogic.analysis.reports.section import Value
from tlogic.graph.arrays import Floats, Ints

_MAX_SINGLE_VALUES = 6  # more distinct numbers are grouped
_N_GROUPS = 4
_ROUNDING_ERROR = 1e-20


class Levels(NamedTuple):
    """The levels of a parameter (values, or groups of neighbouring numbers), and the level index of each trial."""

    names: tuple[str, ...]
    of_trial: Ints


def levels(values: Sequence[Value]) -> Levels:
    """Sort values, numbers before text, and group many numbers into a few levels of similar size.

    >>> levels([200, 10, "all", 10]).names
    ('10', '200', 'all')
    >>> levels([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]).names
    ('0.1 to 0.2', '0.3 to 0.4', '0.5 to 0.6', '0.7 to 0.8')
    """
    numbers = sorted({value for value in values if isinstance(value, int | float)})
    words = sorted({value for value in values if isinstance(value, str)})
    n_groups = len(numbers) if len(numbers) <= _MAX_SINGLE_VALUES else _N_GROUPS
    edges = [len(numbers) * group // n_groups for group in range(n_groups + 1)] if numbers else [0]
    groups = [numbers[low:high] for low, high in pairwise(edges)]
    index: dict[Value, int] = {number: n for n, group in enumerate(groups) for number in group}
    index |= {word: len(groups) + n for n, word in enumerate(words)}
    return Levels((*map(_range, groups), *words), np.array([index[value] for value in values]))


def importance(trials: Sequence[Mapping[str, Value]], scores: Sequence[float]) -> dict[str, float]:
    """The share of the explained score variance that each parameter contributes, most important first.

    A ridge regression models a score as a sum of effects, one per parameter value. All effects are estimated together,
    so that a parameter gets no credit for values of others that it often occurs with. Effects of rare values shrink
    towards zero. The shares sum to 1, or are all 0 if all scores are equal.

    >>> some = [{"alpha": alpha, "k": k} for alpha in (0.0, 0.5, 1.0) for k in (10, 20)]
    >>> importance(some, [0.1, 0.1, 0.4, 0.4, 0.3, 0.3])
    {'alpha': 1.0, 'k': 0.0}
    """
    names = list(trials[0])
    indicators = [_indicators(levels([trial[name] for trial in trials])) for name in names]
    design = np.hstack(indicators)
    centred = np.asarray(scores) - np.mean(scores)
    # The ridge penalty acts like one more trial of average score per value, and makes the solution unique.
    effects = np.linalg.solve(design.T @ design + np.eye(design.shape[1]), design.T @ centred)
    parts = np.split(effects, np.cumsum([columns.shape[1] for columns in indicators])[:-1])
    variance = np.array([np.var(columns @ part) for columns, part in zip(indicators, parts, strict=True)])
    variance[variance < _ROUNDING_ERROR] = 0.0
    shares = variance / variance.sum() if variance.any() else variance
    return dict(sorted(zip(names, shares.tolist(), strict=True), key=lambda item: -item[1]))


def _indicators(found: Levels) -> Floats:
    """One column per level, 1 for the trials with that level."""
    return np.eye(len(found.names))[found.of_trial]


def _range(group: Sequence[float]) -> str:
    return f"{group[0]:g}" if len(group) == 1 else f"{group[0]:g} to {group[-1]:g}"
