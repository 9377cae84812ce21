"""Groups of events, each with its number of events and exponentially decayed counts.

A group is all events of a triple, of a slot (source and relation), of a pair, of an entity or of a relation. Its counts
are kept for two moments: after its latest time step, and after the one before that. A query at the newest time step or
later therefore always finds what was known before it.
"""

from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.extending import intrinsic

from tlogic.compilation import helper, inlined_kernel, kernel
from tlogic.graph.arrays import Floats, Ints

N_HALF_LIVES = 5
RECENT = 2
"""The index of the half-life of 30 days, by which recent events are weighted."""
FOREVER = N_HALF_LIVES - 1
"""The index of the infinite half-life: plain counts."""
OLD_EVENT_WEIGHT = 0.02
"""The weight of an event long ago, relative to one just now."""
_HALF_LIVES = (1.5, 7.0, 30.0, 120.0)  # in time steps
_MIN_HALF_LIFE = 0.5  # in time steps
_MIN_SPAN = 240  # in time steps; the half-lives shrink for data that spans less
_MAX_AGE = 8192  # in time steps; older events have decayed to nothing


Groups: TypeAlias = Ints
"""Some groups of one kind: one row of 32-bit integers each, so that a lookup touches one or two cache lines.

The first fields are the latest time and the number of events until then, the time before that and the number of events
until then; four decayed counts at the latest time, and four at the time before, as the bits of floating-point numbers.
Groups of some kinds have further fields.
"""
LATEST, N_LATEST, EARLIER, N_EARLIER, COUNTS = range(5)
N_FIELDS = COUNTS + 2 * FOREVER

MEMBER, PART, LAST, N_UNTIL, COUNT = range(5)
"""Fields of records in lists: an entity or a relation, the group of its events, and a copy of the group's latest time,
number of events and decayed count of recent ones. Going through a list then touches no groups."""
N_RECORD_FIELDS = COUNT + 1


@intrinsic
def _float_of(_: Any, bits: Any) -> Any:  # noqa: ARG001
    """The floating-point number with the bits of an integer."""
    return types.float32(types.int32), lambda context, builder, _, arguments: builder.bitcast(
        arguments[0], context.get_value_type(types.float32)
    )


@intrinsic
def _bits_of(_: Any, number: Any) -> Any:  # noqa: ARG001
    """The bits of a floating-point number, as an integer."""
    return types.int32(types.float32), lambda context, builder, _, arguments: builder.bitcast(
        arguments[0], context.get_value_type(types.int32)
    )


float_of: Any = _float_of
bits_of: Any = _bits_of


def half_lives(span: int) -> tuple[float, ...]:
    """Four half-lives in time steps, scaled down for short data, and an infinite one.

    They belong to a model: fitting chooses them by the span of its data, and forecasts use the same.

    >>> half_lives(365)
    (1.5, 7.0, 30.0, 120.0, inf)
    """
    scale = min(span / _MIN_SPAN, 1.0)
    return (*(max(life * scale, _MIN_HALF_LIFE) for life in _HALF_LIVES), np.inf)


def decay_table(lives: Floats) -> Floats:
    """Per finite half-life and age: 2^(-age / half-life)."""
    return np.exp2(-np.arange(_MAX_AGE) / lives[:FOREVER, None])


def new_groups(n: int, n_more_fields: int = 0) -> Groups:
    """Groups without events: all fields are 0."""
    return np.zeros((n, N_FIELDS + n_more_fields), np.int32)


def with_more_groups(groups: Groups, n: int) -> Groups:
    """The same groups, and empty ones behind them, whose memory is not touched until they are used."""
    more = new_groups(n, groups.shape[1] - N_FIELDS)
    more[: len(groups)] = groups
    return more


@helper
def decayed(decay: Floats, h: int, age: int) -> float:
    """What is left of one event after some time steps."""
    return decay[h, age] if age < _MAX_AGE else 0.0


@kernel
def add_events(decay: Floats, groups: Groups, group: int, time: int, n: int) -> None:
    """Count events of a group, which are not before its latest time."""
    gap = time - groups[group, LATEST]
    for h in range(FOREVER):
        count = float_of(groups[group, COUNTS + h])
        if gap > 0:
            groups[group, COUNTS + FOREVER + h] = groups[group, COUNTS + h]
            count = np.float32(count * decayed(decay, h, gap))
        groups[group, COUNTS + h] = bits_of(np.float32(count + np.float32(n)))
    if gap > 0:
        groups[group, EARLIER], groups[group, N_EARLIER] = groups[group, LATEST], groups[group, N_LATEST]
        groups[group, LATEST] = time
    groups[group, N_LATEST] += n


@helper
def is_new_at(groups: Groups, group: int, time: int) -> bool:
    """Whether a group has had no event at a time step yet, which is not before its latest one."""
    return groups[group, N_LATEST] == 0 or groups[group, LATEST] < time


@inlined_kernel
def moment_before(groups: Groups, group: int, now: int) -> int:
    """Which of the two moments of a group is the last one before now: 0 or 1; -1 if there is none."""
    if group < 0 or groups[group, N_LATEST] == 0:
        return -1
    if groups[group, LATEST] < now:
        return 0
    return 1 if groups[group, N_EARLIER] else -1


@inlined_kernel
def time_of(groups: Groups, group: int, moment: int) -> int:
    """The time of a moment."""
    return groups[group, LATEST + 2 * moment]


@inlined_kernel
def n_events(groups: Groups, group: int, moment: int) -> int:
    """The number of events until a moment."""
    return groups[group, N_LATEST + 2 * moment]


@helper
def _count(groups: Groups, group: int, moment: int, h: int) -> float:
    return float_of(groups[group, COUNTS + FOREVER * moment + h])


@inlined_kernel
def count_at(decay: Floats, groups: Groups, group: int, moment: int, h: int, now: int) -> float:
    """The decayed count of a group, from its last moment before now."""
    if h == FOREVER:
        return float(n_events(groups, group, moment))
    return _count(groups, group, moment, h) * decayed(decay, h, now - time_of(groups, group, moment))


@inlined_kernel
def weight_at(decay: Floats, groups: Groups, group: int, moment: int, now: int) -> float:
    """The weight of a group: its decayed count, plus a little for each event, however old."""
    old = OLD_EVENT_WEIGHT * n_events(groups, group, moment)
    return count_at(decay, groups, group, moment, RECENT, now) + old


@helper
def copy_group(groups: Groups, group: int, record: Ints, at: int) -> None:
    """Copy what a record in a list tells of its group."""
    record[at, LAST], record[at, N_UNTIL] = groups[group, LATEST], groups[group, N_LATEST]
    record[at, COUNT] = groups[group, COUNTS + RECENT]


@helper
def last_before(record: Ints, at: int, groups: Groups, now: int) -> int:
    """The last time before now at which the group of a record had an event, or -1."""
    if record[at, LAST] < now:
        return record[at, LAST]
    moment = moment_before(groups, record[at, PART], now)
    return time_of(groups, record[at, PART], moment) if moment >= 0 else -1


@helper
def weight_before(decay: Floats, record: Ints, at: int, groups: Groups, now: int) -> float:
    """The weight of the group of a record, which has events before now."""
    if record[at, LAST] < now:
        count = float_of(record[at, COUNT]) * decayed(decay, RECENT, now - record[at, LAST])
        return count + OLD_EVENT_WEIGHT * record[at, N_UNTIL]
    group = record[at, PART]
    return weight_at(decay, groups, group, moment_before(groups, group, now), now)


@inlined_kernel
def share(decay: Floats, parts: Groups, part: int, moment: int, wholes: Groups, whole: int, last: int, h: int) -> float:
    """The decayed share of a group in a larger one that contains it, from the last moments of both.

    Decay after the later of the two times cancels out, so the share neither overflows nor vanishes.
    """
    if h == FOREVER:
        return n_events(parts, part, moment) / n_events(wholes, whole, last)
    between = time_of(wholes, whole, last) - time_of(parts, part, moment)
    return _count(parts, part, moment, h) / _count(wholes, whole, last, h) * decayed(decay, h, between)
