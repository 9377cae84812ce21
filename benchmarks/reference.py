"""The reference for ratios: a stable sort of ten million random doubles with NumPy."""

import time

import numpy as np

DESCRIPTION = "a stable sort of ten million doubles"


def reference_seconds() -> float:
    """Time the reference once."""
    numbers = np.random.default_rng(0).random(10_000_000)
    started = time.perf_counter()
    np.sort(numbers, kind="stable")
    return time.perf_counter() - started
