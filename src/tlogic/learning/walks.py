"""Temporal random walks: a head edge, then backwards in time and back to where it began."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.index import PairEdges, SlotEdges, SourceEdges
from tlogic.graph.search import find, first_at_least
from tlogic.learning.randomness import advance, below, keyed, unit
from tlogic.learning.rows import is_new_row, new_row_table


class WalkIndex(NamedTuple):
    """The views of a graph that a walker needs."""

    slots: SlotEdges
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
    where the walk does not come
    home.
    """
    if index.slots.relation_start[head + 1] == index.slots.relation_start[head]:
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

    Edges from ``tied`` on share the newest time, and ``excluded`` is among them; so leaving it out means one fewer
    tied edge of equal
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
