"""How the numeric code is compiled: kernels, which Python calls, and helpers, which only kernels call."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])

kernel = njit(cache=True, nogil=True)
"""Compile a function that is called from Python; the machine code is stored for later processes."""


def helper(function: Function) -> Function:
    """Compile a function for kernels alone: sooner, as nothing turns Python objects into its arguments.

    Python may call it too, and then interprets it.
    """
    jitable: Function = register_jitable(cache=True, nogil=True)(function)
    return jitable
