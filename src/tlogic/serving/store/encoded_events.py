"""Validates incoming events and encodes them as integers. Invalid events are reported with their positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
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
# Those that data frames strip, too.
_WHITESPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_WHITESPACE += "\u2028\u2029\u202f\u205f\u3000"
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

    @property
    def n_distinct(self) -> int:
        """The number of events without those that repeat another one."""
        return len(np.unique([self.subject, self.relation, self.object, self.step], axis=1).T)

    @classmethod
    def from_table(cls, table: EventTable, timeline: Timeline | None = None) -> Self:
        """Encode the events of a table, with the time steps of the given timeline or else of the table.

        >>> from tlogic.events import read_events
        >>> calls = {"subject": ["Ann"], "relation": ["calls"], "object": ["Bob"], "day": ["2014-08-09"]}
        >>> table = read_events(pl.DataFrame(calls))
        >>> EncodedEvents.from_table(table, Timeline("day", 1, "2014-08-11")).step.tolist()
        [-2]
        """
        _raise_problems(_table_problems(table.frame), table.frame.height)
        steps = table.frame["step"].to_numpy().astype(np.int64)
        events = cls(**_encoded_table(table.frame), step=steps, timeline=table.timeline)
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
    n_events = len(cells.time)
    if not n_events:
        raise InputError("The batch has no events.")
    times = _read_times(cells.time, timeline, given, time_zone)
    problems = _time_problems(cells.time, times) | problems
    readable = [position for position, timestamp in enumerate(times.timestamps) if timestamp is not None]
    if not readable:
        _raise_problems(problems, n_events)
    timestamps = np.array([times.timestamps[position] for position in readable], np.int64)
    if timeline is None:
        timeline = build_timeline(times.kind, np.unique(timestamps), given, time_zone)
    steps = timeline.steps_at(timestamps)
    _raise_problems(_span_problems(readable, steps, span, timeline) | problems, n_events)
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


# Cells. A live batch has few events, for which Python is faster than data frames: these hand their work to other
# threads, and each time wait for the interpreter, which other requests use.


class _Cells(NamedTuple):
    """The cells of a batch as text, with names stripped; None where a cell is invalid."""

    subject: list[Any]
    relation: list[Any]
    object: list[Any]
    time: list[Any]


def _cells(rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> tuple[_Cells, dict[int, str]]:
    """The cells, and what is wrong with them, by position."""
    cells = _Cells([], [], [], [])
    problems: dict[int, str] = {}
    name_problems: dict[int, str] = {}
    for position, row in enumerate(rows):
        for role, value, column in zip(ROLES, _values(row), cells, strict=True):
            text, reason = _text(role, value)
            if text is not None and role in NAME_ROLES:
                text = text.strip(_WHITESPACE)
                if name_problem := _name_problem(role, text):
                    name_problems.setdefault(position, name_problem)
            column.append(text)
            if reason:
                problems.setdefault(position, reason)
    return cells, name_problems | problems


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


def _name_problem(role: str, name: str) -> str | None:
    """What is wrong with a name."""
    if not name:
        return f"the {role} is empty"
    if len(name) > MAX_NAME_LENGTH:
        return f"the {role} has {len(name):,} characters; expected at most {MAX_NAME_LENGTH:,}"
    if role == "relation" and name.endswith(INVERSE_MARK):
        return f"the relation {_short(name)} ends in {INVERSE_MARK!r}, which marks inverse relations"
    return None


def _table_problems(frame: pl.DataFrame) -> dict[int, str]:
    """What is wrong with the names of a table, by position."""
    problems: dict[int, str] = {}
    for role in NAME_ROLES:
        names = frame[role]
        wrong = (names.str.len_chars() > MAX_NAME_LENGTH) | (names == "") | names.str.ends_with(INVERSE_MARK)
        for position in wrong.arg_true():
            if problem := _name_problem(role, names[position]):
                problems.setdefault(position, problem)
    return problems


def _encoded(cells: _Cells) -> dict[str, Any]:
    entities: dict[str, int] = {}
    relations: dict[str, int] = {}
    ids = [
        (
            entities.setdefault(subject, len(entities)),
            relations.setdefault(relation, len(relations)),
            entities.setdefault(object_, len(entities)),
        )
        for subject, relation, object_, _ in zip(*cells, strict=True)
    ]
    columns = np.array(ids, np.int64).T.copy()
    return {"entities": list(entities), "relations": list(relations), **dict(zip(NAME_ROLES, columns, strict=True))}


def _encoded_table(frame: pl.DataFrame) -> dict[str, Any]:
    entities = _distinct(frame.select(pl.concat_list("subject", "object").explode()).to_series())
    relations = _distinct(frame["relation"])

    def positions(role: str, names: list[str]) -> Integers:
        return frame[role].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()

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
    """The expected kind of times, and the parsed times; None if a time is invalid or of another kind."""

    kind: TimeKind
    timestamps: list[int | None]


def _read_times(times: list[str | None], timeline: Timeline | None, given: Step | None, time_zone: str) -> _Times:
    if timeline is None:
        as_integers = given is not None and given.unit == "integer"
        found = parse_column(pl.Series(times, dtype=pl.String), as_integers=as_integers, time_zone=time_zone)
        return _Times(found.kind, found.timestamps.to_list())
    whole = timeline.unit == "integer"
    if len(set(times)) == 1 and times[0] is not None:
        timestamps = [_timestamp_of(times[0], whole, timeline.time_zone)] * len(times)
    else:
        timestamps = _timestamps_of(times, whole, timeline.time_zone)
    return _Times("integer" if whole else "date", timestamps)


@lru_cache(maxsize=1000)
def _timestamp_of(time: str, whole: bool, time_zone: str) -> int | None:
    """One time. Live events often have the same date."""
    return _timestamps_of([time], whole, time_zone)[0]


def _timestamps_of(times: list[str | None], whole: bool, time_zone: str) -> list[int | None]:
    cells = pl.Series(times, dtype=pl.String)
    table = parse_times(cells if whole else _as_iso_dates(cells), as_integers=whole, time_zone=time_zone)
    fits = (pl.col("kind") == "integer") == whole
    return table.select(pl.when(fits).then("timestamp")).to_series().to_list()


def _as_iso_dates(times: pl.Series) -> pl.Series:
    times = times.str.strip_chars()
    for pattern, iso in _DATE_SPELLINGS:
        times = times.str.replace(pattern, iso)
    return times


def _time_problems(cells: list[str | None], times: _Times) -> dict[int, str]:
    pairs = enumerate(zip(cells, times.timestamps, strict=True))
    unparsed = {position: cell for position, (cell, timestamp) in pairs if timestamp is None and cell is not None}
    if not unparsed:
        return {}
    kinds = parse_times(pl.Series(list(unparsed.values()), dtype=pl.String))["kind"]
    return dict(zip(unparsed, map(partial(_time_problem, times.kind), unparsed.values(), kinds), strict=True))


def _time_problem(expected: TimeKind, time: str, found: TimeKind | None) -> str:
    if not time.strip():
        return "the time is empty"
    if found in (None, expected):
        return f"the time {_short(time)} cannot be parsed"
    return f"the time {_short(time)} is {_KIND_NAMES[found]}, but {_KIND_NAMES[expected]} is expected"


def _span_problems(positions: Sequence[int], steps: Integers, span: Span | None, timeline: Timeline) -> dict[int, str]:
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
