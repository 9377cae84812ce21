"""Waiting for what another thread or process does, on a machine that may be busy."""

from collections.abc import Callable
from time import monotonic, sleep

PATIENCE = 300.0  # the first run may have to compile its kernels


def wait_until(holds: Callable[[], bool], pause: float = 0.01) -> None:
    """Return as soon as something holds; a test fails where that never happens."""
    give_up = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < give_up, f"it did not happen in {PATIENCE:.0f} seconds"
        sleep(pause)
