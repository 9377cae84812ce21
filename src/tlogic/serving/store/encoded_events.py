"""Validates incoming events and encodes them as integers. Invalid events are reported with their positions."""

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
# A live event further in the future is assumed to have a mistyped date.
MAX_STEPS_AHEAD = 100_000
# A live event so far before all others is assumed to have one, too.
MAX_STEPS_BEHIND = 10_000_000
# Kernels use 32-bit times.
MAX_STEPS = 2**31 - 1
MAX_SHOWN_PROBLEMS = 5

# If dates are expected, digits are read as a year or a date, whatever else a batch contains.
_DATE_SPELLINGS = ((r"^([0-9]{4})$", "${1}-01"), (r"^([12][0-9]{3})([0-9]{2})([0-9]{2})$", "${1}-${2}-${3}"))

_WRONG_SHAPE = object()
_KIND_NAMES = {"integer": "an integer", "year": "a year", "month": "a month", "date": "a date"}


class InvalidEvent(NamedTuple):
    """An invalid event of a batch: its position, counted from 0, and what is wrong."""

    position: int
    reason: str


class InvalidEventsError(InputError):
    """Some events of a batch are invalid, so none was added; `problems` lists all invalid events.

    >>> print(InvalidEventsError([InvalidEvent(3, "the subject is empty")], 10))
    1 of 10 events is invalid, so none was added:
    event 3 (counted from 0): the subject is empty
    """

    def __init__(self, problems: Sequence[InvalidEvent], events: int) -> None:
        self.problems = list(problems)
        verb = "is" if len(problems) == 1 else "are"
        lines = [f"{len(problems):,} of {events:,} events {verb} invalid, so none was added:"]
        for position, reason in problems[:MAX_SHOWN_PROBLEMS]:
            lines.append(f"event {position} (counted from 0): {reason}")
        if len(problems) > MAX_SHOWN_PROBLEMS:
            lines.append(f"and {len(problems) - MAX_SHOWN_PROBLEMS:,} more.")
        super().__init__("\n".join(lines))


class Span(NamedTuple):
    """The first and the last time step of events."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class EncodedEvents:
    """Validated events as integers: indices into `entities` and `relations`, and time steps of `timeline`.

    Names are in the order of their first appearance, the subject before the object.

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
        """The first and the last time step of these events."""
        return Span(int(self.step.min()), int(self.step.max()))

    @classmethod
    def from_table(cls, table: EventTable, timeline: Timeline | None = None) -> Self:
        """Encode the events of a table, with the time steps of the given timeline or else of the table.

        >>> from tlogic.events import read_events
        >>> calls = {"subject": ["Ann"], "relation": ["calls"], "object": ["Bob"], "day": ["2014-08-09"]}
        >>> table = read_events(pl.DataFrame(calls))
        >>> EncodedEvents.from_table(table, Timeline("day", 1, "2014-08-11")).step.tolist()
        [-2]
        """
        _raise_problems(_name_problems(table.frame), table.frame.height)
        steps = table.frame["step"].to_numpy().astype(np.int64)
        events = cls(**_encoded(table.frame), step=steps, timeline=table.timeline)
        return events if timeline is None else events.on(timeline)

    def on(self, timeline: Timeline) -> Self:
        """The same events with the time steps of another timeline, which must contain those of this one."""
        own = self.timeline
        if own == timeline:
            return self
        if own.has_dates and own.time_zone == timeline.time_zone and timeline.unit != "integer":
            seconds = own.labels_of(self.step).astype("datetime64[s]").astype(np.int64)
            return replace(self, step=timeline.steps_at(seconds), timeline=timeline)
        units_differ = own.unit != timeline.unit or timeline.has_dates
        if units_differ or own.time_zone != timeline.time_zone or timeline.count % own.count:
            raise _timeline_mismatch(own, timeline)
        units = Timeline(timeline.unit, 1, timeline.origin).step_of(own.origin)
        if units % own.count:
            raise _timeline_mismatch(own, timeline)
        return replace(self, step=(self.step * own.count + units) // timeline.count, timeline=timeline)


def check_events(
    rows: Iterable[Mapping[str, Any] | Sequence[Any]],
    timeline: Timeline | None = None,
    *,
    span: Span | None = None,
    step: str | int | None = None,
    time_zone: str = "UTC",
) -> EncodedEvents:
    """Validate and encode events.

    Args:
        rows: Mappings or tuples of subject, relation, object and time. A time is a string, an integer or a date.
        timeline: The timeline of the store; by default, it is derived from the events.
        span: The first and last time step of the store. Events must not be too far from it.
        step: The length of a time step, such as "1d", if there is no timeline yet.
        time_zone: The time zone of the timeline, if there is none yet.

    Returns:
        The encoded events.

    Raises:
        InvalidEventsError: If an event is invalid.
        InputError: If there are no events, or the time step differs from the one of the timeline.

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
        raise InputError("The batch has no events.")
    times = _read_times(cells["time"], timeline, given, time_zone)
    problems = _time_problems(cells["time"], times) | _name_problems(cells) | problems
    readable = times.timestamps.is_not_null()
    if not readable.any():
        _raise_problems(problems, cells.height)
    timestamps = times.timestamps.drop_nulls()
    if timeline is None:
        timeline = build_timeline(times.kind, timestamps.unique().sort().to_numpy(), given, time_zone)
    steps = timeline.steps_at(timestamps.to_numpy())
    _raise_problems(_span_problems(readable.arg_true(), steps, span, timeline) | problems, cells.height)
    return EncodedEvents(**_encoded(cells), step=steps, timeline=timeline)


def check_step(timeline: Timeline, step: str | int | None) -> None:
    """Refuse a time step that differs from the one of the timeline.

    >>> check_step(Timeline("day", 1, "2014-08-09"), "1d")
    """
    if step is not None and not parse_step(step).is_as_long_as(Step(timeline.unit, timeline.count)):
        raise InputError(
            f"The time step {step!r} differs from the one of the store, which is {timeline.step_size}; leave it out."
        )


def check_span(span: Span, timeline: Timeline) -> None:
    """Refuse a span that does not fit into 32-bit times.

    >>> check_span(Span(-5, 10), Timeline("day", 1, "2014-08-09"))
    """
    if span.last - span.first > MAX_STEPS:
        raise InputError(
            f"The first and the last event are more than {MAX_STEPS:,} time steps of {timeline.step_size} apart, "
            "which is the limit."
        )


def _raise_problems(problems: Mapping[int, str], events: int) -> None:
    if problems:
        raise InvalidEventsError([InvalidEvent(position, problems[position]) for position in sorted(problems)], events)


def _timeline_mismatch(found: Timeline, expected: Timeline) -> InputError:
    def described(timeline: Timeline) -> str:
        return f"time steps of {timeline.description} from {timeline.origin} ({timeline.time_zone})"

    return InputError(
        f"The events have {described(found)}, the store has {described(expected)}; "
        "read the events with the time step and time zone of the store."
    )


# Cells


def _cells(rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> tuple[pl.DataFrame, dict[int, str]]:
    """The cells as text, with names stripped, null where a cell is invalid; and what is wrong, by position."""
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
        return [_WRONG_SHAPE] * len(ROLES)
    return row


def _text(role: str, value: Any) -> tuple[str | None, str | None]:
    """A cell as text, or None, and what is wrong with it."""
    if value is _WRONG_SHAPE:
        return None, "expected subject, relation, object and time"
    if value is None:
        return None, f"the {role} is missing"
    if role == "time":
        value = _time_as_text(value)
    if not isinstance(value, str):
        expected = "a string, an integer or a date" if role == "time" else "a string"
        return None, f"the {role} is {_short(value)}; expected {expected}"
    if not _is_unicode(value):
        return None, f"the {role} {_short(value)} is not valid Unicode (it has a lone surrogate)"
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


def _name_problems(cells: pl.DataFrame) -> dict[int, str]:
    """What is wrong with names, by position. Nulls are ignored."""
    problems: dict[int, str] = {}
    for role in reversed(NAME_ROLES):
        names = cells[role]
        for position in (names.str.len_chars() > MAX_NAME_LENGTH).arg_true():
            length = len(names[position])
            problems[position] = f"the {role} has {length:,} characters; expected at most {MAX_NAME_LENGTH:,}"
        for position in (names == "").arg_true():
            problems[position] = f"the {role} is empty"
    for position in cells["relation"].str.ends_with(INVERSE_MARK).arg_true():
        name = _short(cells["relation"][position])
        problems.setdefault(position, f"the relation {name} ends in {INVERSE_MARK!r}, which marks inverse relations")
    return problems


def _encoded(cells: pl.DataFrame) -> dict[str, Any]:
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
    """The expected kind of times, and the parsed times; null if a time is invalid or of another kind."""

    kind: TimeKind
    timestamps: pl.Series


def _read_times(times: pl.Series, timeline: Timeline | None, given: Step | None, time_zone: str) -> _Times:
    if timeline is None:
        as_integers = given is not None and given.unit == "integer"
        found = parse_column(times, as_integers=as_integers, time_zone=time_zone)
        return _Times(found.kind, found.timestamps)
    whole = timeline.unit == "integer"
    table = parse_times(times if whole else _as_iso_dates(times), as_integers=whole, time_zone=timeline.time_zone)
    fits = (pl.col("kind") == "integer") == whole
    return _Times("integer" if whole else "date", table.select(pl.when(fits).then("timestamp")).to_series())


def _as_iso_dates(times: pl.Series) -> pl.Series:
    times = times.str.strip_chars()
    for pattern, iso in _DATE_SPELLINGS:
        times = times.str.replace(pattern, iso)
    return times


def _time_problems(cells: pl.Series, times: _Times) -> dict[int, str]:
    bad = times.timestamps.is_null() & cells.is_not_null()
    unparsed = cells.filter(bad)
    kinds = parse_times(unparsed)["kind"]
    problems = map(partial(_time_problem, times.kind), unparsed, kinds)
    return dict(zip(bad.arg_true(), problems, strict=True))


def _time_problem(expected: TimeKind, time: str, found: TimeKind | None) -> str:
    if not time.strip():
        return "the time is empty"
    if found in (None, expected):
        return f"the time {_short(time)} cannot be parsed"
    return f"the time {_short(time)} is {_KIND_NAMES[found]}, but {_KIND_NAMES[expected]} is expected"


def _span_problems(positions: pl.Series, steps: Integers, span: Span | None, timeline: Timeline) -> dict[int, str]:
    """Events too far after or before those of the store, or too far apart for 32-bit times."""
    newest, ahead = (int(steps.min()), MAX_STEPS) if span is None else (span.last, MAX_STEPS_AHEAD)
    is_ahead = steps > newest + ahead
    last = int(steps[~is_ahead].max(initial=newest))
    oldest, behind = (last, MAX_STEPS) if span is None else (span.first, MAX_STEPS_BEHIND)
    is_behind = (oldest - steps > behind) | (last - steps > MAX_STEPS)
    problems = {}
    for index in np.flatnonzero(is_ahead | is_behind):
        apart = f"{ahead:,} time steps after" if is_ahead[index] else f"{behind:,} time steps before"
        to = timeline.label_of(newest if is_ahead[index] else oldest)
        time = timeline.label_of(int(steps[index]))
        problems[positions[int(index)]] = f"the time {time} is more than {apart} {to}; is it mistyped?"
    return problems
