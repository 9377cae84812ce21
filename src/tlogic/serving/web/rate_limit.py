"""Rate limiter: one token bucket per client."""

from collections import OrderedDict
from time import monotonic
from typing import NamedTuple

MAX_CLIENTS = 10_000
"""Buckets that are kept; beyond it, the least recently used one is dropped."""


class _Bucket(NamedTuple):
    tokens: float
    updated: float


class RateLimiter:
    """Allows each client a burst of requests, and a steady rate after it.

    >>> limiter = RateLimiter(per_second=1.0, burst=2)
    >>> [limiter.wait("Ann", now=0.0) for _ in range(3)], limiter.wait("Ann", now=1.0)
    ([0.0, 0.0, 1.0], 0.0)
    """

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second, self._burst = per_second, burst
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, client: str, now: float | None = None) -> float:
        """Count a request: 0 if it is allowed, otherwise the seconds until the next one is."""
        now = monotonic() if now is None else now
        before = self._buckets.pop(client, _Bucket(self._burst, now))
        tokens = min(float(self._burst), before.tokens + (now - before.updated) * self._per_second)
        allowed = tokens >= 1.0
        self._buckets[client] = _Bucket(tokens - allowed, now)
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - tokens) / self._per_second
