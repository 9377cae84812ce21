"""Families of evidence: what a new one needs, and what the loop through time does for those that learn."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit
from tlogic.evidence.extraction import Extraction
from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, relation_queries
from tlogic.evidence.stepping import register_hooks, step_through

import tlogic
from tests.evidence.test_evidence import histories_of
from tests.strategies import LAST_TIME, World, worlds
from tests.worlds import as_graph
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.rates import Tally
from tlogic.evidence.registry import FAMILIES, evidence_columns
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats, Ints


class EntityIds(BaseFamily):
    """A family that looks something up, proposes the first entity, and exposes a rule."""

    columns = ("id",)
    rule_kind = RuleKind(("X", "Y"), (("X", "Y"),), (((1, None),),), 1.0)

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:  # noqa: ARG002
        out[:, 0] = pairs.candidate

    def describe(self, case: Case) -> Statement:
        return Statement(f"{case.candidate} has the id {case.values['id']:.0f}")

    def propose(self, histories: Histories, queries: HistoryQueries) -> CandidatePairs:  # noqa: ARG002
        scored = np.flatnonzero(queries.scored)
        return CandidatePairs(scored, np.arange(len(scored) + 1), np.zeros(len(scored), np.int32))

    def rule_counts(self) -> RuleCounts:
        return RuleCounts(np.array([[0]]), Tally(np.full((2, 2), 20.0), np.full((2, 2), 10.0)))


class AnswerState(NamedTuple):
    """How often each entity was an answer, and at how many time steps there was one."""

    n: Ints
    n_steps: Ints


class Notes(NamedTuple):
    """The time step for which evidence was prepared last."""

    now: Ints


def _start_step(histories: Histories, state: AnswerState, scratch: Notes, now: int) -> None:  # noqa: ARG001
    scratch.now[0] = now


def _fill_query(
    histories: Histories,  # noqa: ARG001
    state: AnswerState,
    scratch: Notes,
    queries: HistoryQueries,
    q: int,
    candidates: Ints,
    out: Floats,
) -> None:
    out[:, 0] = state.n[candidates]
    out[:, 1] = state.n_steps[0]
    out[:, 2] = queries.time[q] - scratch.now[0]


def _learn_query(
    histories: Histories,  # noqa: ARG001
    state: AnswerState,
    scratch: Notes,  # noqa: ARG001
    queries: HistoryQueries,  # noqa: ARG001
    q: int,  # noqa: ARG001
    answers: Ints,
) -> None:
    state.n[answers] += 1


def _end_step(histories: Histories, state: AnswerState, scratch: Notes, now: int, answers: Ints) -> None:  # noqa: ARG001
    state.n_steps[0] += 1


register_hooks(
    AnswerState, start_step=_start_step, fill_query=_fill_query, learn_query=_learn_query, end_step=_end_step
)


@njit
def _advance(
    histories: Histories,
    state: AnswerState,
    scratch: Notes,
    queries: HistoryQueries,
    pairs: CandidatePairs,
    out: Floats,
) -> None:
    step_through(histories, state, scratch, queries, pairs, out)


class EarlierAnswers(BaseFamily):
    """A family that learns, with all hooks of the loop through time."""

    columns = ("answers", "steps", "since start of step")

    def __init__(self, n_relations: int) -> None:  # noqa: ARG002
        self.state = AnswerState(np.zeros(1000, np.int64), np.zeros(1, np.int64))

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        _advance(histories, self.state, Notes(np.zeros(1, np.int64)), queries, pairs, out)

    def describe(self, case: Case) -> Statement:
        return Statement(f"{case.candidate} was the answer {case.values['answers']:.0f} times", case.answers())


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line in the registry for each."""
    monkeypatch.setitem(FAMILIES, "ids", EntityIds)
    monkeypatch.setitem(FAMILIES, "answers", EarlierAnswers)


@pytest.mark.usefixtures("toys")
def test_a_new_family_needs_one_module_and_one_line_in_the_registry() -> None:
    graph = tlogic.sample(days=60)
    model = tlogic.fit(graph, evidence=["recurrence", "ids", "answers"])
    assert model.columns[-4:] == evidence_columns(["ids", "answers"])
    forecast = tlogic.forecast(graph, model, [("Kite Aviation", "sue")])
    name = forecast[0][0].name
    contributions = {each.family: each for each in forecast.explain(0, name).contributions}
    assert set(contributions) == {"recurrence", "ids", "answers"}
    assert contributions["ids"].sentence == f"{name} has the id {graph.entities.id_of(name)}"
    assert contributions["answers"].sentence == f"{name} was the answer {contributions['answers'].n_facts} times"
    assert {str(rule) for rule in model.rules if rule.head == "sue"} == {
        f"sue(X, Y, T2) <- {graph.relations.name_of(0)}(X, Y, T1)"
    }


@pytest.mark.usefixtures("toys")
def test_a_family_can_propose_candidates() -> None:
    graph = as_graph(World(frozenset({(1, 1, 2, 1), (3, 0, 4, 1), (3, 0, 4, 3), (0, 1, 1, 1)}), 5, 2))
    queries = relation_queries(graph.facts, len(graph.relations.base), graph.relations.id_of("r0"), 3)
    candidates = []
    for families in (["pair"], ["pair", "ids"]):
        [part] = Extraction(families, len(graph.relations)).advance(histories_of(graph), queries)
        candidates.append(set(part.pairs.candidate.tolist()))
    assert candidates[1] - candidates[0] == {0}


@settings(max_examples=40)
@given(worlds(), st.data())
def test_the_loop_fills_a_step_before_it_learns_from_it(world: World, data: st.DataObject) -> None:
    """What a query is told of earlier answers is what plain loops count."""
    assume(world.facts)
    graph = as_graph(world)
    relation = data.draw(st.integers(0, len(graph.relations) - 1))
    queries = relation_queries(graph.facts, len(graph.relations.base), relation, data.draw(st.integers(0, LAST_TIME)))
    histories, family = histories_of(graph), EarlierAnswers(len(graph.relations))
    answered_at = np.repeat(queries.time, np.diff(queries.answer_start))
    for part in Extraction(["pair"], len(graph.relations)).advance(histories, queries):
        out = np.empty((len(part.pairs.candidate), 3), np.float32)
        family.extract(histories, part.queries, part.pairs, out)
        times = np.repeat(part.queries.time[part.pairs.query], np.diff(part.pairs.start))
        for c, now, row in zip(part.pairs.candidate, times, out.tolist(), strict=True):
            n_before = sum(answer == c and t < now for answer, t in zip(queries.answer, answered_at, strict=True))
            assert row == [n_before, len({t for t in answered_at.tolist() if t < now}), 0]
