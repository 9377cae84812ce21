"""Temporal random walks: a head edge, then backwards in time and back to where it began."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.index import PairEdges, SlotEdges, SourceEdges
from tlogic.graph.search import find, first_at_least
from tlogic.learning.randomness import advance, below, keyed, unit


class WalkIndex(NamedTuple):
    """The views of a graph that a walker needs."""

    slots: SlotEdges
    sources: SourceEdges
    pairs: PairEdges
    n_base_relations: int


class Walks(NamedTuple):
    """Cyclic walks of one head relation and length, turned into rule bodies (a row a walk).

    ``body`` holds the body relations r_1 .. r_l, ``entities`` the walk's e_1 .. e_(l+1); ``found`` tells which walks came home.
    """

    body: Ints
    entities: Ints
    found: Bools


@njit(cache=True, nogil=True)
def sample_walks(
    index: WalkIndex, head: int, length: int, n_walks: int, exponential: bool, seed: int
) -> Walks:
    """Sample walks (e_1, r_h, e_(l+1), t_(l+1)), (e_(l+1), r_l, e_l, t_l), .. (e_2, r_1, e_1, t_1)."""
    body = np.empty((n_walks, length), np.int32)
    entities = np.empty((n_walks, length + 1), np.int32)
    found = np.zeros(n_walks, np.bool_)
    stream = keyed(keyed(keyed(np.uint64(0), seed), head), length)
    if index.slots.relation_start[head + 1] > index.slots.relation_start[head]:
        for walk in range(n_walks):
            found[walk] = _walk(index, head, exponential, keyed(stream, walk), body[walk], entities[walk])
    return Walks(body, entities, found)


@njit(cache=True, nogil=True)
def _walk(
    index: WalkIndex, head: int, exponential: bool, stream: np.uint64, body: Ints, entities: Ints
) -> bool:
    """Sample one walk into ``body`` and ``entities``; False where no feasible edge is left."""
    slots, sources, pairs, half = index
    length = len(body)
    stream = advance(stream)
    first = slots.relation_start[head]
    edge = slots.relation_edge[first + below(stream, slots.relation_start[head + 1] - first)]
    home, previous = slots.source[edge], slots.source[edge]
    here, relation, time = slots.target[edge], head, slots.time[edge]
    entities[0], entities[length] = home, here
    latest = time - 1  # the first step goes strictly back in time, later ones may stay
    for i in range(length - 1, -1, -1):
        back = relation + half if relation < half else relation - half
        stream = advance(stream)
        if i > 0:
            low, high = sources.start[here], sources.start[here + 1]
            high = first_at_least(sources.time, low, high, latest + 1)
            tied = first_at_least(sources.time, low, high, time)
            excluded = _edge_between(sources.relation, sources.target, tied, high, back, previous)
            edge = _draw(sources.time, sources.log_weight, low, tied, high, excluded, exponential, stream)
            if edge < 0:
                return False
            relation, time = sources.relation[edge], sources.time[edge]
            previous, here = here, sources.target[edge]
            entities[i] = here
        else:
            pair = find(pairs.pair_start, pairs.pair_target, here, home)
            if pair < 0:
                return False
            low, high = pairs.start[pair], pairs.start[pair + 1]
            high = first_at_least(pairs.time, low, high, latest + 1)
            tied = first_at_least(pairs.time, low, high, time)
            excluded = -1
            if previous == home:
                excluded = _relation_between(pairs.relation, tied, high, back)
            edge = _draw(pairs.time, pairs.log_weight, low, tied, high, excluded, exponential, stream)
            if edge < 0:
                return False
            relation = pairs.relation[edge]
        body[i] = relation + half if relation < half else relation - half
        latest = time
    return True


@njit(cache=True, nogil=True)
def _edge_between(relations: Ints, targets: Ints, low: int, high: int, relation: int, target: int) -> int:
    """The position of the edge with this relation and target, or -1."""
    for i in range(low, high):
        if relations[i] == relation and targets[i] == target:
            return i
    return -1


@njit(cache=True, nogil=True)
def _relation_between(relations: Ints, low: int, high: int, relation: int) -> int:
    """The position of the edge with this relation, or -1."""
    for i in range(low, high):
        if relations[i] == relation:
            return i
    return -1


@njit(cache=True, nogil=True)
def _draw(
    time: Ints,
    log_weight: Floats,
    low: int,
    tied: int,
    high: int,
    excluded: int,
    exponential: bool,
    stream: np.uint64,
) -> int:
    """Draw one of the edges ``[low, high)`` but ``excluded``, or -1 where there is none.

    Edges from ``tied`` on share the newest time, and ``excluded`` is among them; so leaving it out means one fewer tied edge of equal
    weight, and no weights are ever subtracted from each other.
    """
    n_tied = high - tied - (excluded >= 0)
    n_older = tied - low
    if n_tied + n_older == 0:
        return -1
    u = unit(stream)
    if not exponential:
        pick = int(u * (n_older + n_tied))
        return low + pick if pick < n_older else _skipping(excluded, tied, pick - n_older)
    share_of_tied = 0.0
    if n_tied > 0:
        newest = time[tied]
        older = np.exp(log_weight[tied - 1] - newest) if n_older > 0 else 0.0
        share_of_tied = n_tied / (n_tied + older)
        if u < share_of_tied:
            return _skipping(excluded, tied, min(int(u / share_of_tied * n_tied), n_tied - 1))
    # the rest of u, rescaled to (0, 1], picks by inverting the cumulative weights of the older edges
    rest = max((1.0 - u) / (1.0 - share_of_tied), 2.0**-60)
    bound = log_weight[tied - 1] + np.log(rest)
    return _first_weight_at_least(log_weight, low, tied - 1, bound)


@njit(cache=True, nogil=True)
def _skipping(excluded: int, start: int, offset: int) -> int:
    """The position ``offset`` places behind ``start``, not counting the excluded one."""
    position = start + offset
    return position + 1 if 0 <= excluded <= position else position


@njit(cache=True, nogil=True)
def _first_weight_at_least(log_weight: Floats, low: int, high: int, bound: float) -> int:
    """The first position in ``[low, high]`` whose cumulative weight reaches the bound."""
    while low < high:
        middle = (low + high) >> 1
        if log_weight[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low
