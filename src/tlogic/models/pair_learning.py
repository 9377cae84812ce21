"""Learning pair tables: which two kinds of evidence say more together, and what.

As in models with pairwise interactions (GA2M; Lou et al., 2013), the gradient of the loss is summed in the cells of all
pairs of columns. Where the additive score is right, the sums are near zero; where they are not, one Newton step shows
what a table could gain. The step is taken with one half of some queries and judged with the other half.
"""

from functools import partial
from typing import TypeAlias

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.optimiser import minimise_in_stages
from tlogic.models.pair_tables import N_GROUPS, PairTables, groups_of
from tlogic.models.softmax import Examples, exponentials_of, n_per_bin, on_parts, softmax_loss
from tlogic.parallel import in_parallel
from tlogic.process_memory import give_back

Stages: TypeAlias = tuple[tuple[int, int], ...]
"""Every how many queries one is used, and the largest number of iterations."""

MAX_TABLES = 40
"""The largest number of tables; more improve nothing."""
_N_PER_ROUND = 20  # tables are added in rounds; later rounds see what earlier tables explain
_MAX_PER_COLUMN = 2  # tables of one round with the same column
_MIN_GAIN = 3.0  # of the log-likelihood of the queries that judge a table
_N_SEARCHED = 16_000  # queries by which tables are chosen
_SEARCH_PENALTY = 20.0  # on the squared weights of Newton steps
_MIN_CURVATURE = 1e-2  # of a candidate; others say little, and are many
_L2_PENALTY = 30.0
_ROUGHNESS_PENALTY = 100.0  # on squared differences between the weights of neighbouring groups
_STAGES: Stages = ((4, 12),)  # of the fit in each round: every n-th query is used, and the largest number of iterations
_LAST_STAGES: Stages = ((4, 8), (1, 6))
_STAGES_OF_FEW: Stages = ((1, 12),)
_MIN_QUERIES = 20_000  # with fewer, a part of them says too little about the rest


def learn_pairs(
    examples: Examples,
    scores: Floats,
    sizes: Ints,
    family: Ints,
    threads: int | None = None,
    max_tables: int = MAX_TABLES,
) -> PairTables:
    """Learn tables of two columns of different families.

    Args:
        examples: The queries.
        scores: Per candidate: the additive score.
        sizes: Per column: its number of bins.
        family: Per column: the number of its family.
        threads: How many threads to use. The result does not depend on it.
        max_tables: The largest number of tables.
    """
    found = PairTables(group=groups_of(sizes))
    n_searched = max((len(examples.start) - 1) // _N_SEARCHED, 1)
    are_few = len(examples.start) <= _MIN_QUERIES
    for n_before in range(0, max_tables, _N_PER_ROUND):
        now = scores + on_parts(found.scores, examples.bins, threads)
        gains = _gains(examples, found.group, now, n_searched, threads)
        chosen = _choose(gains, family, found.column, min(_N_PER_ROUND, max_tables - n_before))
        if not len(chosen):
            break
        stages = _STAGES_OF_FEW if are_few else _STAGES
        found = _fitted(_with_more(found, chosen), examples, scores, stages, threads)
    if not len(found.column):
        return found
    stages = _STAGES_OF_FEW if are_few else _LAST_STAGES
    return _centred(_fitted(found, examples, scores, stages, threads), examples.bins, threads)


def _with_more(tables: PairTables, chosen: Ints) -> PairTables:
    """The tables, and empty ones of further pairs of columns."""
    empty = np.zeros((len(chosen), N_GROUPS, N_GROUPS))
    return tables._replace(
        column=np.concatenate([tables.column, chosen]), weight=np.concatenate([tables.weight, empty])
    )


def _choose(gains: Floats, family: Ints, taken: Ints, n: int) -> Ints:
    """Up to n pairs of columns with the largest gains, each column in few of them."""
    known, n_of_column = set(map(tuple, taken.tolist())), np.zeros(len(gains), np.int64)
    chosen: list[tuple[int, int]] = []
    for index in np.argsort(-gains, axis=None, kind="stable").tolist():
        one, other = divmod(index, len(gains))
        if len(chosen) == n or gains[one, other] < _MIN_GAIN:
            break
        if family[one] == family[other] or (one, other) in known:
            continue
        if max(n_of_column[one], n_of_column[other]) < _MAX_PER_COLUMN:
            chosen.append((one, other))
            n_of_column[[one, other]] += 1
    return np.array(chosen, np.int64).reshape(-1, 2)


def _gains(examples: Examples, groups: Ints, scores: Floats, n: int, threads: int | None) -> Floats:
    """Per pair of columns: how much the log-likelihood of half of the queries grows by a step with the other half.

    Every n-th query is used.
    """
    gradient, curvature = _derivatives(examples.start, examples.is_true, scores, n)
    half = np.repeat(np.arange(len(examples.start) - 1) // n % 2, np.diff(examples.start))
    halves = [np.flatnonzero((curvature > _MIN_CURVATURE) & (half == each)) for each in (0, 1)]
    parts = [(_grouped(groups, examples.bins, rows), gradient[rows], curvature[rows]) for rows in halves]

    def of_column(column: int) -> Floats:
        (g, h), (g_other, h_other) = (np.moveaxis(_sums(*part, column), -1, 0) for part in parts)
        step, other_step = -g / (h + _SEARCH_PENALTY), -g_other / (h_other + _SEARCH_PENALTY)
        own = g * other_step + h * other_step**2 / 2
        other = g_other * step + h_other * step**2 / 2
        gain: Floats = -(own + other).sum(axis=(1, 2))
        return gain

    gains = np.array(list(in_parallel(lambda: of_column, range(len(groups)), threads)))
    return np.triu(gains, 1)


def _fitted(tables: PairTables, examples: Examples, scores: Floats, stages: Stages, threads: int | None) -> PairTables:
    """The tables with the weights that fit the examples best."""
    give_back()  # what the search for pairs freed
    cells = examples._replace(bins=on_parts(tables.cells, examples.bins, threads))
    losses = [(partial(_loss, cells, scores, n, threads), max_iterations) for n, max_iterations in stages]
    flat = tables.weight.reshape(len(tables.weight), -1)
    return tables._replace(weight=minimise_in_stages(losses, flat).reshape(tables.weight.shape))


def _centred(tables: PairTables, bins: Ints, threads: int | None) -> PairTables:
    """The tables relative to the average candidate."""
    shares = n_per_bin(on_parts(tables.cells, bins, threads), N_GROUPS * N_GROUPS) / len(bins)
    means = (shares.reshape(tables.weight.shape) * tables.weight).sum(axis=(1, 2), keepdims=True)
    return tables._replace(weight=tables.weight - means)


def _loss(examples: Examples, scores: Floats, n: int, threads: int | None, flat: Floats) -> tuple[float, Floats]:
    """The loss with its penalties, and its gradient."""
    loss, flat_gradient = softmax_loss(examples, scores, n, threads, flat)
    weight, gradient = (each.reshape(-1, N_GROUPS, N_GROUPS) for each in (flat, flat_gradient))
    gradient += _L2_PENALTY * weight
    loss += _L2_PENALTY / 2 * float((weight**2).sum())
    for axis in (1, 2):
        inner = np.moveaxis(weight, axis, 0)[1:]  # candidates without evidence have no neighbours
        change = np.moveaxis(gradient, axis, 0)[1:]
        rough = np.diff(inner, axis=0)
        loss += _ROUGHNESS_PENALTY / 2 * float((rough**2).sum())
        change[1:] += _ROUGHNESS_PENALTY * rough
        change[:-1] -= _ROUGHNESS_PENALTY * rough
    return loss, flat_gradient


@kernel
def _derivatives(start: Ints, is_true: Ints, scores: Floats, n: int) -> tuple[Floats, Floats]:
    """Per candidate of every n-th query: the first and the second derivative of the loss by its score; 0 for others."""
    gradient, curvature = np.zeros(len(scores)), np.zeros(len(scores))
    for q in range(0, len(start) - 1, n):
        first, end = start[q], start[q + 1]
        exponentials, others = exponentials_of(scores[first:end], is_true[first:end])
        for i in range(end - first):
            if not is_true[first + i]:
                continue
            total = exponentials[i] + others
            for j in range(end - first):
                if j == i or not is_true[first + j]:
                    share = exponentials[j] / total
                    gradient[first + j] += share - (j == i)
                    curvature[first + j] += share * (1.0 - share)
    return gradient, curvature


@kernel
def _grouped(groups: Ints, bins: Ints, rows: Ints) -> Ints:
    """Per row of the bins, and column: the group of its bin."""
    grouped = np.empty((len(rows), bins.shape[1]), np.uint8)
    for i in range(len(rows)):
        for column in range(bins.shape[1]):
            grouped[i, column] = groups[column, bins[rows[i], column]]
    return grouped


@kernel
def _sums(grouped: Ints, gradient: Floats, curvature: Floats, column: int) -> Floats:
    """Per later column, and group of the column and of the later one: the sums of both derivatives."""
    n_rows, n_columns = grouped.shape
    sums = np.zeros((n_columns, N_GROUPS, N_GROUPS, 2))
    for row in range(n_rows):
        own = grouped[row, column]
        for other in range(column + 1, n_columns):
            sums[other, own, grouped[row, other], 0] += gradient[row]
            sums[other, own, grouped[row, other], 1] += curvature[row]
    return sums
