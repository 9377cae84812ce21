"""The facts behind a rule's score: the groundings of its body that lead from the subject to one candidate.

A *path* is a grounding without its times: one triple per atom. Times are assigned afterwards, because the facts of one
path may have occurred at many times.
"""

from collections.abc import Iterator
from heapq import merge
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.forecasting.grounding.visible_facts import VisibleFacts
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import find_within, first_at_least

ANY_TIME = -1
_MAX_PATHS = 100_000
_INITIAL_PATHS = 16


class _PathSearch(NamedTuple):
    """The state of a depth-first search along a body."""

    value: Ints
    """Per variable: the entity it is bound to, or -1."""
    path: Ints
    """Per atom: its triple."""
    cursor: Ints
    end: Ints
    """Per atom: the triples still to be followed, as a range of the stack of triples."""
    binds: Ints
    """Per atom: 1 if it binds a new variable, 0 if its target is already bound."""
    earliest: Ints
    """Per atom: the earliest time that its fact may have."""


@kernel
def find_paths(
    visible: VisibleFacts,
    rank: Ints,
    body: Ints,
    variables: Ints,
    subject: int,
    candidate: int,
    since: int,
    first_time: int,
    limit: int,
) -> Ints:
    """Up to ``limit`` paths along a body from subject to candidate over visible facts, one path per row.

    Their first facts are of ``first_time``, or of any time at or after ``since`` if it is ANY_TIME. The search is
    depth-first and gives each fact the earliest time that the fact before it allows: if that fails, no assignment of
    times exists. It follows triples in the order of their targets' names, which ``rank`` gives.
    """
    length = len(body)
    paths = np.empty((min(limit, _INITIAL_PATHS), length), np.int64)
    if variables[0] == variables[length] and subject != candidate:
        return paths[:0]
    search = _new_search(variables, subject, candidate, since if first_time == ANY_TIME else first_time)
    n_paths, depth = 0, 0
    stack = _enter(visible, rank, body, variables, search, 0, np.empty(_INITIAL_PATHS, np.int64))
    while depth >= 0:
        if not _follow_next(visible, variables, search, depth, first_time, stack):
            depth -= 1
        elif depth < length - 1:
            depth += 1
            stack = _enter(visible, rank, body, variables, search, depth, stack)
        else:
            if n_paths == len(paths):
                paths = np.concatenate((paths, np.empty_like(paths)))
            paths[n_paths] = search.path
            n_paths += 1
            if n_paths == limit:
                break
    return paths[:n_paths]


@helper
def _new_search(variables: Ints, subject: int, candidate: int, earliest: int) -> _PathSearch:
    """A search that has bound the first and the last variable only."""
    length = len(variables) - 1
    search = _PathSearch(
        np.full(length + 1, -1, np.int64),
        np.zeros(length, np.int64),
        np.zeros(length, np.int64),
        np.zeros(length, np.int64),
        np.zeros(length, np.int64),
        np.zeros(length + 1, np.int64),
    )
    search.value[variables[length]] = candidate
    search.value[variables[0]] = subject
    search.earliest[0] = earliest
    return search


@helper
def _enter(
    visible: VisibleFacts, rank: Ints, body: Ints, variables: Ints, search: _PathSearch, depth: int, stack: Ints
) -> Ints:
    """Put the triples that match the atom at this depth on the stack, sorted by the names of their targets.

    Returns the stack, reallocated if it was too small.
    """
    source, target = search.value[variables[depth]], search.value[variables[depth + 1]]
    start = search.end[depth - 1] if depth > 0 else 0
    search.cursor[depth], search.end[depth], search.binds[depth] = start, start, target < 0
    slot = find_within(visible.slot_relation, visible.slot_start[source], visible.slot_end[source], body[depth])
    if slot < 0:
        return stack
    first, end = visible.triple_start[slot], visible.triple_end[slot]
    if target >= 0:
        first = find_within(visible.target, first, end, target)
        end = first + (first >= 0)
    n = end - first
    if start + n > len(stack):
        stack = np.concatenate((stack[:start], np.empty(start + 2 * n, np.int64)))
    stack[start : start + n] = first + np.argsort(rank[visible.target[first:end]], kind="mergesort")
    search.end[depth] = start + n
    return stack


@helper
def _follow_next(
    visible: VisibleFacts, variables: Ints, search: _PathSearch, depth: int, first_time: int, stack: Ints
) -> bool:
    """Follow the next triple at this depth that has a feasible time; False if there is none left."""
    time_start, time, n_times = visible.time_start, visible.time, visible.n_times
    while search.cursor[depth] < search.end[depth]:
        triple = stack[search.cursor[depth]]
        search.cursor[depth] += 1
        end = time_start[triple] + n_times[triple]
        i = first_at_least(time, time_start[triple], end, search.earliest[depth])
        if i == end or (depth == 0 and first_time != ANY_TIME and time[i] != first_time):
            continue
        search.path[depth], search.earliest[depth + 1] = triple, time[i]
        if search.binds[depth]:
            search.value[variables[depth + 1]] = visible.target[triple]
        return True
    if search.binds[depth]:
        search.value[variables[depth + 1]] = -1
    return False


def latest_times(visible: VisibleFacts, path: list[int], first_time: int) -> list[int]:
    """Times for the facts of a path: ``first_time`` for the first, and the latest feasible ones for the others."""
    times: list[int] = []
    for triple in reversed(path[1:]):
        own = _visible_times(visible, triple)
        end = len(own) if not times else int(np.searchsorted(own, times[0], side="right"))
        times.insert(0, int(own[end - 1]))
    return [first_time, *times]


def latest_groundings(
    visible: VisibleFacts, rank: Ints, body: Ints, variables: Ints, subject: int, candidate: int, since: int, n: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Up to ``n`` groundings as (path, times), in decreasing order of the time of their first fact, then by names."""
    paths = find_paths(visible, rank, body, variables, subject, candidate, since, ANY_TIME, _MAX_PATHS).tolist()
    groundings = [zip(repeat(path), _time_assignments(visible, path, since)) for path in paths]
    return islice(merge(*groundings, key=lambda grounding: -grounding[1][0]), n)


def _time_assignments(visible: VisibleFacts, path: list[int], since: int) -> Iterator[list[int]]:
    """All feasible times for the facts of a path, latest first."""
    if not path:
        yield []
        return
    for time in reversed(_visible_times(visible, path[0]).tolist()):
        if time < since:
            break
        for rest in _time_assignments(visible, path[1:], time):
            yield [time, *rest]


def _visible_times(visible: VisibleFacts, triple: int) -> Ints:
    """The visible times of a triple, ascending."""
    start = visible.time_start[triple]
    return visible.time[start : start + visible.n_times[triple]]
