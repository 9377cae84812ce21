"""Find the arrays of a pickled dictionary without unpickling it.

Unpickling can execute anything. Here, the opcodes of the file are read as data, and only those of integers, strings,
tuples, dictionaries and numpy arrays are known; all others raise an error. The arrays stay in the file, because they
can be larger than the memory.
"""

import pickletools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.events.calendar_units import Integers

_HEADER_BYTES = {"SHORT_BINBYTES": 2, "BINBYTES": 5, "BINBYTES8": 9, "BYTEARRAY8": 9}
"""Of each opcode with bytes: the length of the opcode and of the number of bytes after it."""
_VALUES = {
    "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"
}  # fmt: skip
_CONSTANTS: dict[str, Any] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_TUPLE_SIZES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_MAX_SCALAR_BYTES = 8
_IGNORED = {"PROTO", "FRAME", "STOP"}
_MODULES = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric")
_NAMES = ("dtype", "scalar", "ndarray", "_frombuffer", "_reconstruct")
_MARK = object()


class PickledArrays(NamedTuple):
    """Where the arrays of a pickled dictionary are in its file; one row per entry."""

    path: Path
    key: Integers
    """Per entry: its key, a tuple of integers."""
    offset: Integers
    length: Integers
    """In bytes."""
    dtype: "np.dtype[Any]"

    def read(self, entries: Integers) -> list[Integers]:
        """The arrays of some entries."""
        content = np.memmap(self.path, np.uint8, "r")
        spans = zip(self.offset[entries].tolist(), self.length[entries].tolist(), strict=True)
        return [np.frombuffer(content[first : first + size], self.dtype).astype(np.int64) for first, size in spans]


class _Global(NamedTuple):
    name: str


class _Payload(NamedTuple):
    offset: int
    length: int
    content: bytes
    """Of scalars; empty for arrays."""


class _Array(NamedTuple):
    payload: _Payload
    dtype: "np.dtype[Any]"


def find_arrays(path: Path) -> PickledArrays:
    """Find the arrays of a pickled dictionary from tuples of integers to arrays of integers.

    Raises:
        InputError: If the file cannot be read, or holds anything else.
    """
    reader = _Reader()
    try:
        with path.open("rb") as file:
            for opcode, argument, position in pickletools.genops(file):
                reader.apply(opcode.name, argument, position or 0)
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}.") from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is not a pickled dictionary of integer arrays, such as tkgl-wikidata_test_ns.pkl ({error})."
        ) from None
    return reader.result(path)


class _Reader:
    """Follows the opcodes of a pickle, with descriptions of arrays instead of arrays."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._keys: list[tuple[int, ...]] = []
        self._arrays: list[_Array] = []

    def result(self, path: Path) -> PickledArrays:
        """The entries found."""
        kinds = {array.dtype for array in self._arrays}
        if len(kinds) != 1 or len({len(key) for key in self._keys}) != 1:
            raise InputError(f"{path} must hold arrays of one type, with keys of the same length.")
        offset = np.array([array.payload.offset for array in self._arrays], np.int64)
        length = np.array([array.payload.length for array in self._arrays], np.int64)
        return PickledArrays(path, np.array(self._keys, np.int64), offset, length, kinds.pop())

    def apply(self, name: str, argument: Any, position: int) -> None:
        """Apply one opcode."""
        stack = self._stack
        if name in _HEADER_BYTES:
            content = bytes(argument) if len(argument) <= _MAX_SCALAR_BYTES else b""
            stack.append(_Payload(position + _HEADER_BYTES[name], len(argument), content))
        elif name in _VALUES:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name == "MEMOIZE":
            self._memo[len(self._memo)] = stack[-1]
        elif name in ("BINPUT", "LONG_BINPUT"):
            self._memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(self._memo[argument])
        elif name in _TUPLE_SIZES:
            stack[-_TUPLE_SIZES[name] :] = [tuple(stack[-_TUPLE_SIZES[name] :])]
        elif name not in _IGNORED:
            self._apply_rare(name, argument)

    def _apply_rare(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name == "MARK":
            stack.append(_MARK)
        elif name == "TUPLE":
            stack.append(tuple(self._after_mark()))
        elif name == "EMPTY_DICT":
            stack.append({})
        elif name == "GLOBAL":
            stack.append(_allowed(*argument.split(" ")))
        elif name == "STACK_GLOBAL":
            named = stack.pop()
            stack.append(_allowed(stack.pop(), named))
        elif name == "REDUCE":
            arguments = stack.pop()
            stack.append(_reduced(stack.pop(), arguments))
        elif name == "BUILD":
            state = stack.pop()
            stack.append(_built(stack.pop(), state))
        elif name == "SETITEMS":
            self._add(self._after_mark())
        elif name == "SETITEM":
            value = stack.pop()
            self._add([stack.pop(), value])
        else:
            raise ValueError(f"the opcode {name} is not allowed")

    def _after_mark(self) -> list[Any]:
        """Remove and return what follows the last mark."""
        stack = self._stack
        first = len(stack) - 1 - stack[::-1].index(_MARK)
        items = stack[first + 1 :]
        del stack[first:]
        return items

    def _add(self, items: list[Any]) -> None:
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(value, _Array) or not all(isinstance(part, int) for part in key):
                raise ValueError("expected tuples of integers as keys and arrays of integers as values")
            self._keys.append(key)
            self._arrays.append(value)


def _allowed(module: str, name: str) -> _Global:
    if module not in _MODULES or name not in _NAMES:
        raise ValueError(f"{module}.{name} is not allowed")
    return _Global(name)


def _reduced(called: Any, arguments: tuple[Any, ...]) -> Any:
    """What a call stands for: a type of integers, an integer, or an array."""
    name = called.name
    if name == "dtype":
        return np.dtype(_integer_type(arguments[0]))
    if name == "scalar":
        dtype, payload = arguments
        return int(np.frombuffer(payload.content, dtype)[0])
    if name == "_frombuffer":
        payload, dtype = arguments[:2]
        return _Array(payload, dtype)
    if name == "_reconstruct":
        return called  # BUILD follows, with the content
    raise ValueError(f"a call of {name} is not allowed")


def _built(target: Any, state: tuple[Any, ...]) -> Any:
    if isinstance(target, np.dtype):
        return target.newbyteorder(state[1])
    _, _, dtype, _, payload = state
    return _Array(payload, dtype)


def _integer_type(code: str) -> str:
    if code[:1] not in ("i", "u"):
        raise ValueError(f"arrays of type {code!r} are not allowed")
    return code
