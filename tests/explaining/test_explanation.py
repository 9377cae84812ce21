import numpy as np
import pytest

import tlogic
from tlogic.explaining import Explanation, explain
from tlogic.forecasting import ApplicationSettings, Forecaster
from tlogic.forecasting.application import Queries, Scored
from tlogic.graph import TemporalGraph

N_QUERIES = 25


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample()


@pytest.fixture(scope="module")
def forecaster(graph: TemporalGraph) -> Forecaster:
    return Forecaster(graph, tlogic.learn(graph, walks=40), ApplicationSettings(window=100))


def asked(graph: TemporalGraph) -> list[tuple[int, int, int]]:
    facts = graph.split("test")
    places = np.linspace(0, len(facts.time) - 1, N_QUERIES).astype(int)
    return [(int(facts.subject[i]), int(facts.relation[i]), int(facts.time[i])) for i in places]


def answer(forecaster: Forecaster, subject: int, relation: int, time: int) -> Scored:
    return forecaster.new_worker()(Queries(*(np.array([value]) for value in (subject, relation, time, time))))


def explained(forecaster: Forecaster, query: tuple[int, int, int], candidate: int) -> Explanation:
    graph, (subject, relation, time) = forecaster.graph, query
    name = graph.entities.name_of
    at = graph.timeline.label_of(time)
    return explain(forecaster, name(subject), graph.relations.name_of(relation), name(candidate), at)


def test_reasons_add_up_to_the_score_exactly(graph: TemporalGraph, forecaster: Forecaster) -> None:
    for query in asked(graph):
        scored = answer(forecaster, *query)
        for entity, score in list(zip(scored.entity, scored.score, strict=True))[:5]:
            assert explained(forecaster, query, entity).score == score


def test_every_cited_fact_is_in_the_data_before_the_query(graph: TemporalGraph, forecaster: Forecaster) -> None:
    facts = zip(*graph.facts, strict=True)
    name, relation_name, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    told = {f"{label(t)}  {name(s)} — {relation_name(r)} → {name(o)}": int(t) for s, r, o, t in facts}
    cited = 0
    for query in asked(graph):
        scored = answer(forecaster, *query)
        for reason in [r for entity in scored.entity[:1] for r in explained(forecaster, query, entity).reasons]:
            times = [told[fact] for fact in reason.facts]
            assert times == sorted(times)
            assert query[2] - 100 <= times[0] <= times[-1] < query[2]
            cited += len(times)
    assert cited > N_QUERIES


def test_a_candidate_that_no_rule_supports_has_no_reasons(graph: TemporalGraph, forecaster: Forecaster) -> None:
    query = asked(graph)[0]
    reached = set(answer(forecaster, *query).entity)
    other = next(entity for entity in range(len(graph.entities)) if entity not in reached)
    why = explained(forecaster, query, other)
    assert why.reasons == ()
    assert why.score == 0
