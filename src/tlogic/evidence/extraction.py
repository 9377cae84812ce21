"""Evidence for queries, a relation at a time: families of evidence side by side, a row a candidate."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tlogic.evidence import constants, pair, paths, popularity, recurrence, rules
from tlogic.evidence.asked import Asked, Pairs, choose_candidates
from tlogic.evidence.histories import Histories
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import Facts, TemporalGraph

N_POPULAR = 60
AT_MOST = 100
_TOGETHER = 2000  # wanted queries whose evidence is held in memory at a time

LOOKED_UP = {"recurrence": recurrence, "pair": pair, "popularity": popularity, "paths": paths}
"""Families that look up what happened before a query."""
COUNTED = {"rules": rules, "constants": constants}
"""Families that also learn from the queries before it."""
FAMILIES = {**LOOKED_UP, **COUNTED}
COLUMNS = tuple((name, column) for name, family in FAMILIES.items() for column in family.COLUMNS)
"""What each column of evidence is: its family, and its name there."""


class Extracted(NamedTuple):
    """The evidence of some queries of one relation."""

    asked: Asked
    pairs: Pairs
    evidence: Floats
    """A row a candidate, a column a kind of evidence; nan where there is none."""


def questions_of(facts: Facts, n_base_relations: int, relation: int, wanted_from: int) -> Asked:
    """All that was ever asked of a relation or inverse one; evidence is wanted from a time on."""
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
    return Asked(relation, inverse, subject[first], time[first], starts, answer, time[first] >= wanted_from)


def extract(graph: TemporalGraph, histories: Histories, relation: int, wanted_from: int) -> Iterator[Extracted]:
    """The evidence of a relation's queries from a time on, some at a time; what came before is learned from."""
    asked = questions_of(graph.facts, len(graph.relations.base), relation, wanted_from)
    yield from extract_asked(histories, asked, len(graph.relations))


def extract_asked(histories: Histories, asked: Asked, n_relations: int) -> Iterator[Extracted]:
    """The evidence of the wanted ones among queries of one relation, from all that was asked of it up to then."""
    states = {name: family.new_state(n_relations) for name, family in COUNTED.items()}
    for part in _in_parts(asked):
        pairs = choose_candidates(histories, part, N_POPULAR, AT_MOST)
        evidence = np.empty((len(pairs.candidate), len(COLUMNS)), np.float32)
        column = 0
        for name, family in FAMILIES.items():
            own = evidence[:, column : column + len(family.COLUMNS)]
            if name in states:
                family.advance(histories, states[name], part, pairs, own)
            else:
                family.extract(histories, part, pairs, own)
            column += len(family.COLUMNS)
        yield Extracted(part, pairs, evidence)


def _in_parts(asked: Asked) -> Iterator[Asked]:
    """Cut queries where time goes on, so that those of one time stay together."""
    n_wanted = np.cumsum(asked.wanted)
    first = 0
    while first < len(asked.time):
        done = n_wanted[first - 1] if first else 0
        end = int(np.searchsorted(n_wanted, done + _TOGETHER)) + 1
        end = int(np.searchsorted(asked.time, asked.time[min(end, len(asked.time)) - 1], side="right"))
        yield _part(asked, first, end)
        first = end


def _part(asked: Asked, first: int, end: int) -> Asked:
    start = asked.answer_start[first : end + 1]
    own = slice(first, end)
    return asked._replace(
        subject=asked.subject[own],
        time=asked.time[own],
        answer_start=start - start[0],
        answer=asked.answer[start[0] : start[-1]],
        wanted=asked.wanted[own],
    )


def is_answer(extracted: Extracted) -> Ints:
    """Per candidate: 1 where it is a true answer to its query."""
    asked, pairs, _ = extracted
    sizes = np.diff(pairs.start)
    query = np.repeat(pairs.query, sizes)
    n_answers = np.diff(asked.answer_start)
    widest = int(max(asked.answer.max(initial=0), pairs.candidate.max(initial=0))) + 1
    true = np.repeat(np.arange(len(n_answers)), n_answers) * widest + asked.answer
    return np.isin(query * widest + pairs.candidate, true).astype(np.int8)
