"""Hash tables, lists and groups of events do what dicts, lists and sums do, also when they grow."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tlogic.evidence.groups import (
    FOREVER,
    N_HALF_LIVES,
    OLD_EVENT_WEIGHT,
    RECENT,
    add_events,
    count_at,
    decay_table,
    half_lives,
    moment_before,
    n_events,
    new_groups,
    share,
    time_of,
    weight_at,
    with_more_groups,
)
from tlogic.evidence.lists import (
    Lists,
    append,
    can_extend,
    compact_extent,
    compact_records,
    first_of,
    new_lists,
    size_of,
    with_more_lists,
    with_more_records,
)
from tlogic.evidence.tables import add_key, has_room, joint_key, keys_of, larger_table, n_keys, new_table, number_of
from tlogic.graph.array_file import ArrayOrParts, ArrayParts

KEYS = st.one_of(st.integers(0, 40), st.integers(0, 2**63 - 1), st.integers(0, 60).map(lambda i: i << 32))
LIVES = half_lives(60)
DECAY = decay_table(np.array(LIVES))


@settings(max_examples=100)
@given(st.lists(KEYS, max_size=300), st.lists(KEYS, max_size=20))
def test_a_table_numbers_keys_as_a_dict_does(keys: list[int], others: list[int]) -> None:
    table, expected = new_table(), dict[int, int]()
    for key in keys:
        if not has_room(table, 1):
            table = larger_table(table)
        assert add_key(table, key) == expected.setdefault(key, len(expected))
    assert n_keys(table) == len(expected)
    assert keys_of(table).tolist() == list(expected)
    assert [number_of(table, key) for key in [*keys, *others]] == [expected.get(key, -1) for key in [*keys, *others]]


def test_a_table_grows_before_it_is_full() -> None:
    """The load stays so low that lookups of unknown keys end soon."""
    table = new_table()
    for key in range(10_000):
        if not has_room(table, 1):
            table = larger_table(table)
        add_key(table, key)
    assert [number_of(table, key) for key in range(10_100)] == [*range(10_000), *[-1] * 100]
    assert 10_000 < len(table) < 50_000


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_two_numbers_make_one_key(high: int, low: int) -> None:
    one, other = np.array([[high, low]], np.int32)[0]
    assert divmod(int(joint_key(one, other)), 1 << 32) == (high, low)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 9)), max_size=200), st.integers(0, 200))
def test_lists_hold_what_lists_do(records: list[tuple[int, int]], n_before: int) -> None:
    lists = new_lists(3, 2)
    expected: list[list[list[int]]] = [[] for _ in range(6)]
    for i, (which, value) in enumerate(records):
        if i == n_before:
            lists = compacted(lists)
        if which >= len(lists.extent) - 1:
            lists = with_more_lists(lists, 6)
        if not can_extend(lists, 1):
            lists = with_more_records(lists, 1)
        append(lists, which, value, i)
        expected[which].append([value, i])
    lists = with_more_lists(lists, 6)
    assert [contents(lists, which) for which in range(6)] == expected
    assert [contents(compacted(lists), which) for which in range(6)] == expected
    assert size_of(lists, -1) == 0


def test_the_room_that_lists_left_is_used_again() -> None:
    lists = new_lists(1000, 2)
    for i in range(20_000):
        if not can_extend(lists, 1):
            lists = with_more_records(lists, 1)
        append(lists, i % 1000, i, i)
    assert len(lists.record) < 50_000  # the lists went through 84,000 records
    assert contents(lists, 999) == [[i, i] for i in range(999, 20_000, 1000)]


@pytest.mark.parametrize("sizes", [[0, 0], [7, 0, 1], [8, 16], [3, 0, 20, 0, 5], [100]])
def test_records_are_copied_in_parts(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tlogic.evidence.lists._ROWS_PER_PART", 8)
    lists = with_more_records(new_lists(len(sizes), 2), 100)
    for position in range(max(sizes)):  # in turn, so that lists move
        for which, size in enumerate(sizes):
            if position < size:
                append(lists, which, which, position)
    found = compacted(lists)
    assert [contents(found, which) for which in range(len(sizes))] == [
        [[which, position] for position in range(size)] for which, size in enumerate(sizes)
    ]


def compacted(lists: Lists) -> Lists:
    return Lists(whole(compact_extent(lists)), whole(compact_records(lists)))


def whole(array: ArrayOrParts) -> np.ndarray:
    if not isinstance(array, ArrayParts):
        return array
    made = np.concatenate([np.empty((0, array.shape[1]), array.dtype), *array.parts()])
    assert made.shape == array.shape
    return made


def contents(lists: Lists, which: int) -> list[list[int]]:
    first = first_of(lists, which)
    found: list[list[int]] = lists.record[first : first + size_of(lists, which)].tolist()
    return found


def test_there_is_room_for_as_many_records_as_promised() -> None:
    """All lists at their limit move when they become longer by one."""
    lists = new_lists(8, 2)
    for _ in range(64):
        for which in range(8):
            if which % 2 == 0 and not can_extend(lists, 2):
                lists = with_more_records(lists, 2)
            append(lists, which, which, which)
        assert lists.extent[0, 0] <= len(lists.record)
    assert all(contents(lists, which) == [[which, which]] * 64 for which in range(8))


# Groups

TIMES = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 3)), min_size=1, max_size=12)


@settings(max_examples=100)
@given(TIMES, st.integers(0, 30))
def test_counts_of_a_group_are_those_of_its_definition(events: list[tuple[int, int]], ahead: int) -> None:
    """Right before the latest time of the group and at any time after it."""
    groups = with_more_groups(new_groups(1), 3)
    for time, n in sorted(events):
        add_events(DECAY, groups, 1, time, n)
    latest = max(time for time, _ in events)
    for now in {latest, latest + 1, latest + ahead}:
        past = [time for time, n in events if time < now for _ in range(n)]
        moment = moment_before(groups, 1, now)
        if not past:
            assert moment == -1
            continue
        assert time_of(groups, 1, moment) == max(past)
        assert n_events(groups, 1, moment) == len(past)
        counts = [count_at(DECAY, groups, 1, moment, h, now) for h in range(N_HALF_LIVES)]
        assert counts == pytest.approx([decayed(past, now, h) for h in range(N_HALF_LIVES)], rel=1e-5)
        weight = decayed(past, now, RECENT) + OLD_EVENT_WEIGHT * len(past)
        assert weight_at(DECAY, groups, 1, moment, now) == pytest.approx(weight, rel=1e-5)


def decayed(times: list[int], now: int, h: int) -> float:
    return sum(2.0 ** (-(now - time) / LIVES[h]) for time in times)


@settings(max_examples=100)
@given(TIMES, TIMES, st.integers(0, 1))
def test_shares_are_those_of_the_definition(
    own: list[tuple[int, int]], others: list[tuple[int, int]], ahead: int
) -> None:
    parts, wholes = new_groups(1), new_groups(1)
    for time, n in sorted(own):
        add_events(DECAY, parts, 0, time, n)
    for time, n in sorted([*own, *others]):
        add_events(DECAY, wholes, 0, time, n)
    now = max(time for time, _ in [*own, *others]) + ahead
    moment, last = moment_before(parts, 0, now), moment_before(wholes, 0, now)
    if moment < 0:
        return
    past, every = ([time for time, n in events if time < now for _ in range(n)] for events in (own, [*own, *others]))
    for h in range(N_HALF_LIVES):
        expected = decayed(past, now, h) / decayed(every, now, h)
        assert share(DECAY, parts, 0, moment, wholes, 0, last, h) == pytest.approx(expected, rel=1e-4)


def test_groups_that_have_no_events_have_no_moment() -> None:
    groups = new_groups(2)
    assert [moment_before(groups, group, 5) for group in (-1, 0, 1)] == [-1, -1, -1]


def test_events_decay_to_nothing() -> None:
    groups = new_groups(1)
    add_events(DECAY, groups, 0, 0, 1)
    add_events(DECAY, groups, 0, 100_000, 1)
    moment = moment_before(groups, 0, 200_000)
    assert [count_at(DECAY, groups, 0, moment, h, 200_000) for h in (0, FOREVER)] == [0.0, 2.0]
    assert count_at(DECAY, groups, 0, moment, 0, 100_001) == pytest.approx(2.0 ** (-1 / LIVES[0]))
    assert math.isinf(LIVES[FOREVER])
