"""What a test of a promise did and found, and how long it may take."""

import time
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """One line of the page.

    Attributes:
        promise: The promise.
        figure: What was done, with counts.
        failures: How often the promise was broken.
        note: What readers should know; why there is no figure, for example.
    """

    promise: str
    figure: str
    failures: int = 0
    note: str = ""


@dataclass(frozen=True)
class Budget:
    """The time for one promise."""

    seconds: float

    def rounds(self) -> Iterator[int]:
        """The numbers of rounds until the time is over; at least one."""
        end, number = time.monotonic() + self.seconds, 0
        while number == 0 or time.monotonic() < end:
            yield number
            number += 1
