"""Damage to files, as failing disks and transfers do it."""

from collections.abc import Iterator

import numpy as np

_N_LAST_BYTES = 60  # where checksums stand


def flipped(content: bytes, n_flips: int = 200) -> Iterator[bytes]:
    """Copies of the content with one bit flipped: at positions all over it, and one in each of its last bytes."""
    bits = np.linspace(0, 8 * len(content) - 1, n_flips).astype(int).tolist()
    last = [8 * i + i % 8 for i in range(max(0, len(content) - _N_LAST_BYTES), len(content))]
    for bit in sorted({*bits, *last}):
        yield flip(content, bit)


def flip(content: bytes, bit: int) -> bytes:
    """A copy of the content with one bit flipped.

    >>> flip(b"abc", 8)
    b'acc'
    """
    damaged = bytearray(content)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)
