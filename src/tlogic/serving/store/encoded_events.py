"""Events that arrive at a live service: all of a batch are good, or each bad one is told with its position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl

from tlogic.errors import InputError
from tlogic.events import EventTable, Timeline
from tlogic.events.sources.columns import NAME_ROLES, ROLES
from tlogic.events.time_parsing import TimeKind, parse_column, parse_times
from tlogic.events.time_steps import Step, build_timeline, parse_step
from tlogic.events.timeline import Integers
from tlogic.names import INVERSE_MARK

MAX_NAME_LENGTH = 10_000
# A live event so much later than all others has a typing error in its date.
MAX_STEPS_AHEAD = 100_000
# Kernels count time in 32 bits.
MAX_STEPS = 2**31 - 1
SHOWN = 5

# Where dates are expected digits mean the same in all batches, whatever else is in them.
_SPELLINGS = ((r"^([0-9]{4})$", "${1}-01"), (r"^([12][0-9]{3})([0-9]{2})([0-9]{2})$", "${1}-${2}-${3}"))

_NOT_FOUR = object()
_KIND_NAMES = {"integer": "an integer", "year": "a year", "month": "a month", "date": "a date"}


class InvalidEvent(NamedTuple):
    """What is wrong with one event of a batch; positions are counted from 0."""

    position: int
    reason: str


class InvalidEventsError(InputError):
    """Some events of a batch cannot be used, so none of them is; `problems` are all of them.

    >>> print(InvalidEventsError([InvalidEvent(3, "the subject is empty")], 10))
    1 of 10 events cannot be used, so none was taken:
    event 3 (counted from 0): the subject is empty
    """

    def __init__(self, problems: Sequence[InvalidEvent], events: int) -> None:
        self.problems = list(problems)
        lines = [f"{len(problems):,} of {events:,} events cannot be used, so none was taken:"]
        lines += [f"event {problem.position} (counted from 0): {problem.reason}" for problem in problems[:SHOWN]]
        if len(problems) > SHOWN:
            lines.append(f"and {len(problems) - SHOWN:,} more.")
        super().__init__("\n".join(lines))


class Span(NamedTuple):
    """The first and the last step of some events."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class EncodedEvents:
    """Events that were checked, as numbers: a subject is a position in `entities`, a step counts on `timeline`.

    Names are in order of their first appearance, event by event, the subject before the object.

    >>> events = check_events([("Ann", "calls", "Bob", "2014-08-09"), ("Bob", "calls", "Ann", "2014-08-11")])
    >>> events.entities, events.subject.tolist(), events.step.tolist()
    (['Ann', 'Bob'], [0, 1], [0, 2])
    """

    entities: Sequence[str]
    relations: Sequence[str]
    subject: Integers
    relation: Integers
    object: Integers
    step: Integers
    timeline: Timeline

    def __len__(self) -> int:
        return len(self.step)

    @property
    def span(self) -> Span:
        """The first and the last step of these events."""
        return Span(int(self.step.min()), int(self.step.max()))

    @classmethod
    def from_table(cls, table: EventTable, timeline: Timeline | None = None) -> Self:
        """The events of a table, counted on the given timeline, or else on that of the table.

        >>> from tlogic.events import read_events
        >>> calls = {"subject": ["Ann"], "relation": ["calls"], "object": ["Bob"], "day": ["2014-08-09"]}
        >>> table = read_events(pl.DataFrame(calls))
        >>> EncodedEvents.from_table(table, Timeline("day", 1, "2014-08-11")).step.tolist()
        [-2]
        """
        _refuse(_bad_names(table.frame), table.frame.height)
        steps = table.frame["step"].to_numpy().astype(np.int64)
        events = cls(**_numbered(table.frame), step=steps, timeline=table.timeline)
        return events if timeline is None else events.on(timeline)

    def on(self, timeline: Timeline) -> Self:
        """The same events, counted on another timeline, in whose steps the steps of this one lie."""
        laid = self.timeline
        if laid == timeline:
            return self
        if (laid.unit, laid.time_zone) != (timeline.unit, timeline.time_zone) or timeline.count % laid.count:
            raise _other_steps(laid, timeline)
        units = Timeline(timeline.unit, 1, timeline.origin).step_of(laid.origin)
        if units % laid.count:
            raise _other_steps(laid, timeline)
        return replace(self, step=(self.step * laid.count + units) // timeline.count, timeline=timeline)


def check_events(
    rows: Iterable[Mapping[str, Any] | Sequence[Any]],
    timeline: Timeline | None = None,
    *,
    span: Span | None = None,
    step: str | int | None = None,
    time_zone: str = "UTC",
) -> EncodedEvents:
    """Check events that arrive one by one: mappings or tuples with subject, relation, object and time.

    Args:
        rows: The events. A time is a text, an integer or a date.
        timeline: How the store counts time; without one it is laid so that the events fit.
        span: The first and last step of the store, to which the events must not be too far.
        step: The length of a step of time, such as "1d", where there is no timeline yet.
        time_zone: The clock of the timeline, where there is none yet.

    >>> try:
    ...     check_events([("Ann", "calls", "Bob", 3), {"subject": " ", "relation": "calls", "object": "Bo", "time": 4}])
    ... except InvalidEventsError as error:
    ...     print(error.problems)
    [InvalidEvent(position=1, reason='the subject is empty')]
    """
    if timeline is not None:
        check_step(timeline, step)
    given = None if step is None else parse_step(step)
    cells, problems = _cells(rows)
    if cells.is_empty():
        raise InputError("There are no events to add.")
    times = _read_times(cells["time"], timeline, given, time_zone)
    problems = _bad_times(cells["time"], times) | _bad_names(cells) | problems
    readable = times.timestamps.is_not_null()
    if not readable.any():
        _refuse(problems, cells.height)
    timestamps = times.timestamps.drop_nulls()
    if timeline is None:
        timeline = build_timeline(times.kind, timestamps.unique().sort().to_numpy(), given, time_zone)
    steps = timeline.steps_at(timestamps.to_numpy())
    _refuse(_far_away(readable.arg_true(), steps, span, timeline) | problems, cells.height)
    return EncodedEvents(**_numbered(cells), step=steps, timeline=timeline)


def check_step(timeline: Timeline, step: str | int | None) -> None:
    """Refuse a given step of time that is not the one of a timeline.

    >>> check_step(Timeline("day", 1, "2014-08-09"), "1d")
    """
    if step is not None and parse_step(step) != Step(timeline.unit, timeline.count):
        raise InputError(
            f"The step {step!r} is not the one of the store, which counts time in steps of {timeline.step_size} "
            "since its first events; leave it out."
        )


def check_span(span: Span, timeline: Timeline) -> None:
    """Refuse events that lie too far apart to be counted.

    >>> check_span(Span(-5, 10), Timeline("day", 1, "2014-08-09"))
    """
    if span.last - span.first > MAX_STEPS:
        raise InputError(
            f"There are more than {MAX_STEPS:,} steps of {timeline.step_size} between the first and the last event, "
            "which is more than can be counted."
        )


def _refuse(problems: Mapping[int, str], events: int) -> None:
    if problems:
        raise InvalidEventsError([InvalidEvent(position, problems[position]) for position in sorted(problems)], events)


def _other_steps(found: Timeline, expected: Timeline) -> InputError:
    def told(timeline: Timeline) -> str:
        return f"steps of {timeline.step_size} from {timeline.origin} on ({timeline.time_zone})"

    return InputError(
        f"The events count time in {told(found)}, the store in {told(expected)}; "
        "read the events with the step and time zone of the store."
    )


# Cells


def _cells(rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> tuple[pl.DataFrame, dict[int, str]]:
    """The cells as text, where blanks around names do not count; null where something is wrong, and what that is."""
    columns: dict[str, list[str | None]] = {role: [] for role in ROLES}
    problems: dict[int, str] = {}
    for position, row in enumerate(rows):
        for role, value in zip(ROLES, _values(row), strict=True):
            text, reason = _text(role, value)
            columns[role].append(text)
            if reason:
                problems.setdefault(position, reason)
    cells = pl.DataFrame(columns, schema=dict.fromkeys(ROLES, pl.String))
    return cells.with_columns(pl.col(NAME_ROLES).str.strip_chars()), problems


def _values(row: Mapping[str, Any] | Sequence[Any]) -> Sequence[Any]:
    if isinstance(row, Mapping):
        return [row.get(role) for role in ROLES]
    if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != len(ROLES):
        return [_NOT_FOUR] * len(ROLES)
    return row


def _text(role: str, value: Any) -> tuple[str | None, str | None]:
    """What a cell says as text, or None, and what is wrong with it."""
    if value is _NOT_FOUR:
        return None, "expected four things: subject, relation, object and time"
    if value is None:
        return None, f"the {role} is missing"
    if role == "time":
        value = _time_as_text(value)
    if not isinstance(value, str):
        expected = "a text, an integer or a date" if role == "time" else "a text"
        return None, f"the {role} is {_short(value)}; expected {expected}"
    if not _is_unicode(value):
        return None, f"the {role} {_short(value)} holds half a character (a lone surrogate)"
    return value, None


def _time_as_text(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _short(value: object) -> str:
    shown = ascii(value) if isinstance(value, str) and not _is_unicode(value) else repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


# Names


def _bad_names(cells: pl.DataFrame) -> dict[int, str]:
    """What is wrong with names, by position; nulls are not looked at."""
    problems: dict[int, str] = {}
    for role in reversed(NAME_ROLES):
        names = cells[role]
        for position in (names.str.len_chars() > MAX_NAME_LENGTH).arg_true():
            length = len(names[position])
            problems[position] = f"the {role} has {length:,} characters; expected {MAX_NAME_LENGTH:,} at most"
        for position in (names == "").arg_true():
            problems[position] = f"the {role} is empty"
    for position in cells["relation"].str.ends_with(INVERSE_MARK).arg_true():
        name = _short(cells["relation"][position])
        problems.setdefault(position, f"the relation {name} ends in {INVERSE_MARK!r}, which marks inverse relations")
    return problems


def _numbered(cells: pl.DataFrame) -> dict[str, Any]:
    entities = _distinct(cells.select(pl.concat_list("subject", "object").explode()).to_series())
    relations = _distinct(cells["relation"])

    def positions(role: str, names: list[str]) -> Integers:
        return cells[role].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()

    return {
        "entities": entities,
        "relations": relations,
        "subject": positions("subject", entities),
        "relation": positions("relation", relations),
        "object": positions("object", entities),
    }


def _distinct(names: pl.Series) -> list[str]:
    return names.unique(maintain_order=True).to_list()


# Times


class _Times(NamedTuple):
    """What kind of times is expected, and the timestamp of each; null where it is of another kind, or none."""

    kind: TimeKind
    timestamps: pl.Series


def _read_times(times: pl.Series, timeline: Timeline | None, given: Step | None, time_zone: str) -> _Times:
    if timeline is None:
        as_integers = given is not None and given.unit == "integer"
        found = parse_column(times, as_integers=as_integers, time_zone=time_zone)
        return _Times(found.kind, found.timestamps)
    whole = timeline.unit == "integer"
    table = parse_times(times if whole else _spelled(times), as_integers=whole, time_zone=timeline.time_zone)
    fits = (pl.col("kind") == "integer") == whole
    return _Times("integer" if whole else "date", table.select(pl.when(fits).then("timestamp")).to_series())


def _spelled(times: pl.Series) -> pl.Series:
    times = times.str.strip_chars()
    for pattern, iso in _SPELLINGS:
        times = times.str.replace(pattern, iso)
    return times


def _bad_times(cells: pl.Series, times: _Times) -> dict[int, str]:
    bad = times.timestamps.is_null() & cells.is_not_null()
    unread = cells.filter(bad)
    kinds = parse_times(unread)["kind"]
    problems = map(partial(_problem_of_time, times.kind), unread, kinds)
    return dict(zip(bad.arg_true(), problems, strict=True))


def _problem_of_time(expected: TimeKind, time: str, found: TimeKind | None) -> str:
    if not time.strip():
        return "the time is empty"
    if found in (None, expected):
        return f"the time {_short(time)} is not understood"
    return f"the time {_short(time)} is {_KIND_NAMES[found]}, but {_KIND_NAMES[expected]} is expected"


def _far_away(positions: pl.Series, steps: Integers, span: Span | None, timeline: Timeline) -> dict[int, str]:
    """Events too far from the others: in the future by a typing error, or beyond what can be counted."""
    base, most = (int(steps.min()), MAX_STEPS) if span is None else (span.last, MAX_STEPS_AHEAD)
    ahead = steps > base + most
    last = int(steps[~ahead].max(initial=base))
    problems = {}
    for index in np.flatnonzero(ahead | (last - steps > MAX_STEPS)):
        apart = f"{most:,} steps after" if ahead[index] else f"{MAX_STEPS:,} steps before"
        to = timeline.label_of(base if ahead[index] else last)
        time = timeline.label_of(int(steps[index]))
        problems[positions[int(index)]] = f"the time {time} lies more than {apart} {to}; is it mistyped?"
    return problems
