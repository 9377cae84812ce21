"""A process that adds batches to a store until it is killed, and prints each batch once it is stored.

Imports would take most of the start-up time, so one process imports once and forks the writers. Each line of its input
starts one writer: its name and the number of batches to add.
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

EVENTS_PER_BATCH = 300
NEW_NAMES = 20
UNLIMITED = 10**9


def batch_name(writer: str, number: int) -> str:
    return f"{writer} {number}"


def make_batch(writer: str, number: int) -> EncodedEvents:
    """Events whose relation is the name of the batch, between old and new entities."""
    name = batch_name(writer, number)
    steps = np.arange(EVENTS_PER_BATCH)
    entities = ["everybody", *(f"{name} {i}" for i in range(NEW_NAMES))]
    zeros = np.zeros_like(steps)
    return EncodedEvents(entities, [name], steps % len(entities), zeros, zeros, steps, Timeline("day", 1, "2030-01-01"))


class Writers:
    """Handle of the process that forks writers, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input: IO[str] = process.stdin
        self._output: IO[str] = process.stdout

    def start(self, writer: str, batches: int = UNLIMITED) -> int:
        """Start a writer; returns its process id."""
        self._input.write(f"{writer} {batches}\n")
        self._input.flush()
        return int(self._output.readline())

    def stored(self) -> list[str]:
        """The batches that were acknowledged to the writer, which has ended."""
        return [line.strip() for line in iter(self._output.readline, "end\n")]


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
        for number in range(batches) if batches < UNLIMITED else count():
            store.add(make_batch(writer, number))
            os.write(1, f"{batch_name(writer, number)}\n".encode())


def _run(where: str) -> None:
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
    _run(sys.argv[1])
