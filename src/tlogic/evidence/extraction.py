"""Extraction of evidence for the queries of one relation: all families side by side, one row per candidate."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tlogic.evidence.candidate_selection import choose_candidates
from tlogic.evidence.family import Family
from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, query_chunks
from tlogic.evidence.registry import FAMILIES
from tlogic.graph.arrays import Floats, Ints

_MAX_SCORED_QUERIES = 1000  # per chunk; bounds the memory for evidence


class Extracted(NamedTuple):
    """The evidence of some queries of one relation."""

    queries: HistoryQueries
    pairs: CandidatePairs
    evidence: Floats
    """One row per candidate, one column per kind of evidence; nan where there is none."""


class Extraction:
    """Goes through the queries of one relation in order of time.

    Args:
        families: The names of the families of evidence.
        n_relations: The number of relations of the graph, with their inverses.
    """

    def __init__(self, families: Sequence[str], n_relations: int) -> None:
        self.families: dict[str, Family] = {name: FAMILIES[name](n_relations) for name in families}
        """The families by name, with what they have learned from the queries so far."""

    def advance(self, histories: Histories, queries: HistoryQueries) -> Iterator[Extracted]:
        """The evidence of the scored queries, in chunks. All queries must be later than those of earlier calls."""
        for chunk in query_chunks(queries, _MAX_SCORED_QUERIES):
            pairs = choose_candidates(histories, chunk, self._proposed(histories, chunk))
            columns = [_columns(family, histories, chunk, pairs) for family in self.families.values()]
            yield Extracted(chunk, pairs, np.hstack(columns))

    def _proposed(self, histories: Histories, queries: HistoryQueries) -> CandidatePairs:
        """The candidates that families propose, those of the first family first."""
        scored = np.flatnonzero(queries.scored)
        query, candidate = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
        for family in self.families.values():
            proposed = family.propose(histories, queries)
            if proposed is not None:
                query.append(np.repeat(np.arange(len(scored)), np.diff(proposed.start)))
                candidate.append(proposed.candidate.astype(np.int32))
        own = np.concatenate(query)
        start = np.append(0, np.cumsum(np.bincount(own, minlength=len(scored))))
        return CandidatePairs(scored, start, np.concatenate(candidate)[np.argsort(own, kind="stable")])


def _columns(family: Family, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs) -> Floats:
    out = np.empty((len(pairs.candidate), len(family.columns)), np.float32)
    family.extract(histories, queries, pairs, out)
    return out


def is_answer(extracted: Extracted) -> Ints:
    """Per candidate: 1 if it is a true answer to its query, else 0."""
    queries, pairs, _ = extracted
    sizes = np.diff(pairs.start)
    query = np.repeat(pairs.query, sizes)
    n_answers = np.diff(queries.answer_start)
    n_entities = int(max(queries.answer.max(initial=0), pairs.candidate.max(initial=0))) + 1
    true = np.repeat(np.arange(len(n_answers)), n_answers) * n_entities + queries.answer
    return np.isin(query * n_entities + pairs.candidate, true).astype(np.int8)
