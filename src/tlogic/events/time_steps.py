"""The length of a time step: given by the user, or found from the data."""

import re
from dataclasses import dataclass

import numpy as np

from tlogic.errors import InputError
from tlogic.events.time_parsing import TimeKind
from tlogic.events.timeline import Integers, Timeline, Unit

_SUFFIXES: dict[str, Unit] = {
    "": "integer",
    "s": "second",
    "m": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
    "mo": "month",
    "y": "year",
}
_CLOCK_UNITS: dict[Unit, int] = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}


@dataclass(frozen=True)
class Step:
    """The length of a time step, such as 15 minutes."""

    unit: Unit
    count: int


def parse_step(step: str | int) -> Step:
    """Parse a time step such as "1d", "15m" or, for integers, "24".

    >>> parse_step("15m"), parse_step(24)
    (Step(unit='minute', count=15), Step(unit='integer', count=24))
    """
    found = re.fullmatch(r"([1-9]\d{0,17})\s*([a-z]*)", str(step).strip().lower())
    if not found or found[2] not in _SUFFIXES:
        raise InputError(
            f'The step {step!r} is not understood; expected a count and a unit such as "30s", "15m" '
            '(minutes), "1h", "1d", "1w", "1mo", "1y", or a number such as "24" for integer times.'
        )
    return Step(_SUFFIXES[found[2]], int(found[1]))


def find_step(kind: TimeKind, timestamps: Integers) -> Step:
    """Find the longest natural time step that fits all timestamps (sorted and distinct).

    >>> find_step("integer", np.array([0, 24, 72]))
    Step(unit='integer', count=24)
    """
    if kind == "integer":
        return Step("integer", int(np.gcd.reduce(np.diff(timestamps))) or 1)
    if kind == "year" or _all_begin_one(timestamps, "Y"):
        return Step("year", 1)
    if kind == "month" or _all_begin_one(timestamps, "M"):
        return Step("month", 1)
    return _find_clock_step(timestamps)


def build_timeline(kind: TimeKind, timestamps: Integers, given: Step | None, time_zone: str = "UTC") -> Timeline:
    """Build the timeline of timestamps (sorted and distinct); step 0 holds the earliest.

    Given steps begin at natural boundaries: at midnight, on Mondays, in January, at multiples of an integer step.
    """
    step = given or find_step(kind, timestamps)
    unit, count = step.unit, step.count
    if unit == "integer" and kind != "integer":
        raise InputError(f'The times are calendar dates, so a step of {count} needs a unit, such as "{count}d".')
    if unit != "integer" and kind == "integer":
        raise InputError(
            f"The times are integers, so the step must be a number such as 24, not {count} {unit}. "
            "If they are seconds since 1970, a day is 86400 and an hour 3600."
        )
    cut_at = "2000" if unit != "integer" else "0" if given else str(timestamps[0])
    cuts = Timeline(unit, count, cut_at)
    return Timeline(unit, count, str(cuts.labels_of(cuts.steps_at(timestamps[:1]))[0]), time_zone)


def _all_begin_one(timestamps: Integers, numpy_unit: str) -> bool:
    """Whether all timestamps are starts of years (or months), and not all of the same one."""
    exact = timestamps.astype("datetime64[s]")
    rounded = exact.astype(f"datetime64[{numpy_unit}]")
    return bool((rounded == exact).all() and rounded[0] != rounded[-1])


def _find_clock_step(timestamps: Integers) -> Step:
    # Including a whole day in the divisor makes steps begin at midnight.
    seconds = int(np.gcd.reduce(timestamps, initial=_CLOCK_UNITS["day"]))
    unit = next(unit for unit, length in _CLOCK_UNITS.items() if seconds % length == 0)
    # A single timestamp determines the unit, but not the number of units per step.
    return Step(unit, seconds // _CLOCK_UNITS[unit] if len(timestamps) > 1 else 1)
