"""The loop through time, for all families that learn from earlier queries.

At each time step it first fills the evidence of the scored queries, then learns from all queries of that step: the
answers of a time step count for later time steps only.

A family has a state of its own NamedTuple class, and registers what to do at each point of the loop for that class.
Numba resolves these hooks by the type of the state when it compiles the loop, so the loop costs nothing at run time.
It is compiled as part of each family's own cached kernel, which is compiled again when the family's module changes.
"""
# ruff: noqa: ARG005 (Numba compares the names of parameters)

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from numba import njit
from numba.extending import overload

from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, answers_of, end_of_step
from tlogic.graph.arrays import Floats, Ints, borrowed

Hook = Callable[..., None]


class Hooks(NamedTuple):
    """What a family does at each point of the loop; parameters have the names that the functions below give them."""

    fill_query: Hook
    learn_query: Hook
    start_step: Hook
    end_step: Hook


_HOOKS: dict[type, Hooks] = {}


# The hooks. By default they do nothing: families that need one register their own.


def start_step(histories: Histories, state: Any, scratch: Any, now: int) -> None:
    """Prepare for the scored queries of a time step; not called where there are none."""


def fill_query(
    histories: Histories,
    state: Any,
    scratch: Any,
    queries: HistoryQueries,
    q: int,
    candidates: Ints,
    out: Floats,
) -> None:
    """Fill the evidence of one scored query, one row per candidate."""


def learn_query(histories: Histories, state: Any, scratch: Any, queries: HistoryQueries, q: int, answers: Ints) -> None:
    """Learn from one query with answers."""


def end_step(histories: Histories, state: Any, scratch: Any, now: int, answers: Ints) -> None:
    """Learn from all answers of a time step together; not called where there are none."""


def register_hooks(
    state: type,
    *,
    fill_query: Hook,
    learn_query: Hook = learn_query,
    start_step: Hook = start_step,
    end_step: Hook = end_step,
) -> None:
    """Set the hooks for a class of states: plain functions that Numba can compile."""
    _HOOKS[state] = Hooks(*map(_without_annotations, (fill_query, learn_query, start_step, end_step)))


def _without_annotations(function: Any) -> Hook:
    """A copy of a function, because Numba compares annotations with those of the functions below."""
    return FunctionType(function.__code__, function.__globals__, function.__name__)


# How Numba finds a hook when it compiles a call with a state of some class.
overload(start_step)(lambda histories, state, scratch, now: _HOOKS[state.instance_class].start_step)
overload(fill_query)(
    lambda histories, state, scratch, queries, q, candidates, out: _HOOKS[state.instance_class].fill_query
)
overload(learn_query)(lambda histories, state, scratch, queries, q, answers: _HOOKS[state.instance_class].learn_query)
overload(end_step)(lambda histories, state, scratch, now, answers: _HOOKS[state.instance_class].end_step)


@njit(nogil=True)
def step_through(
    histories: Histories, state: Any, scratch: Any, queries: HistoryQueries, pairs: CandidatePairs, out: Floats
) -> None:
    """Go through queries in order of time: fill the rows of those that are scored, then learn from all of the step."""
    histories, queries, pairs = borrowed(histories), borrowed(queries), borrowed(pairs)
    first, n_scored = 0, 0
    while first < len(queries.time):
        end, now = end_of_step(queries, first), queries.time[first]
        if queries.scored[first:end].any():
            start_step(histories, state, scratch, now)
        for q in range(first, end):
            if queries.scored[q]:
                rows = slice(pairs.start[n_scored], pairs.start[n_scored + 1])
                fill_query(histories, state, scratch, queries, q, pairs.candidate[rows], out[rows])
                n_scored += 1
        for q in range(first, end):
            answers = answers_of(queries, q, q + 1)
            if len(answers):
                learn_query(histories, state, scratch, queries, q, answers)
        answers = answers_of(queries, first, end)
        if len(answers):
            end_step(histories, state, scratch, now, answers)
        first = end
