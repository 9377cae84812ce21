"""What mattered: how much of what trials gave is explained by each parameter."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tlogic.analysis.reports.section import Value
from tlogic.graph.arrays import Floats, Ints

_MOST_VALUES, _GROUPS = 6, 4


class Levels(NamedTuple):
    """The values of a parameter, or groups of neighbours where there are many; and which one each trial has."""

    names: tuple[str, ...]
    of: Ints


def levels(values: Sequence[Value]) -> Levels:
    """Put values in order, numbers first, and many numbers into a few groups of about the same size.

    >>> levels([200, 10, "all", 10]).names
    ('10', '200', 'all')
    >>> levels([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]).names
    ('0.1 to 0.2', '0.3 to 0.4', '0.5 to 0.6', '0.7 to 0.8')
    """
    numbers = sorted({value for value in values if isinstance(value, int | float)})
    words = sorted({value for value in values if isinstance(value, str)})
    n_groups = len(numbers) if len(numbers) <= _MOST_VALUES else _GROUPS
    edges = [len(numbers) * group // n_groups for group in range(n_groups + 1)] if numbers else [0]
    groups = [numbers[low:high] for low, high in pairwise(edges)]
    place: dict[Value, int] = {number: n for n, group in enumerate(groups) for number in group}
    place |= {word: len(groups) + n for n, word in enumerate(words)}
    return Levels((*map(_span, groups), *words), np.array([place[value] for value in values]))


def importance(trials: Sequence[Mapping[str, Value]], scores: Sequence[float]) -> dict[str, float]:
    """By parameter: its share of the variance of the scores that parameters explain, most important first.

    A score is taken for a sum of effects, one for each parameter's value, estimated all together, so that a parameter
    is not praised for good company. Effects of values that few trials have are held back towards none. The shares sum
    to 1, or are all 0 where nothing made a difference.

    >>> some = [{"alpha": alpha, "k": k} for alpha in (0.0, 0.5, 1.0) for k in (10, 20)]
    >>> importance(some, [0.1, 0.1, 0.4, 0.4, 0.3, 0.3])
    {'alpha': 1.0, 'k': 0.0}
    """
    names = list(trials[0])
    indicators = [_indicators(levels([trial[name] for trial in trials])) for name in names]
    design = np.hstack(indicators)
    centred = np.asarray(scores) - np.mean(scores)
    # One more trial of average score for each value holds the effects back, and makes them unique.
    effects = np.linalg.solve(design.T @ design + np.eye(design.shape[1]), design.T @ centred)
    parts = np.split(effects, np.cumsum([columns.shape[1] for columns in indicators])[:-1])
    variance = np.array([np.var(columns @ part) for columns, part in zip(indicators, parts, strict=True)])
    variance[variance < 1e-20] = 0.0  # rounding
    shares = variance / variance.sum() if variance.any() else variance
    return dict(sorted(zip(names, shares.tolist(), strict=True), key=lambda item: -item[1]))


def _indicators(found: Levels) -> Floats:
    """A column for each value: 1 for the trials that have it."""
    return np.eye(len(found.names))[found.of]


def _span(group: Sequence[float]) -> str:
    return f"{group[0]:g}" if len(group) == 1 else f"{group[0]:g} to {group[-1]:g}"
