"""The candidates of one query: their scores, the noisy-OR of these, and the stop criterion.

Scores are float32, as in the published code: candidates whose scores differ by less than that resolution are tied.
"""

from typing import Any, NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.visible_facts import NEVER
from tlogic.graph.arrays import Floats, Ints, copy_items

_START, _LENGTH, _CAPACITY, _IN_TOP = 0, 1, 2, 3  # columns of ``score_list``
_N, _N_SCORES, _N_CONTENDERS, _WATCHING = 0, 1, 2, 3  # entries of ``counts``
_INITIAL_LIST_CAPACITY = 4  # scores
_MAX_EXPONENT = 104.0  # exp(-104) is 0 as a 32-bit number
_MAX_AGES = 1 << 22
INITIAL_CAPACITY = 1 << 12
"""Entries that output arrays of kernels have room for at first; they grow by ``with_capacity``."""


class Candidates(NamedTuple):
    """Entities that some rule proposed, encoded in order of discovery."""

    number: Ints
    """Per entity: its candidate number, or -1."""
    entity: Ints
    miss: Floats
    """Per candidate: the product of (1 - score) over its scores so far."""
    score_list: Ints
    """Per candidate: its descending range of ``scores`` (start, length, capacity), and whether it is in the top."""
    top: Ints
    """The k candidates with the largest score lists, largest first; valid once there are k."""
    contender: Ints
    """Candidates that may enter the top."""
    counts: Ints
    """Four numbers: candidates, used entries of ``scores``, contenders, and whether the top is maintained (0 or 1)."""


def new_candidates(n_entities: int, k: int) -> Candidates:
    """No candidates, with room for all entities."""
    return Candidates(
        number=np.full(n_entities, -1, np.int32),
        entity=np.empty(n_entities, np.int32),
        miss=np.empty(n_entities, np.float32),
        score_list=np.empty((n_entities, 4), np.int32),
        top=np.empty(k, np.int32),
        contender=np.empty(n_entities, np.int32),
        counts=np.zeros(4, np.int64),
    )


@kernel
def decay_table(alpha: float, rate: float) -> Floats:
    """The recency part of the score, (1 - alpha) * exp(-rate * age), for ages in time steps.

    The last entry is that of all older facts: their part is 0 as a 32-bit number, or the rate is so small that they are
    millions of time steps old.
    """
    table = np.empty(int(min(_MAX_EXPONENT / rate + 2, _MAX_AGES)), np.float64)
    for age in range(len(table)):
        table[age] = (1.0 - alpha) * np.exp(-rate * age)
    return table


@helper
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
    """Score a rule's candidates, f = base + decay of the age now - t_1, and reset its frontier.

    Multiplies each candidate's ``miss`` by 1 - f and, if ``keep_lists``, inserts f into its score list. Returns
    ``scores``, perhaps reallocated.
    """
    best, found = frontier
    number, entity, miss, score_list, top, contender, counts = candidates
    n, n_scores, n_contenders, watching = counts[_N], counts[_N_SCORES], 0, counts[_WATCHING] == 1
    if 3 * n_scores + _INITIAL_LIST_CAPACITY * n_found > len(scores):  # enough even if every list must double
        scores = with_capacity(scores, n_scores, 3 * n_scores + _INITIAL_LIST_CAPACITY * n_found)
    threshold = scores[score_list[top[-1], _START]] if watching else np.float32(0.0)
    last_age = len(decay) - 1
    for i in range(n_found):
        c = found[i]
        f = np.float32(base + decay[min(now - best[c], last_age)])
        best[c] = NEVER
        m = number[c]
        if m < 0:
            m = n
            n += 1
            number[c], entity[m], miss[m] = m, c, np.float32(1.0)
            row = score_list[m]
            row[_START], row[_LENGTH], row[_CAPACITY], row[_IN_TOP] = n_scores, 0, _INITIAL_LIST_CAPACITY, 0
            if keep_lists:
                n_scores += _INITIAL_LIST_CAPACITY
        miss[m] *= np.float32(1.0) - f
        if keep_lists:
            n_scores = _insert(score_list[m], scores, n_scores, f)
            if watching and scores[score_list[m, _START]] >= threshold and score_list[m, _IN_TOP] == 0:
                contender[n_contenders] = m
                n_contenders += 1
    counts[_N], counts[_N_SCORES], counts[_N_CONTENDERS] = n, n_scores, n_contenders
    return scores


@helper
def _insert(row: Ints, scores: Floats, n_scores: int, f: np.float32) -> int:
    """Insert a score into a sorted score list, which moves and doubles if it is full; returns the used entries."""
    start, length = row[_START], row[_LENGTH]
    if length == row[_CAPACITY]:
        for j in range(length):
            scores[n_scores + j] = scores[start + j]
        start = n_scores
        row[_START], row[_CAPACITY] = start, 2 * length
        n_scores += 2 * length
    position = start + length
    while position > start and scores[position - 1] < f:
        scores[position] = scores[position - 1]
        position -= 1
    scores[position] = f
    row[_LENGTH] = length + 1
    return n_scores


@helper
def has_enough(candidates: Candidates, scores: Floats, k: int, published_stop: bool) -> bool:
    """The stop criterion: k candidates; for the published stop, the k best also have different score lists."""
    counts = candidates.counts
    if counts[_N] < k:
        return False
    if not published_stop:
        return True
    if not counts[_WATCHING]:
        _watch_top(candidates)
    return _top_is_distinct(candidates, scores)


@helper
def _watch_top(candidates: Candidates) -> None:
    """Begin to maintain the top: the first k candidates are in it, all others are contenders."""
    k, counts = len(candidates.top), candidates.counts
    for m in range(counts[_N]):
        candidates.score_list[m, _IN_TOP] = m < k
        if m < k:
            candidates.top[m] = m
        else:
            candidates.contender[m - k] = m
    counts[_N_CONTENDERS], counts[_WATCHING] = counts[_N] - k, 1


@helper
def _top_is_distinct(candidates: Candidates, scores: Floats) -> bool:
    """Do the k best candidates have k different score lists? The stop criterion of the published code.

    A new score always makes a list larger. So the new top is among the old top and the contenders: candidates outside
    the top that just got a score and whose largest score is at least that of the last in the top.
    """
    score_list, top, contender = candidates.score_list, candidates.top, candidates.contender
    k = len(top)
    for i in range(1, k):  # lists in the top have grown: insertion sort, since it is nearly sorted
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


@helper
def _move_up(score_list: Ints, scores: Floats, top: Ints, position: int) -> None:
    """Move a candidate past those before it whose score lists are smaller."""
    m = top[position]
    while position > 0 and _compare(score_list, scores, top[position - 1], m) < 0:
        top[position] = top[position - 1]
        position -= 1
    top[position] = m


@helper
def _compare(score_list: Ints, scores: Floats, a: int, b: int) -> int:
    """Compare two score lists lexicographically; a prefix is smaller. Returns -1, 0 or 1."""
    start_a, start_b = score_list[a, _START], score_list[b, _START]
    n_a, n_b = score_list[a, _LENGTH], score_list[b, _LENGTH]
    for i in range(min(n_a, n_b)):
        if scores[start_a + i] != scores[start_b + i]:
            return 1 if scores[start_a + i] > scores[start_b + i] else -1
    return (n_a > n_b) - (n_a < n_b)


@helper
def write_candidates(candidates: Candidates, entity: Ints, score: Floats, start: int) -> tuple[Ints, Floats, int]:
    """Write the candidates and their noisy-OR, 1 - prod(1 - f), from index ``start`` on; reset the candidates.

    Returns the two arrays, perhaps reallocated, and the index after the last candidate.
    """
    n = candidates.counts[_N]
    if start + n > len(entity):
        entity, score = with_capacity(entity, start, start + n), with_capacity(score, start, start + n)
    for m in range(n):
        entity[start + m] = candidates.entity[m]
        score[start + m] = 1.0 - np.float64(candidates.miss[m])
        candidates.number[candidates.entity[m]] = -1
    candidates.counts[:] = 0
    return entity, score, start + n


@helper
def with_capacity(array: Any, used: int, needed: int) -> Any:
    """A copy of an array's used part with capacity for twice the entries that are needed."""
    larger = np.empty(2 * needed, array.dtype)
    copy_items(array, used, larger)
    return larger
