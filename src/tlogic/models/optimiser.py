"""Descent to the least value of a smooth function, by the L-BFGS method (Liu and Nocedal, 1989)."""

from collections import deque
from collections.abc import Callable

import numpy as np

from tlogic.graph.arrays import Floats

_MEMORY = 10
_ENOUGH = 1e-4
_CLOSE = 1e-6


def minimise(function: Callable[[Floats], tuple[float, Floats]], start: Floats, steps: int) -> Floats:
    """Where a function, given with its slope, is least, as near as some steps lead.

    >>> minimise(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), 20).round(6)
    array([3., 3.])
    """
    point, (value, slope) = start, function(start)
    known: deque[tuple[Floats, Floats]] = deque(maxlen=_MEMORY)
    for _ in range(steps):
        direction = -_by_curvature(slope, known)
        length = 1.0 if known else 1.0 / max(float(np.abs(slope).sum()), 1e-12)
        expected = float((slope * direction).sum())
        for _ in range(20):
            new_point = point + length * direction
            new_value, new_slope = function(new_point)
            if new_value <= value + _ENOUGH * length * expected:
                break
            length /= 2
        else:
            break  # no step leads further down
        moved, turned = new_point - point, new_slope - slope
        if float((moved * turned).sum()) > 0:
            known.append((moved, turned))
        gained = value - new_value
        point, value, slope = new_point, new_value, new_slope
        if gained <= _CLOSE * abs(value):
            break
    return point


def _by_curvature(slope: Floats, known: deque[tuple[Floats, Floats]]) -> Floats:
    """The slope as it would be if the function were equally curved in all directions, from the last steps."""
    result = slope.copy()
    shares = []
    for moved, turned in reversed(known):
        share = float((moved * result).sum() / (moved * turned).sum())
        result -= share * turned
        shares.append(share)
    if known:
        moved, turned = known[-1]
        result *= float((moved * turned).sum() / (turned * turned).sum())
    for (moved, turned), share in zip(known, reversed(shares), strict=True):
        result += moved * (share - float((turned * result).sum() / (moved * turned).sum()))
    return result
