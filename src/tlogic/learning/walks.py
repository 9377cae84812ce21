"""Temporal random walks: a head edge, then backwards in time to its subject, e_1."""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Ints, copy_items
from tlogic.graph.binary_search import find, find_within, first_at_least, first_equal
from tlogic.graph.edges import relation_of, target_of
from tlogic.graph.facts import Facts
from tlogic.graph.source_edges import SourceEdges
from tlogic.graph.views import PairEdges
from tlogic.learning.distinct_rows import is_new_row, new_row_table
from tlogic.learning.random_streams import advance, below, keyed, unit
from tlogic.learning.training_edges import TrainingEdges, count_edges, nth_edge

_NEGLIGIBLE_WEIGHT = 2.0**-60
"""Weights below this share of the total do not change a float64 sum."""


class WalkIndex(NamedTuple):
    """The views of a graph that walks read."""

    training: TrainingEdges
    """The head edges that walks start from; all later steps go back in time."""
    facts: Facts
    sources: SourceEdges
    pairs: PairEdges
    n_base_relations: int


class WalkSettings(NamedTuple):
    """The settings that walks are sampled with."""

    length: int
    n_walks: int
    exponential: bool
    seed: int


@helper
def sample_walk(index: WalkIndex, settings: WalkSettings, head: int, walk: int, body: Ints, entities: Ints) -> bool:
    """Sample walk number ``walk`` of a head: (e_1, r_h, e_(l+1), t_(l+1)), (e_(l+1), r_l, e_l, t_l), .. (e_2, r_1,
    e_1, t_1).

    Fills the body relations r_1^-1 .. r_l^-1 that lead from e_1 to e_(l+1), and the entities e_1 .. e_(l+1). Returns
    False if no feasible edge closes the walk at e_1.
    """
    if count_edges(index.training.relations, head) == 0:
        return False
    stream = keyed(keyed(keyed(keyed(np.uint64(0), settings.seed), head), settings.length), walk)
    return _walk(index, head, settings.exponential, stream, body, entities)


@kernel
def sample_rules(index: WalkIndex, settings: WalkSettings, heads: Ints) -> Ints:
    """The distinct rules of the walks of some heads, one per row: body relations, variables, head."""
    length, n_walks = settings.length, settings.n_walks
    rows = np.empty((len(heads) * n_walks + 1, 2 * length + 2), np.int32)
    body, entities = np.empty(length, np.int32), np.empty(length + 1, np.int32)
    table = new_row_table(n_walks)
    n = 0
    for head in heads:
        table[:] = -1
        for walk in range(n_walks):
            if sample_walk(index, settings, head, walk, body, entities):
                copy_items(body, length, rows[n])
                _number_variables(entities, rows[n, length:-1])
                rows[n, -1] = head
                n += is_new_row(rows, n, table)
    return rows[:n].copy()


@helper
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


@helper
def _walk(index: WalkIndex, head: int, exponential: bool, stream: np.uint64, body: Ints, entities: Ints) -> bool:
    """Sample one walk into ``body`` and ``entities``; False if it has no feasible edge left."""
    training, facts, sources, pairs, half = index
    length = len(body)
    stream = advance(stream)
    edge, home = nth_edge(training, head, below(stream, count_edges(training.relations, head)))
    here, relation, time = training.slots.target[edge], head, training.slots.time[edge]
    previous, walked = home, -1
    entities[0], entities[length] = home, here
    latest = time - 1  # the first step goes strictly back in time, later ones may stay at the same time
    for i in range(length - 1, 0, -1):
        stream = advance(stream)
        edge_index = _draw_step(sources, here, time, latest, walked, exponential, stream)
        if edge_index < 0:
            return False
        walked, time = sources.edge[edge_index], sources.time[edge_index]
        relation = relation_of(facts, half, walked)
        previous, here = here, target_of(facts, walked)
        entities[i], body[i] = here, _inverse(relation, half)
        latest = time
    way_back = _inverse(relation, half) if previous == home else -1
    edge_index = _draw_closing_step(pairs, here, home, time, latest, way_back, exponential, advance(stream))
    if edge_index < 0:
        return False
    body[0] = _inverse(pairs.relation[edge_index], half)
    return True


@helper
def _draw_step(
    sources: SourceEdges, here: int, time: int, latest: int, walked: int, exponential: bool, stream: np.uint64
) -> int:
    """Draw an edge from ``here`` at ``latest`` or before, not the inverse of the last one; its index, or -1."""
    low, high = sources.start[here], sources.start[here + 1]
    high = first_at_least(sources.time, low, high, latest + 1)
    tied = first_at_least(sources.time, low, high, time)
    excluded = find_within(sources.edge, tied, high, walked ^ 1)
    return _draw(sources.time, low, tied, high, excluded, exponential, stream)


@helper
def _draw_closing_step(
    pairs: PairEdges,
    here: int,
    home: int,
    time: int,
    latest: int,
    way_back: int,
    exponential: bool,
    stream: np.uint64,
) -> int:
    """Draw an edge from ``here`` to e_1 = ``home`` at ``latest`` or before; its index, or -1.

    An edge at ``time`` with the relation ``way_back`` is the inverse of the one just walked, so it is excluded.
    """
    pair = find(pairs.pair_start, pairs.pair_target, here, home)
    if pair < 0:
        return -1
    low, high = pairs.start[pair], pairs.start[pair + 1]
    high = first_at_least(pairs.time, low, high, latest + 1)
    tied = first_at_least(pairs.time, low, high, time)
    excluded = _relation_between(pairs.relation, tied, high, way_back) if way_back >= 0 else -1
    return _draw(pairs.time, low, tied, high, excluded, exponential, stream)


@helper
def _inverse(relation: int, half: int) -> int:
    """The inverse relation; there are ``half`` base relations, then their inverses."""
    return relation + half if relation < half else relation - half


@helper
def _relation_between(relations: Ints, low: int, high: int, relation: int) -> int:
    """The position of the edge with this relation, or -1."""
    for i in range(low, high):
        if relations[i] == relation:
            return i
    return -1


@helper
def _draw(time: Ints, low: int, tied: int, high: int, excluded: int, exponential: bool, stream: np.uint64) -> int:
    """Draw one of the edges ``[low, high)`` except ``excluded``; -1 if there is none.

    Edges from ``tied`` on share the newest time, and ``excluded`` is among them. So excluding it removes one of several
    equal weights, and no floating-point weights are subtracted.
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


@helper
def _skipping(excluded: int, start: int, offset: int) -> int:
    """The position of edge number ``offset`` from ``start`` on, not counting the excluded one."""
    position = start + offset
    return position + 1 if 0 <= excluded <= position else position


@helper
def _weight(time: Ints, low: int, end: int, newest: int) -> float:
    """The sum of exp(time - newest) over the edges ``[low, end)``, without edges too old to change the sum."""
    total = 0.0
    while end > low:
        weight = np.exp(float(time[end - 1] - newest))
        if weight * (end - low) < _NEGLIGIBLE_WEIGHT * total:
            break
        first = first_equal(time, low, end)
        total += weight * (end - first)
        end = first
    return total


@helper
def _weighted_pick(time: Ints, low: int, end: int, newest: int, behind: float) -> int:
    """The edge of ``[low, end)`` whose newer edges have a total weight of ``behind``."""
    while True:
        weight = np.exp(float(time[end - 1] - newest))
        first = first_equal(time, low, end)
        if behind < weight * (end - first):
            return max(end - 1 - int(behind / weight), first)
        if first == low:
            return first  # the remainder is a rounding error
        behind -= weight * (end - first)
        end = first
