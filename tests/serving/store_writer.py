"""A process that adds batches to a store until it is killed, and says of each when it is kept.

Nearly all of its start would be imports, so those are done once, by a process that makes the writers as copies of
itself: for each line on its input, with the name of a writer and how many batches it adds, one after the other.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import IO

import numpy as np

from tlogic.events import Timeline
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore

EVENTS_IN_A_BATCH = 300
NEW_NAMES = 20
FOR_EVER = 10**9


def batch_name(writer: str, number: int) -> str:
    return f"{writer} {number}"


def make_batch(writer: str, number: int) -> EncodedEvents:
    """Events whose relation is the name of the batch, between entities of which some are new."""
    name = batch_name(writer, number)
    steps = np.arange(EVENTS_IN_A_BATCH)
    entities = ["everybody", *(f"{name} {i}" for i in range(NEW_NAMES))]
    zeros = np.zeros_like(steps)
    return EncodedEvents(entities, [name], steps % len(entities), zeros, zeros, steps, Timeline("day", 1, "2030-01-01"))


class Writers:
    """The process that makes writers, one at a time, as its users see it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders: IO[str] = process.stdin
        self._answers: IO[str] = process.stdout

    def start(self, writer: str, batches: int = FOR_EVER) -> int:
        """Begin to write; gives the process that does."""
        self._orders.write(f"{writer} {batches}\n")
        self._orders.flush()
        return int(self._answers.readline())

    def kept(self) -> list[str]:
        """The names of the batches that the writer, which came to its end, had been told were kept."""
        return [line.strip() for line in iter(self._answers.readline, "end\n")]


@contextmanager
def writers(where: str) -> Iterator[Writers]:
    command = [sys.executable, "-m", "tests.serving.store_writer", where]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    with process:
        yield Writers(process)


def _write(where: str, writer: str, batches: int) -> None:
    with EventStore.open(where) as store:
        for number in range(batches) if batches < FOR_EVER else count():
            store.add(make_batch(writer, number))
            os.write(1, f"{batch_name(writer, number)}\n".encode())


def _obey(where: str) -> None:
    for line in sys.stdin:
        writer, batches = line.split()
        child = os.fork()
        if not child:
            os.write(1, f"{os.getpid()}\n".encode())
            try:
                _write(where, writer, int(batches))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.write(1, b"end\n")


if __name__ == "__main__":
    _obey(sys.argv[1])
