"""The unit of time: a stable sort of ten million random doubles."""

import time

import numpy as np


def yardstick() -> float:
    numbers = np.random.default_rng(0).random(10_000_000)
    started = time.perf_counter()
    np.sort(numbers, kind="stable")
    return time.perf_counter() - started
