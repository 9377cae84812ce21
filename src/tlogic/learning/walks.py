"""Temporal random walks: a head edge, then backwards in time and back to where it began."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import find, find_within, first_at_least, first_equal
from tlogic.graph.edges import relation_of, target_of
from tlogic.graph.facts import Facts
from tlogic.graph.source_edges import SourceEdges
from tlogic.graph.views import PairEdges
from tlogic.learning.distinct_rows import is_new_row, new_row_table
from tlogic.learning.random_streams import advance, below, keyed, unit
from tlogic.learning.training_edges import TrainingEdges, count_edges, nth_edge

_NEGLIGIBLE_WEIGHT = 2.0**-60
"""What vanishes beside 1, even many times over."""


class WalkIndex(NamedTuple):
    """The views of a graph that a walker needs."""

    training: TrainingEdges
    """Where walks begin; from there they go back in time."""
    facts: Facts
    sources: SourceEdges
    pairs: PairEdges
    n_base_relations: int


class WalkSettings(NamedTuple):
    """How walks are sampled."""

    length: int
    n_walks: int
    exponential: bool
    seed: int


@njit(cache=True, nogil=True)
def sample_walk(index: WalkIndex, settings: WalkSettings, head: int, walk: int, body: Ints, entities: Ints) -> bool:
    """Sample walk number ``walk`` of a head: (e_1, r_h, e_(l+1), t_(l+1)), (e_(l+1), r_l, e_l, t_l), .. (e_2, r_1,
    e_1, t_1).

    Fills the body relations r_1^-1 .. r_l^-1 that lead from e_1 to e_(l+1), and the entities e_1 .. e_(l+1). False
    where the walk does not come home.
    """
    if count_edges(index.training.relations, head) == 0:
        return False
    stream = keyed(keyed(keyed(keyed(np.uint64(0), settings.seed), head), settings.length), walk)
    return _walk(index, head, settings.exponential, stream, body, entities)


@njit(cache=True, nogil=True)
def sample_rules(index: WalkIndex, settings: WalkSettings, heads: Ints) -> Ints:
    """The distinct rules behind the walks of some heads, a row each: body relations, variables, head."""
    length, n_walks = settings.length, settings.n_walks
    rows = np.empty((len(heads) * n_walks + 1, 2 * length + 2), np.int32)
    body, entities = np.empty(length, np.int32), np.empty(length + 1, np.int32)
    table = new_row_table(n_walks)
    n = 0
    for head in heads:
        table[:] = -1
        for walk in range(n_walks):
            if sample_walk(index, settings, head, walk, body, entities):
                rows[n, :length] = body
                _number_variables(entities, rows[n, length:-1])
                rows[n, -1] = head
                n += is_new_row(rows, n, table)
    return rows[:n].copy()


@njit(cache=True, nogil=True)
def _number_variables(entities: Ints, variables: Ints) -> None:
    """Number entities by first appearance."""
    n_distinct = 0
    for i in range(len(entities)):
        variables[i] = n_distinct
        for j in range(i):
            if entities[j] == entities[i]:
                variables[i] = variables[j]
                break
        else:
            n_distinct += 1


@njit(cache=True, nogil=True)
def _walk(index: WalkIndex, head: int, exponential: bool, stream: np.uint64, body: Ints, entities: Ints) -> bool:
    """Sample one walk into ``body`` and ``entities``; False where no feasible edge is left."""
    training, facts, sources, pairs, half = index
    length = len(body)
    stream = advance(stream)
    edge, home = nth_edge(training, head, below(stream, count_edges(training.relations, head)))
    here, relation, time = training.slots.target[edge], head, training.slots.time[edge]
    previous, walked = home, -1
    entities[0], entities[length] = home, here
    latest = time - 1  # the first step goes strictly back in time, later ones may stay
    for i in range(length - 1, 0, -1):
        stream = advance(stream)
        place = _step(sources, here, time, latest, walked, exponential, stream)
        if place < 0:
            return False
        walked, time = sources.edge[place], sources.time[place]
        relation = relation_of(facts, half, walked)
        previous, here = here, target_of(facts, walked)
        entities[i], body[i] = here, _inverse(relation, half)
        latest = time
    way_back = _inverse(relation, half) if previous == home else -1
    place = _step_home(pairs, here, home, time, latest, way_back, exponential, advance(stream))
    if place < 0:
        return False
    body[0] = _inverse(pairs.relation[place], half)
    return True


@njit(cache=True, nogil=True)
def _step(
    sources: SourceEdges, here: int, time: int, latest: int, walked: int, exponential: bool, stream: np.uint64
) -> int:
    """Draw an edge from ``here``, not later than ``latest``, and not the one just walked back; its place, or -1."""
    low, high = sources.start[here], sources.start[here + 1]
    high = first_at_least(sources.time, low, high, latest + 1)
    tied = first_at_least(sources.time, low, high, time)
    excluded = find_within(sources.edge, tied, high, walked ^ 1)
    return _draw(sources.time, low, tied, high, excluded, exponential, stream)


@njit(cache=True, nogil=True)
def _step_home(
    pairs: PairEdges,
    here: int,
    home: int,
    time: int,
    latest: int,
    way_back: int,
    exponential: bool,
    stream: np.uint64,
) -> int:
    """Draw an edge from ``here`` home, not later than ``latest``; its place, or -1. An edge at ``time`` by the relation
    ``way_back`` is the one just walked."""
    pair = find(pairs.pair_start, pairs.pair_target, here, home)
    if pair < 0:
        return -1
    low, high = pairs.start[pair], pairs.start[pair + 1]
    high = first_at_least(pairs.time, low, high, latest + 1)
    tied = first_at_least(pairs.time, low, high, time)
    excluded = _relation_between(pairs.relation, tied, high, way_back) if way_back >= 0 else -1
    return _draw(pairs.time, low, tied, high, excluded, exponential, stream)


@njit(cache=True, nogil=True)
def _inverse(relation: int, half: int) -> int:
    return relation + half if relation < half else relation - half


@njit(cache=True, nogil=True)
def _relation_between(relations: Ints, low: int, high: int, relation: int) -> int:
    """The position of the edge with this relation, or -1."""
    for i in range(low, high):
        if relations[i] == relation:
            return i
    return -1


@njit(cache=True, nogil=True)
def _draw(time: Ints, low: int, tied: int, high: int, excluded: int, exponential: bool, stream: np.uint64) -> int:
    """Draw one of the edges ``[low, high)`` but ``excluded``, or -1 where there is none.

    Edges from ``tied`` on share the newest time, and ``excluded`` is among them; so leaving it out means one fewer
    tied edge of equal weight, and no weights are ever subtracted from each other.
    """
    n_tied = high - tied - (excluded >= 0)
    n_older = tied - low
    if n_tied + n_older == 0:
        return -1
    u = unit(stream)
    if not exponential:
        pick = int(u * (n_older + n_tied))
        return low + pick if pick < n_older else _skipping(excluded, tied, pick - n_older)
    newest = time[tied] if n_tied > 0 else time[tied - 1]
    older = _weight(time, low, tied, newest)
    share_of_tied = n_tied / (n_tied + older)
    if u < share_of_tied:
        return _skipping(excluded, tied, min(int(u / share_of_tied * n_tied), n_tied - 1))
    return _weighted_pick(time, low, tied, newest, older * (u - share_of_tied) / (1.0 - share_of_tied))


@njit(cache=True, nogil=True)
def _skipping(excluded: int, start: int, offset: int) -> int:
    """The position ``offset`` places behind ``start``, not counting the excluded one."""
    position = start + offset
    return position + 1 if 0 <= excluded <= position else position


@njit(cache=True, nogil=True)
def _weight(time: Ints, low: int, end: int, newest: int) -> float:
    """The sum of exp(time - newest) over the edges ``[low, end)``, as far back as it can be told from nothing."""
    total = 0.0
    while end > low:
        weight = np.exp(float(time[end - 1] - newest))
        if weight * (end - low) < _NEGLIGIBLE_WEIGHT * total:
            break
        first = first_equal(time, low, end)
        total += weight * (end - first)
        end = first
    return total


@njit(cache=True, nogil=True)
def _weighted_pick(time: Ints, low: int, end: int, newest: int, behind: float) -> int:
    """The edge of ``[low, end)`` that has so much weight behind it."""
    while True:
        weight = np.exp(float(time[end - 1] - newest))
        first = first_equal(time, low, end)
        if behind < weight * (end - first):
            return max(end - 1 - int(behind / weight), first)
        if first == low:
            return first  # what is left is rounding
        behind -= weight * (end - first)
        end = first
