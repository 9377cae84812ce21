"""Evidence for queries, a relation at a time: families of evidence side by side, a row a candidate."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.evidence.families import (
    acyclic_rules,
    constant_rules,
    fact_recurrence,
    habits,
    name_structure,
    one_step_rules,
    pair_history,
    paths,
    popularity,
    two_step_rules,
)
from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, choose_candidates
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.facts import Facts

N_POPULAR = 60
N_SAME_PLACE = 20
"""Only where names are evidence."""
AT_MOST = 120
_TOGETHER = 1000  # scored queries whose evidence is held in memory at a time

FAMILIES: dict[str, Any] = {
    "recurrence": fact_recurrence,
    "pair": pair_history,
    "popularity": popularity,
    "habits": habits,
    "paths": paths,
    "rules": one_step_rules,
    "chains": two_step_rules,
    "acyclic": acyclic_rules,
    "constants": constant_rules,
    "names": name_structure,
}
"""The families of evidence. Those with a state also learn from the queries before one, the others only look up."""
WITHOUT_NAMES = tuple(name for name in FAMILIES if name != "names")


class Extracted(NamedTuple):
    """The evidence of some queries of one relation."""

    queries: HistoryQueries
    pairs: CandidatePairs
    evidence: Floats
    """A row a candidate, a column a kind of evidence; nan where there is none."""


def columns_of(families: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """What each column of evidence is: its family, and its name there."""
    return tuple((name, column) for name in families for column in FAMILIES[name].COLUMNS)


class Extraction:
    """Goes through the queries of one relation in order of time, and knows what those so far have taught.

    ``states`` is what each family has learned, None for those that only look up.
    """

    def __init__(self, families: Sequence[str], n_relations: int) -> None:
        self.states: dict[str, Any] = {
            name: FAMILIES[name].new_state(n_relations) if hasattr(FAMILIES[name], "new_state") else None
            for name in families
        }
        self._n_same_place = N_SAME_PLACE if "names" in families else 0

    def advance(self, histories: Histories, queries: HistoryQueries) -> Iterator[Extracted]:
        """The evidence of the scored ones among queries that were queries after all before, some at a time."""
        for part in _in_parts(queries):
            pairs = choose_candidates(histories, part, N_POPULAR, self._n_same_place, AT_MOST)
            yield Extracted(part, pairs, np.hstack([*self._families(histories, part, pairs)]))

    def _families(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs) -> Iterator[Floats]:
        for name, state in self.states.items():
            family = FAMILIES[name]
            own = np.empty((len(pairs.candidate), len(family.COLUMNS)), np.float32)
            if state is None:
                family.extract(histories, queries, pairs, own)
            else:
                family.advance(histories, state, queries, pairs, own)
            yield own


def relation_queries(facts: Facts, n_base_relations: int, relation: int, scored_from: int) -> HistoryQueries:
    """All that was ever queries of a relation or inverse one; evidence is scored from a time on."""
    base = relation % n_base_relations
    own = np.flatnonzero(facts.relation == base)
    subject, answer = facts.subject[own], facts.object[own]
    if relation >= n_base_relations:
        subject, answer = answer, subject
    time = facts.time[own]
    order = np.lexsort((answer, subject, time))
    subject, answer, time = subject[order], answer[order], time[order]
    first = np.flatnonzero(np.append(True, (subject[1:] != subject[:-1]) | (time[1:] != time[:-1]))[: len(time)])
    inverse = base if relation >= n_base_relations else base + n_base_relations
    starts = np.append(first, len(answer))
    return HistoryQueries(relation, inverse, subject[first], time[first], starts, answer, time[first] >= scored_from)


def _in_parts(queries: HistoryQueries) -> Iterator[HistoryQueries]:
    """Cut queries where time goes on, so that those of one time stay together."""
    n_wanted = np.cumsum(queries.scored)
    first = 0
    while first < len(queries.time):
        done = n_wanted[first - 1] if first else 0
        end = int(np.searchsorted(n_wanted, done + _TOGETHER)) + 1
        end = int(np.searchsorted(queries.time, queries.time[min(end, len(queries.time)) - 1], side="right"))
        yield _part(queries, first, end)
        first = end


def _part(queries: HistoryQueries, first: int, end: int) -> HistoryQueries:
    start = queries.answer_start[first : end + 1]
    own = slice(first, end)
    return queries._replace(
        subject=queries.subject[own],
        time=queries.time[own],
        answer_start=start - start[0],
        answer=queries.answer[start[0] : start[-1]],
        scored=queries.scored[own],
    )


def is_answer(extracted: Extracted) -> Ints:
    """Per candidate: 1 where it is a true answer to its query."""
    queries, pairs, _ = extracted
    sizes = np.diff(pairs.start)
    query = np.repeat(pairs.query, sizes)
    n_answers = np.diff(queries.answer_start)
    widest = int(max(queries.answer.max(initial=0), pairs.candidate.max(initial=0))) + 1
    true = np.repeat(np.arange(len(n_answers)), n_answers) * widest + queries.answer
    return np.isin(query * widest + pairs.candidate, true).astype(np.int8)
