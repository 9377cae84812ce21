"""How many answers queries had before equals its definition, from earlier facts only."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence.extraction import LIVES, as_facts, facts_of, memory_evidence, settings_of
from tests.naive import Edge, add_inverses
from tests.strategies import LAST_TIME, World, worlds
from tests.worlds import as_graph
from tlogic.evidence.answer_history import HISTORY_COLUMNS
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_settings import ALL_EVENTS
from tlogic.evidence.relation_numbers import decoded
from tlogic.graph import TemporalGraph


def naive_history(edges: set[Edge], subject: int, relation: int, now: int) -> list[float]:
    """The columns of one query, from edges in both directions."""
    own = [edge for edge in edges if edge[0] == subject and edge[1] == relation and edge[3] < now]
    if not own:
        return [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    times = sorted({edge[3] for edge in own}, reverse=True)
    answers = [sum(edge[3] == time for edge in own) for time in times]
    age, n = now - times[0], min(len(times), 30)
    mean = mean_answers(answers[:n])
    return [0.0, math.log(answers[0]), log_decayed(own, now), math.log1p(age), math.log(mean), math.log1p(n)]


def mean_answers(answers: list[int]) -> float:
    """The mean over the last occurrences, the latest first, and over one more that has one answer."""
    weights = [0.85**k for k in range(len(answers))]
    return (1 + sum(w * n for w, n in zip(weights, answers, strict=True))) / (1 + sum(weights))


def log_decayed(edges: list[Edge], now: int) -> float:
    """The logarithm of 1 plus the number of edges, each halved after the longest finite half-life."""
    return math.log1p(sum(2 ** (-(now - edge[3]) / LIVES[-2]) for edge in edges))


def histories(graph: TemporalGraph, edges: list[Edge], now: int, max_events: int) -> dict[tuple[int, int], list[float]]:
    """By subject and relation: the history of each query at a time step, by a memory of some edges."""
    memory = Memory(settings_of("recurrence", max_events=max_events))
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.add(as_facts(sorted(edges, key=lambda edge: edge[3])))
    part = memory_evidence(memory, now)
    half = len(graph.relations.base)
    pairs = zip(part.context.subject.tolist(), part.context.relation.tolist(), strict=True)
    return {(s, decoded(r, half)): row for (s, r), row in zip(pairs, part.history.tolist(), strict=True)}


@settings(max_examples=60, deadline=None)
@given(worlds(), st.integers(0, LAST_TIME))
def test_histories_are_those_of_their_definition(world: World, now: int) -> None:
    """Events of the step itself are known to the memory, and do not count."""
    graph = as_graph(world)
    facts = [fact for fact in facts_of(graph) if fact[3] <= now]
    edges = add_inverses(facts, len(graph.relations.base))
    for (subject, relation), row in histories(graph, facts, now, ALL_EVENTS).items():
        assert row == pytest.approx(naive_history(edges, subject, relation, now))


def test_only_the_last_events_of_the_subject_are_searched() -> None:
    """Answers long ago count no more, but those of the last occurrence always do."""
    facts = [(0, 0, 1, t) for t in range(40)] + [(0, 0, 2, t) for t in range(30)] + [(0, 1, 2, 40), (0, 1, 3, 40)]
    graph = as_graph(World(frozenset(facts), 4, 2))
    names = HISTORY_COLUMNS
    all_answers = mean_answers(10 * [1] + 20 * [2])
    for max_events, mean, n in ((ALL_EVENTS, all_answers, 30), (5, 1.0, 3), (2, 1.0, 0)):
        row = dict(zip(names, histories(graph, facts, 41, max_events)[0, 0], strict=True))
        assert row["log mean answers"] == pytest.approx(np.log(mean))
        assert row["log occurrences"] == pytest.approx(np.log1p(n))
        assert row["log events"] == pytest.approx(log_decayed(facts[:70], 41))
