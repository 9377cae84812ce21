"""Liveness for requests without a token: one check of the service per second, however many ask."""

import asyncio
from time import monotonic

from starlette.concurrency import run_in_threadpool

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service

_SECONDS_BETWEEN_CHECKS = 1.0


class LivenessCheck:
    """The status of a service, checked in a thread. All who ask meanwhile wait for the same check.

    So requests without a token need no rate limit, and cannot take the threads or the database from others.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._check: asyncio.Task[schemas.Health] | None = None
        self._next_at = 0.0

    async def status(self) -> schemas.Liveness:
        """The status, at most a second old."""
        if self._check is None or (self._check.done() and monotonic() >= self._next_at):
            self._check = asyncio.create_task(run_in_threadpool(self._service.health))
            self._next_at = monotonic() + _SECONDS_BETWEEN_CHECKS
        health = await asyncio.shield(self._check)
        return schemas.Liveness(status=health.status)
