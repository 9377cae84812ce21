"""Minimisation of a smooth function by L-BFGS (Liu and Nocedal, 1989)."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from tlogic.graph.arrays import Floats

_N_CORRECTIONS = 20  # the last steps that approximate the curvature
_MIN_DECREASE = 1e-4  # of the decrease that the gradient predicts (Armijo condition)
_MAX_HALVINGS = 20  # of the step length in one line search
_TOLERANCE = 1e-6  # relative decrease of the value at which the iteration ends

Function: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""Returns the value and the gradient at a point."""
Correction: TypeAlias = tuple[Floats, Floats]
"""A step, and the change of the gradient over that step."""


def minimise(function: Function, start: Floats, max_iterations: int) -> Floats:
    """Minimise a function.

    Args:
        function: Returns the value and the gradient at a point.
        start: The point to start from.
        max_iterations: The largest number of steps.

    Returns:
        The best point found.

    Example:
        >>> minimise(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), 20).round(6)
        array([3., 3.])
    """
    return minimise_in_stages([(function, max_iterations)], start)


def minimise_in_stages(stages: Iterable[tuple[Function, int]], start: Floats) -> Floats:
    """Minimise the last of some functions, each of which is a better approximation of it and costs more.

    Each stage starts from the point and from the curvature that the stage before it found.

    Args:
        stages: The functions, each with the largest number of steps.
        start: The point to start from.
    """
    corrections: deque[Correction] = deque(maxlen=_N_CORRECTIONS)
    for function, max_iterations in stages:
        start = _minimise(function, start, max_iterations, corrections)
    return start


def _minimise(function: Function, point: Floats, max_iterations: int, corrections: deque[Correction]) -> Floats:
    value, gradient = function(point)
    for _ in range(max_iterations):
        direction = -_inverse_hessian_product(gradient, corrections)
        length = 1.0 if corrections else 1.0 / max(float(np.abs(gradient).sum()), 1e-12)
        slope = float((gradient * direction).sum())
        for _ in range(_MAX_HALVINGS):
            new_point = point + length * direction
            new_value, new_gradient = function(new_point)
            if new_value <= value + _MIN_DECREASE * length * slope:
                break
            length /= 2
        else:
            break  # no step decreases the value
        step, gradient_change = new_point - point, new_gradient - gradient
        if float((step * gradient_change).sum()) > 0:
            corrections.append((step, gradient_change))
        decrease = value - new_value
        point, value, gradient = new_point, new_value, new_gradient
        if decrease <= _TOLERANCE * abs(value):
            break
    return point


def _inverse_hessian_product(gradient: Floats, corrections: deque[Correction]) -> Floats:
    """The product of the approximate inverse Hessian and the gradient, by the two-loop recursion."""
    result = gradient.copy()
    alphas = []
    for step, gradient_change in reversed(corrections):
        alpha = float((step * result).sum() / (step * gradient_change).sum())
        result -= alpha * gradient_change
        alphas.append(alpha)
    if corrections:
        step, gradient_change = corrections[-1]
        result *= float((step * gradient_change).sum() / (gradient_change * gradient_change).sum())
    for (step, gradient_change), alpha in zip(corrections, reversed(alphas), strict=True):
        result += step * (alpha - float((gradient_change * result).sum() / (step * gradient_change).sum()))
    return result
