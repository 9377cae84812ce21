"""Families of evidence: what a new one needs, and when it learns."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tlogic
from tests.evidence.extraction import data_of, extract, settings_of
from tests.strategies import World, worlds
from tests.worlds import as_graph
from tlogic.evidence.candidate_selection import Proposals, QueryContext, StepQueries
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.family import BaseFamily, StepEvents
from tlogic.evidence.registry import FAMILIES, evidence_columns
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats, Ints


class EntityIds(BaseFamily):
    """A family that looks something up, proposes the first entity, and exposes a rule for each head relation."""

    columns = ("id",)
    rule_kind = RuleKind(("X", "Y"), (("X", "Y"),), (((1, None),),), 1.0)

    def __init__(self) -> None:
        self.n_relations = 0

    def observe(self, memory: EventMemory, names: Sequence[str], events: StepEvents) -> None:  # noqa: ARG002
        self.n_relations = len(memory.relation_key)

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:  # noqa: ARG002
        out[:, 0] = context.candidate

    def describe(self, case: Case) -> Statement:
        return Statement(f"{case.candidate} has the id {case.values['id']:.0f}")

    def propose(self, memory: EventMemory, queries: StepQueries) -> Proposals:  # noqa: ARG002
        n = len(queries.subject)
        return Proposals(np.arange(n + 1), np.zeros(n, np.int32))

    def rule_counts(self) -> Iterator[RuleCounts]:
        for head in range(self.n_relations):
            yield RuleCounts(head, np.array([[0]]), np.full((2, 2), 20), np.full((2, 2), 10))


class AnswerState(NamedTuple):
    """Per relation: how often each entity was an answer, the number of queries, and of time steps with some."""

    n: Ints
    n_queries: Ints
    n_steps: Ints


class EarlierAnswers(BaseFamily):
    """A family that learns."""

    columns = ("answers", "queries", "steps")

    def __init__(self) -> None:
        self.state = AnswerState(np.zeros((100, 1000), np.int64), np.zeros(100, np.int64), np.zeros(100, np.int64))

    def learn(self, memory: EventMemory, events: StepEvents, times: int) -> None:  # noqa: ARG002
        np.add.at(self.state.n, (events.relation, events.target), times)
        np.add.at(self.state.n_queries, events.relation, times * events.new_query)
        np.add.at(self.state.n_steps, events.relation, times * events.new_relation)

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:  # noqa: ARG002
        relation = np.repeat(context.relation, np.diff(context.start))
        out[:, 0] = self.state.n[relation, context.candidate]
        out[:, 1], out[:, 2] = self.state.n_queries[relation], self.state.n_steps[relation]

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
    assert set(contributions) == {"recurrence", "ids", "answers", "combinations"}
    assert contributions["ids"].sentence == f"{name} has the id {graph.entities.id_of(name)}"
    assert contributions["answers"].sentence == f"{name} was the answer {contributions['answers'].n_facts} times"
    assert {str(rule) for rule in model.rules if rule.head == "sue"} == {
        f"sue(X, Y, T2) <- {graph.relations.name_of(0)}(X, Y, T1)"
    }


@pytest.mark.usefixtures("toys")
def test_a_family_can_propose_candidates() -> None:
    graph = as_graph(World(frozenset({(1, 1, 2, 1), (3, 0, 4, 1), (3, 0, 4, 3), (0, 1, 1, 1)}), 5, 2))
    query = (graph.entities.id_of("e3"), graph.relations.id_of("r0"), 3)
    without, with_proposals = (
        set(extract(graph, [query], settings_of(*families))[0].candidates) for families in (["pair"], ["pair", "ids"])
    )
    assert with_proposals - without == {0}


@settings(max_examples=40)
@given(worlds(), st.data())
def test_a_family_learns_from_a_step_after_its_queries(world: World, data: st.DataObject) -> None:
    """The evidence of a query is about earlier queries and their answers, as plain loops count them."""
    assume(world.facts)
    graph = as_graph(world)
    relation = data.draw(st.integers(0, len(graph.relations) - 1))
    queries = data_of(graph).queries(relation)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FAMILIES, "answers", EarlierAnswers)
        for found in extract(graph, [query[:3] for query in queries], settings_of("pair", "answers")):
            earlier = [query for query in queries if query.time < found.time]
            for c, row in zip(found.candidates, found.values[:, -3:].tolist(), strict=True):
                n_before = sum(c in query.answers for query in earlier)
                assert row == [n_before, len(earlier), len({query.time for query in earlier})]
