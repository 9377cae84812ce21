"""The array types that travel between Python and the kernels."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.extending import intrinsic

Ints: TypeAlias = npt.NDArray[np.integer[Any]]
Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]


@intrinsic
def _borrowed(_: Any, array: Any) -> tuple[Any, Callable[..., Any]]:
    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.return_type)(context, builder, value=arguments[0])
        view.meminfo = ir.Constant(view.meminfo.type, None)
        return view._getvalue()

    return array(array), make


borrowed: Any = _borrowed
"""In a kernel: the same array without its owner, so that nobody counts references to it. It must not outlive the owner.

A record of arrays that is handed to a function costs two atomic operations per array; in a loop over millions of rules
that was a fifth of the time.
"""
