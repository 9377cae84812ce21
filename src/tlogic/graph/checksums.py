"""A fast checksum for large arrays, limited by memory bandwidth."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_WORD = 8
_N_CHAINS = 4
PART_BYTES = _WORD * _N_CHAINS
"""Parts of an array, all but the last one, have a multiple of so many bytes."""


def checksum(parts: Iterable[np.ndarray]) -> int:
    """A 64-bit checksum of the bytes of an array that is given in parts. A change of a single word is always detected.

    >>> numbers = np.arange(20)
    >>> checksum([numbers]) == checksum([numbers[:8], numbers[8:]]), checksum([numbers]) == checksum([numbers[::-1]])
    (True, False)
    """
    chains = np.arange(_N_CHAINS, dtype=np.uint64) + _ODD
    n_bytes, rest = 0, np.empty(0, np.uint8)
    for part in parts:
        if len(rest):
            raise ValueError(f"a part before the last one does not have a multiple of {PART_BYTES} bytes")
        content = np.ascontiguousarray(part).reshape(-1).view(np.uint8)
        end = len(content) - len(content) % PART_BYTES
        _mix(chains, _words(content[:end]))
        n_bytes, rest = n_bytes + len(content), content[end:]
    last = np.zeros(_WORD, np.uint8)
    last[: len(rest) % _WORD] = rest[len(rest) - len(rest) % _WORD :]
    return int(_end(chains, _words(rest[: len(rest) - len(rest) % _WORD]), _words(last)[0], np.uint64(n_bytes)))


def _words(content: Ints) -> Ints:
    return (content.copy() if content.ctypes.data % _WORD else content).view(np.uint64)


@kernel
def _mix(chains: Ints, words: Ints) -> None:
    """Take in words, a multiple of four: independent chains hide the latency of the multiplication."""
    a, b, c, d = chains[0], chains[1], chains[2], chains[3]
    for i in range(0, len(words), 4):
        a = (a ^ words[i]) * _ODD
        b = (b ^ words[i + 1]) * _ODD
        c = (c ^ words[i + 2]) * _ODD
        d = (d ^ words[i + 3]) * _ODD
        a, b, c, d = a ^ (a >> _HALF), b ^ (b >> _HALF), c ^ (c >> _HALF), d ^ (d >> _HALF)
    chains[0], chains[1], chains[2], chains[3] = a, b, c, d


@kernel
def _end(chains: Ints, words: Ints, last: Any, n_bytes: Any) -> Any:
    """Take in the last words, and join the chains."""
    a, b, c, d = chains[0], chains[1], chains[2], chains[3]
    for word in words:
        a = (a ^ word) * _ODD
        a ^= a >> _HALF
    for value in (b, c, d, np.uint64(last), np.uint64(n_bytes)):
        a = (a ^ value) * _ODD
        a ^= a >> _HALF
    return a
