"""The facts behind a rule's score: the groundings of its body that lead from the subject to one candidate.

A *path* is a grounding without its dates: a triple per atom. Dates come in afterwards, because one path may have been
walked at many times.
"""

from collections.abc import Iterator
from heapq import merge
from itertools import islice, repeat

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.visible_facts import VisibleFacts
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import find_within, first_at_least

ANY_TIME = -1
_MANY_PATHS = 100_000


@njit(cache=True, nogil=True)
def find_paths(
    visible: VisibleFacts,
    body: Ints,
    variables: Ints,
    subject: int,
    candidate: int,
    since: int,
    first_time: int,
    limit: int,
) -> Ints:
    """Up to ``limit`` paths along a body from subject to candidate over visible facts, a row a path.

    Their first facts are of ``first_time``, or of any time at or after ``since``. A depth-first search that dates
    each fact as early as the one before it allows: what cannot be dated so cannot be dated at all.
    """
    slot_start, slot_end, triple_start, triple_end = (
        visible.slot_start,
        visible.slot_end,
        visible.triple_start,
        visible.triple_end,
    )
    slot_relation = visible.slot_relation
    target, time_start, time, n_times = visible.target, visible.time_start, visible.time, visible.n_times
    length = len(body)
    paths = np.empty((min(limit, 16), length), np.int64)
    n_paths = 0
    value = np.full(length + 1, -1, np.int64)  # per variable: its entity
    value[variables[length]] = candidate
    if variables[0] == variables[length] and subject != candidate:
        return paths[:0]
    value[variables[0]] = subject
    path, cursor, end = np.zeros(length, np.int64), np.zeros(length, np.int64), np.zeros(length, np.int64)
    binds, earliest = np.zeros(length, np.bool_), np.zeros(length + 1, np.int64)
    earliest[0] = since if first_time == ANY_TIME else first_time
    depth, entering = 0, True
    while depth >= 0:
        wanted = variables[depth + 1]
        if entering:
            entering = False
            cursor[depth], end[depth], binds[depth] = 0, 0, value[wanted] < 0
            at = value[variables[depth]]
            slot = find_within(slot_relation, slot_start[at], slot_end[at], body[depth])
            if slot >= 0:
                cursor[depth], end[depth] = triple_start[slot], triple_end[slot]
                if not binds[depth]:
                    triple = find_within(target, triple_start[slot], triple_end[slot], value[wanted])
                    cursor[depth], end[depth] = triple, triple + (triple >= 0)
        descended = False
        while cursor[depth] < end[depth] and not descended:
            triple = cursor[depth]
            cursor[depth] += 1
            times_end = time_start[triple] + n_times[triple]
            place = first_at_least(time, time_start[triple], times_end, earliest[depth])
            if place == times_end or (depth == 0 and first_time != ANY_TIME and time[place] != first_time):
                continue
            path[depth], earliest[depth + 1] = triple, time[place]
            if binds[depth]:
                value[wanted] = target[triple]
            if depth < length - 1:
                descended = True
                continue
            if n_paths == len(paths):
                paths = np.concatenate((paths, np.empty_like(paths)))
            paths[n_paths] = path
            n_paths += 1
            if n_paths == limit:
                return paths[:n_paths]
        if not descended and binds[depth]:
            value[wanted] = -1
        depth += 1 if descended else -1
        entering = descended
    return paths[:n_paths]


def dated_latest(visible: VisibleFacts, path: list[int], first_time: int) -> list[int]:
    """Times for a path: the first fact is of ``first_time``, the others are as late as they can be."""
    times: list[int] = []
    for triple in reversed(path[1:]):
        own = _visible_times(visible, triple)
        end = len(own) if not times else int(np.searchsorted(own, times[0], side="right"))
        times.insert(0, int(own[end - 1]))
    return [first_time, *times]


def latest_groundings(
    visible: VisibleFacts, body: Ints, variables: Ints, subject: int, candidate: int, since: int, n: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Up to ``n`` groundings as (path, times), those whose first fact is latest first."""
    paths = find_paths(visible, body, variables, subject, candidate, since, ANY_TIME, _MANY_PATHS).tolist()
    each = [zip(repeat(path), _datings(visible, path, since)) for path in paths]
    return islice(merge(*each, key=lambda grounding: -grounding[1][0]), n)


def _datings(visible: VisibleFacts, path: list[int], since: int) -> Iterator[list[int]]:
    """All ways to date a path, late ones first."""
    if not path:
        yield []
        return
    for time in reversed(_visible_times(visible, path[0]).tolist()):
        if time < since:
            break
        for rest in _datings(visible, path[1:], time):
            yield [time, *rest]


def _visible_times(visible: VisibleFacts, triple: int) -> Ints:
    start = visible.time_start[triple]
    return visible.time[start : start + visible.n_times[triple]]
