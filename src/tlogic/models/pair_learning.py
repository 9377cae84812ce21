"""Learning pair tables: which two kinds of evidence say more together, and what.

As in models with pairwise interactions (GA2M; Lou et al., 2013), the gradient of the loss is summed in the cells of all
pairs of columns. Where the additive score is right, the sums are near zero; where they are not, one Newton step shows
what a table could gain. The step is taken with one half of some queries and judged with the other half.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.optimiser import minimise
from tlogic.models.pair_tables import N_GROUPS, PairTables, groups_of
from tlogic.models.scorecard import Examples, every_nth
from tlogic.parallel import in_parallel

_N_ROUNDS, _N_PER_ROUND = 3, 10  # tables are added in rounds; later rounds see what earlier tables explain
_MAX_PER_COLUMN = 1  # tables of one round with the same column
_MIN_GAIN = 3.0  # of the log-likelihood of the queries that judge a table
_N_SEARCHED = 8000  # queries by which tables are chosen
_SEARCH_PENALTY = 20.0  # on the squared weights of Newton steps
_MIN_CURVATURE = 1e-3  # of a candidate; others say next to nothing
_L2_PENALTY = 100.0
_ROUGHNESS_PENALTY = 100.0  # on squared differences between the weights of neighbouring groups
_MAX_ITERATIONS = 20
_PART = 4  # every fourth query is in the part with which all but the last fit are made
_MIN_QUERIES = 20_000  # with fewer, all fits use all queries
_N_CHUNKS = 16  # fixed, so that sums do not depend on the number of threads
_MIN_CONTRIBUTION = 1e-5  # of a candidate to the gradient; smaller ones are skipped


class _Joint(NamedTuple):
    """Examples with the cells of tables instead of bins, and with scores to improve on."""

    start: Ints
    is_true: Ints
    score: Floats
    cell: Ints
    """Per candidate and table."""


def learn_pairs(
    examples: Examples, scores: Floats, sizes: Ints, family: Ints, threads: int | None = None
) -> PairTables:
    """Learn tables of two columns of different families.

    Args:
        examples: The queries.
        scores: Per candidate: the additive score.
        sizes: Per column: its number of bins.
        family: Per column: the number of its family.
        threads: How many threads to use. The result does not depend on it.
    """
    found = PairTables(group=groups_of(sizes))
    searched, is_searched = every_nth(examples, max((len(examples.start) - 1) // _N_SEARCHED, 1))
    n_times = _PART if len(examples.start) > _MIN_QUERIES else 1
    part, is_part = every_nth(examples, n_times)
    for _ in range(_N_ROUNDS):
        now = scores[is_searched] + found.scores(searched.bins)
        chosen = _choose(_gains(searched, found.group, now, threads), family, found.column)
        if not len(chosen):
            break
        found = _fitted(_with_more(found, chosen), part, scores[is_part], n_times, threads)
    return _centred(_fitted(found, examples, scores, 1, threads), examples.bins) if len(found.column) else found


def _with_more(tables: PairTables, chosen: Ints) -> PairTables:
    """The tables, and empty ones of further pairs of columns."""
    empty = np.zeros((len(chosen), N_GROUPS, N_GROUPS))
    return tables._replace(
        column=np.concatenate([tables.column, chosen]), weight=np.concatenate([tables.weight, empty])
    )


def _choose(gains: Floats, family: Ints, taken: Ints) -> Ints:
    """The pairs of columns with the largest gains, each column in few of them."""
    known, n_of_column = set(map(tuple, taken.tolist())), np.zeros(len(gains), np.int64)
    chosen: list[tuple[int, int]] = []
    for index in np.argsort(-gains, axis=None, kind="stable").tolist():
        one, other = divmod(index, len(gains))
        if len(chosen) == _N_PER_ROUND or gains[one, other] < _MIN_GAIN:
            break
        if family[one] == family[other] or (one, other) in known:
            continue
        if max(n_of_column[one], n_of_column[other]) < _MAX_PER_COLUMN:
            chosen.append((one, other))
            n_of_column[[one, other]] += 1
    return np.array(chosen, np.int64).reshape(-1, 2)


def _gains(examples: Examples, groups: Ints, scores: Floats, threads: int | None) -> Floats:
    """Per pair of columns: how much the log-likelihood of half of the queries grows by a step with the other half."""
    gradient, curvature = _derivatives(examples.start, examples.is_true, scores)
    half = np.repeat(np.arange(len(examples.start) - 1) % 2, np.diff(examples.start))
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


def _fitted(tables: PairTables, examples: Examples, scores: Floats, times: int, threads: int | None) -> PairTables:
    """The tables with the weights that fit examples best, each of which counts several times."""
    joint = _Joint(examples.start, examples.is_true, scores, tables.cells(examples.bins))
    loss = partial(_loss, joint, times, threads)
    return tables._replace(weight=minimise(loss, tables.weight, _MAX_ITERATIONS))


def _centred(tables: PairTables, bins: Ints) -> PairTables:
    """The tables relative to the average candidate."""
    cells, n_cells = tables.cells(bins), N_GROUPS * N_GROUPS
    shares = np.array([np.bincount(cells[:, k], minlength=n_cells) for k in range(cells.shape[1])]) / len(bins)
    means = (shares.reshape(tables.weight.shape) * tables.weight).sum(axis=(1, 2), keepdims=True)
    return tables._replace(weight=tables.weight - means)


def _loss(joint: _Joint, times: int, threads: int | None, weight: Floats) -> tuple[float, Floats]:
    """The loss with its penalties, and its gradient."""
    chunks = np.array_split(np.arange(len(joint.start) - 1), _N_CHUNKS)
    flat = weight.reshape(len(weight), -1)
    loss, gradient = 0.0, np.zeros_like(flat)
    for part, change in in_parallel(lambda: partial(_loss_of_answers, joint, flat), chunks, threads):
        loss += times * part
        gradient += times * change
    gradient = gradient.reshape(weight.shape) + _L2_PENALTY * weight
    loss += _L2_PENALTY / 2 * float((weight**2).sum())
    for axis in (1, 2):
        inner = np.moveaxis(weight, axis, 0)[1:]  # candidates without evidence have no neighbours
        change = np.moveaxis(gradient, axis, 0)[1:]
        rough = np.diff(inner, axis=0)
        loss += _ROUGHNESS_PENALTY / 2 * float((rough**2).sum())
        change[1:] += _ROUGHNESS_PENALTY * rough
        change[:-1] -= _ROUGHNESS_PENALTY * rough
    return loss, gradient


@kernel
def _loss_of_answers(joint: _Joint, weight: Floats, queries: Ints) -> tuple[float, Floats]:
    """The loss of each answer, minus its log-softmax among itself and the candidates that are no answers; summed."""
    start, is_true, score, cell = joint
    gradient, loss = np.zeros(weight.shape), 0.0
    for q in queries:
        first, end = start[q], start[q + 1]
        scores = score[first:end].copy()
        for i in range(end - first):
            for k in range(cell.shape[1]):
                scores[i] += weight[k, cell[first + i, k]]
        exponentials = np.exp(scores - scores.max())
        others = exponentials[is_true[first:end] == 0].sum()
        inverse_totals = 0.0
        for i in range(end - first):
            if is_true[first + i]:
                total = exponentials[i] + others
                loss += np.log(total) - np.log(exponentials[i])
                inverse_totals += 1.0 / total
                for k in range(cell.shape[1]):
                    gradient[k, cell[first + i, k]] += exponentials[i] / total - 1.0
        for i in range(end - first):
            change = exponentials[i] * inverse_totals
            if not is_true[first + i] and change > _MIN_CONTRIBUTION:
                for k in range(cell.shape[1]):
                    gradient[k, cell[first + i, k]] += change
    return loss, gradient


@kernel
def _derivatives(start: Ints, is_true: Ints, scores: Floats) -> tuple[Floats, Floats]:
    """Per candidate: the first and the second derivative of the loss by its score."""
    gradient, curvature = np.zeros(len(scores)), np.zeros(len(scores))
    for q in range(len(start) - 1):
        first, end = start[q], start[q + 1]
        exponentials = np.exp(scores[first:end] - scores[first:end].max())
        others = exponentials[is_true[first:end] == 0].sum()
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
