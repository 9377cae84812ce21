"""Array types of the kernels, and helpers to pass arrays to them."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tlogic.compilation import helper

Ints: TypeAlias = npt.NDArray[np.integer[Any]]
Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]

MAX_INT32 = 2**31 - 1


def integer_dtype(largest: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type for counts up to a number: int32 or int64.

    >>> integer_dtype(100).__name__
    'int32'
    """
    return np.int32 if largest <= MAX_INT32 else np.int64


def is_in(ascending: Ints, values: Ints) -> Bools:
    """Whether each value is among some ascending ones: binary searches, where `np.isin` would sort or hash all.

    >>> is_in(np.array([2, 3, 5]), np.array([1, 3, 6])).tolist()
    [False, True, False]
    """
    if not len(ascending):
        return np.zeros(len(values), np.bool_)
    index = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    found: Bools = ascending[index] == values
    return found


@intrinsic
def _borrowed(_: Any, record: Any) -> tuple[Any, Callable[..., Any]]:
    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owners(context, builder, signature.return_type, arguments[0])

    return record(record), make


def _without_owners(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Rebuild a compiled value whose arrays have no owner of their memory."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value=value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        fields: Any = kind
        parts = [
            _without_owners(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(fields)
        ]
        return context.make_tuple(builder, kind, parts)
    return value


borrowed: Any = _borrowed
"""In a kernel: the same record with borrowed references to its arrays. It must not outlive their owners.

Passing a record to a function costs two atomic operations per array for reference counting. In a loop over millions of
rules that took a fifth of the time.
"""


@intrinsic
def _keep(_: Any, record: Any) -> tuple[Any, Callable[..., Any]]:
    def make(context: Any, *_: Any) -> Any:
        return context.get_dummy_value()

    return types.none(record), make


keep: Any = _keep
"""In a kernel: keep arrays that were made there alive up to this line. Those that are only borrowed would be freed."""


@helper
def copy_items(source: Any, n: int, target: Any) -> None:
    """In a kernel: copy the first items of an array. To assign a slice takes seconds to compile, for error messages."""
    for i in range(n):
        target[i] = source[i]
