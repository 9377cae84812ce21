"""A fast checksum for large arrays, limited by memory bandwidth."""

from typing import Any

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_WORD = 8


def checksum(array: Ints) -> int:
    """A 64-bit checksum of the bytes of an array. A change of a single word is always detected.

    >>> numbers = np.arange(10, dtype=np.int32)
    >>> checksum(numbers) == checksum(numbers.copy()), checksum(numbers) == checksum(numbers[::-1].copy())
    (True, False)
    """
    content = array.view(np.uint8)
    whole = len(content) - len(content) % _WORD
    rest = np.zeros(_WORD, np.uint8)
    rest[: len(content) - whole] = content[whole:]
    start = content[:whole]
    if whole and start.ctypes.data % _WORD:
        start = start.copy()
    return int(_mixed(start.view(np.uint64), rest.view(np.uint64)[0], np.uint64(len(content))))


@kernel
def _mixed(words: Ints, rest: Any, length: Any) -> Any:
    a, b, c, d = _ODD, _ODD + np.uint64(1), _ODD + np.uint64(2), _ODD + np.uint64(3)
    end = len(words) // 4 * 4
    for i in range(0, end, 4):  # four independent chains hide the latency of the multiplication
        a = (a ^ words[i]) * _ODD
        b = (b ^ words[i + 1]) * _ODD
        c = (c ^ words[i + 2]) * _ODD
        d = (d ^ words[i + 3]) * _ODD
        a, b, c, d = a ^ (a >> _HALF), b ^ (b >> _HALF), c ^ (c >> _HALF), d ^ (d >> _HALF)
    for i in range(end, len(words)):
        a = (a ^ words[i]) * _ODD
        a ^= a >> _HALF
    for value in (b, c, d, np.uint64(rest), np.uint64(length)):
        a = (a ^ value) * _ODD
        a ^= a >> _HALF
    return a
