"""How the numeric code is compiled: kernels, which Python calls, and helpers, which only kernels call.

An array is about ten numbers to pass on, so small functions that take arrays are inlined where they are called: that
made some kernels ten times faster.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: Any = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}  # C does not call kernels

kernel = njit(**_OPTIONS)
"""Compile a function that is called from Python; the machine code is stored for later processes."""


inlined_kernel = njit(**_OPTIONS, forceinline=True)
"""Compile a function that is called from Python, and that is small enough to be inlined where kernels call it."""


def kernel_part(function: Function) -> Function:
    """Compile a function as a part of the one kernel or helper that calls it: its text is copied there.

    This takes less time for a large function, because a helper is compiled on its own, too. A part has no
    frame of its own, so its caller must keep what the part borrows.
    """
    compiled: Function = njit(**_OPTIONS, inline="always")(function)
    return compiled


def helper(function: Function) -> Function:
    """Compile a function for kernels alone, where it is inlined.

    That takes less time, as nothing turns Python objects into its arguments. Python may call it too, and interprets it.
    """
    jitable: Function = register_jitable(**_OPTIONS, forceinline=True)(function)
    return jitable
