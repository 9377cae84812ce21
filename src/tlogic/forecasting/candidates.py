"""The candidates of one query: their scores, how these become one, and when enough rules were applied.

Scores are kept in single precision, as the published code keeps them: candidates whose evidence is too old to tell
apart count as equal.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.visible_facts import NEVER
from tlogic.graph.arrays import Floats, Ints

# The columns of a score list, and of the counts.
_START, _LENGTH, _ROOM, _IN_TOP = 0, 1, 2, 3
_N, _N_SCORES, _N_CONTENDERS, _WATCHING = 0, 1, 2, 3
_FIRST_ROOM = 4
INITIAL_CAPACITY = 1 << 12
"""Entries that output arrays of kernels have room for at first; they grow by ``with_capacity``."""


class Candidates(NamedTuple):
    """Entities that some rule proposed, encoded in order of discovery."""

    number: Ints
    """Per entity: its number, or -1."""
    entity: Ints
    miss: Floats
    """Per candidate: the product of (1 - score) over its scores so far."""
    score_list: Ints
    """Per candidate: where its scores stand (start, length, room), sorted descending, and whether it is among the
    top."""
    top: Ints
    """The k candidates with the largest score lists, largest first, once there are k."""
    contender: Ints
    """Candidates that may have to enter the top."""
    counts: Ints
    """Four numbers: how many candidates there are, how much room for scores is used, how many contenders there are, and
    whether the top is being watched."""


def new_candidates(n_entities: int, k: int) -> Candidates:
    """Room for all entities, and none of them in it."""
    return Candidates(
        number=np.full(n_entities, -1, np.int32),
        entity=np.empty(n_entities, np.int32),
        miss=np.empty(n_entities, np.float32),
        score_list=np.empty((n_entities, 4), np.int32),
        top=np.empty(k, np.int32),
        contender=np.empty(n_entities, np.int32),
        counts=np.zeros(4, np.int64),
    )


@njit(cache=True, nogil=True)
def decay_table(alpha: float, rate: float, n: int) -> Floats:
    """(1 - alpha) * exp(-rate * age) for the ages 0 .. n - 1."""
    table = np.empty(n, np.float64)
    for age in range(n):
        table[age] = (1.0 - alpha) * np.exp(-rate * age)
    return table


@njit(cache=True, nogil=True)
def add_scores(
    candidates: Candidates,
    scores: Floats,
    frontier: Frontier,
    n_found: int,
    base: float,
    decay: Floats,
    now: int,
    keep_lists: bool,
) -> Floats:
    """Score what a rule frontier, f = base + decay(now - t_1), and empty it; the scores, perhaps in larger room."""
    best, found = frontier
    number, entity, miss, score_list, top, contender, counts = candidates
    n, n_scores, n_contenders, watching = counts[_N], counts[_N_SCORES], 0, counts[_WATCHING] == 1
    if 3 * n_scores + _FIRST_ROOM * n_found > len(scores):  # enough even if every list has to move to twice its room
        scores = with_capacity(scores, n_scores, 3 * n_scores + _FIRST_ROOM * n_found)
    threshold = scores[score_list[top[-1], _START]] if watching else np.float32(0.0)
    for i in range(n_found):
        c = found[i]
        f = np.float32(base + decay[now - best[c]])
        best[c] = NEVER
        m = number[c]
        if m < 0:
            m = n
            n += 1
            number[c], entity[m], miss[m] = m, c, np.float32(1.0)
            row = score_list[m]
            row[_START], row[_LENGTH], row[_ROOM], row[_IN_TOP] = n_scores, 0, _FIRST_ROOM, 0
            if keep_lists:
                n_scores += _FIRST_ROOM
        miss[m] *= np.float32(1.0) - f
        if keep_lists:
            n_scores = _insert(score_list[m], scores, n_scores, f)
            if watching and scores[score_list[m, _START]] >= threshold and score_list[m, _IN_TOP] == 0:
                contender[n_contenders] = m
                n_contenders += 1
    counts[_N], counts[_N_SCORES], counts[_N_CONTENDERS] = n, n_scores, n_contenders
    return scores


@njit(cache=True, nogil=True)
def _insert(row: Ints, scores: Floats, n_scores: int, f: np.float32) -> int:
    """Put a score into its place in a score list, which moves to twice its room if it is full; how much room is used
    then."""
    start, length = row[_START], row[_LENGTH]
    if length == row[_ROOM]:
        for j in range(length):
            scores[n_scores + j] = scores[start + j]
        start = n_scores
        row[_START], row[_ROOM] = start, 2 * length
        n_scores += 2 * length
    place = start + length
    while place > start and scores[place - 1] < f:
        scores[place] = scores[place - 1]
        place -= 1
    scores[place] = f
    row[_LENGTH] = length + 1
    return n_scores


@njit(cache=True, nogil=True)
def has_enough(candidates: Candidates, scores: Floats, k: int, published_stop: bool) -> bool:
    """Are there k candidates? For the published stop, do the k best ones also have k different score lists?"""
    counts = candidates.counts
    if counts[_N] < k:
        return False
    if not published_stop:
        return True
    if not counts[_WATCHING]:
        _watch_top(candidates)
    return _top_is_distinct(candidates, scores)


@njit(cache=True, nogil=True)
def _watch_top(candidates: Candidates) -> None:
    """Begin to watch the top: every candidate contends for it, the first k hold it for a start."""
    k, counts = len(candidates.top), candidates.counts
    for m in range(counts[_N]):
        candidates.score_list[m, _IN_TOP] = m < k
        if m < k:
            candidates.top[m] = m
        else:
            candidates.contender[m - k] = m
    counts[_N_CONTENDERS], counts[_WATCHING] = counts[_N] - k, 1


@njit(cache=True, nogil=True)
def _top_is_distinct(candidates: Candidates, scores: Floats) -> bool:
    """Do the k best candidates have k different score lists? What the published code asks before it stops.

    Lists only grow, and growing makes a list larger. So the new top is among the old top and the contenders: candidates
    outside it that just got a score and whose largest score is not below that of the top's last.
    """
    score_list, top, contender = candidates.score_list, candidates.top, candidates.contender
    k = len(top)
    for i in range(1, k):  # lists in the top have grown: sort it anew, it is nearly sorted
        _move_up(score_list, scores, top, i)
    for i in range(candidates.counts[_N_CONTENDERS]):
        if _compare(score_list, scores, top[k - 1], contender[i]) < 0:
            score_list[top[k - 1], _IN_TOP] = 0
            score_list[contender[i], _IN_TOP] = 1
            top[k - 1] = contender[i]
            _move_up(score_list, scores, top, k - 1)
    for i in range(1, k):
        if _compare(score_list, scores, top[i - 1], top[i]) == 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _move_up(score_list: Ints, scores: Floats, top: Ints, place: int) -> None:
    """Move a candidate past those before it whose score lists are smaller."""
    m = top[place]
    while place > 0 and _compare(score_list, scores, top[place - 1], m) < 0:
        top[place] = top[place - 1]
        place -= 1
    top[place] = m


@njit(cache=True, nogil=True)
def _compare(score_list: Ints, scores: Floats, a: int, b: int) -> int:
    """Compare two score lists element by element, the longer one winning at the end: -1, 0 or 1."""
    start_a, start_b = score_list[a, _START], score_list[b, _START]
    n_a, n_b = score_list[a, _LENGTH], score_list[b, _LENGTH]
    for i in range(min(n_a, n_b)):
        if scores[start_a + i] != scores[start_b + i]:
            return 1 if scores[start_a + i] > scores[start_b + i] else -1
    return (n_a > n_b) - (n_a < n_b)


@njit(cache=True, nogil=True)
def write_candidates(candidates: Candidates, entity: Ints, score: Floats, place: int) -> tuple[Ints, Floats, int]:
    """Write the candidates with their noisy-OR to a place in two arrays, perhaps in larger room, and forget them.

    Gives the arrays, and the place after the last candidate.
    """
    n = candidates.counts[_N]
    if place + n > len(entity):
        entity, score = with_capacity(entity, place, place + n), with_capacity(score, place, place + n)
    for m in range(n):
        entity[place + m] = candidates.entity[m]
        score[place + m] = 1.0 - np.float64(candidates.miss[m])
        candidates.number[candidates.entity[m]] = -1
    candidates.counts[:] = 0
    return entity, score, place + n


@njit(cache=True, nogil=True)
def with_capacity(array: Any, used: int, needed: int) -> Any:
    """The used part of an array, in twice the room that is needed."""
    larger = np.empty(2 * needed, array.dtype)
    larger[:used] = array[:used]
    return larger
