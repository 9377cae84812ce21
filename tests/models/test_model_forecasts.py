"""Forecasts by a model: what evaluation ranks, from the past alone, whatever else is asked and in whatever order."""

import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDoneError
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tlogic
from tests.models.conftest import asked_of_test
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.evidence.registry import FAMILIES
from tlogic.execution import Execution
from tlogic.explaining import explain_by_model
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph import Facts, TemporalGraph
from tlogic.models.model_forecaster import ModelForecaster

Answered = tuple[bytes, bytes, bytes]


def test_forecasts_rank_true_answers_as_evaluation_does(world: TemporalGraph, model: tlogic.Model) -> None:
    queries, truths = asked_of_test(world)
    answers = tlogic.forecast(world, model, queries, top=None)
    ranks = [
        next((candidate.rank for candidate in found if candidate.name == truth), len(world.entities))
        for found, truth in zip(answers, truths, strict=True)
    ]
    evaluation = tlogic.evaluate(world, model, filter="raw")
    assert sorted(ranks) == sorted(evaluation.ranks.optimistic.tolist())


def test_other_queries_and_threads_do_not_matter(world: TemporalGraph, model: tlogic.Model) -> None:
    some, _ = asked_of_test(world, 40)
    together = tlogic.forecast(world, model, some, threads=2)
    backwards = tlogic.forecast(world, model, some[::-1], threads=1)
    assert list(together) == list(backwards)[::-1]
    for place in range(0, len(some), 20):
        assert tlogic.forecast(world, model, [some[place]])[0] == together[place]


def test_nothing_from_the_time_of_a_query_on_matters(world: TemporalGraph, model: tlogic.Model) -> None:
    for query in asked_of_test(world, 4)[0]:
        past = world.before(world.timeline.step_of(str(query.at)))
        assert tlogic.forecast(past, model, [query])[0] == tlogic.forecast(world, model, [query])[0]


def test_answers_have_probabilities(world: TemporalGraph, model: tlogic.Model) -> None:
    answers = tlogic.forecast(world, model, asked_of_test(world, 10)[0], top=None)
    for place, found in enumerate(answers):
        likely = [candidate.probability for candidate in found]
        assert likely == sorted(likely, reverse=True)  # type: ignore[type-var]
        assert all(0 <= probability <= 1 for probability in likely)  # type: ignore[operator]
        assert answers.to_dict(place)["candidates"][0]["probability"] == likely[0]
        assert answers.frame.filter(query=place)["probability"].to_list() == likely
    assert answers.frame.columns[-3:] == ["score", "probability", "by"]


# One forecaster for many queries


def some_queries(world: TemporalGraph, n: int = 40) -> list[EncodedQuery]:
    """Few relations and many times, some of them beyond the data, in no order."""
    random = Random(5)
    common = np.argsort(-np.bincount(world.facts.relation))[:3].tolist()
    relations = [*common, common[0] + len(world.relations.base)]
    times = [*range(60, world.end + 1, 7), world.end + 40]
    return [
        EncodedQuery(random.randrange(len(world.entities)), random.choice(relations), random.choice(times))
        for _ in range(n)
    ]


def answered(forecaster: ModelForecaster, query: EncodedQuery) -> Answered:
    [found] = forecaster.answer([query], None, Execution(threads=1))
    assert found.probability is not None
    return found.entity.tobytes(), found.score.tobytes(), found.probability.tobytes()


def new_forecaster(world: TemporalGraph, model: tlogic.Model) -> ModelForecaster:
    """A forecaster that does not share the memory of earlier ones."""
    return ModelForecaster(world, model, QueryEvidence(world, model.memory_settings))


@pytest.fixture(scope="module")
def alone(world: TemporalGraph, scorecard: tlogic.Model) -> dict[EncodedQuery, Answered]:
    """What each query is answered by a forecaster of its own."""
    return {query: answered(new_forecaster(world, scorecard), query) for query in some_queries(world)}


def test_a_forecaster_answers_in_any_order_as_a_fresh_one(
    world: TemporalGraph, scorecard: tlogic.Model, alone: dict[EncodedQuery, Answered]
) -> None:
    """What it learned for a later query is not in the answer to an earlier one."""
    forecaster = new_forecaster(world, scorecard)
    in_time = sorted(alone, key=lambda query: query.time)
    for queries in (list(alone), in_time, in_time[::-1], list(alone)):
        for query in queries:
            assert answered(forecaster, query) == alone[query]


def test_several_threads_may_ask_one_forecaster(
    world: TemporalGraph, scorecard: tlogic.Model, alone: dict[EncodedQuery, Answered]
) -> None:
    forecaster = new_forecaster(world, scorecard)
    queries = Random(1).choices(list(alone), k=80)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda query: answered(forecaster, query), queries))
    assert found == [alone[query] for query in queries]


def test_a_thread_waits_while_another_uses_the_memory(
    world: TemporalGraph, scorecard: tlogic.Model, alone: dict[EncodedQuery, Answered]
) -> None:
    """The memory that an explanation describes stays that before its query."""
    early, late = (choose(alone, key=lambda query: query.time) for choose in (min, max))
    forecaster = new_forecaster(world, scorecard)
    with ThreadPoolExecutor(1) as pool:
        with forecaster.evidence.at(late) as (part, memory):
            newest, values = memory.newest, part.values.copy()
            waiting = pool.submit(answered, forecaster, early)
            with pytest.raises(NotDoneError):
                waiting.result(timeout=0.3)
            assert memory.newest == newest
            assert np.array_equal(part.values, values, equal_nan=True)
        assert waiting.result() == alone[early]


def test_models_with_the_same_evidence_share_a_memory(world: TemporalGraph, scorecard: tlogic.Model) -> None:
    """A second call learns nothing anew; another graph has a memory of its own."""
    first, second = (ModelForecaster(world, scorecard).evidence for _ in range(2))
    assert first is second
    assert ModelForecaster(world.before(world.end - 1), scorecard).evidence is not first


def test_a_query_that_failed_leaves_nothing_behind(
    world: TemporalGraph,
    scorecard: tlogic.Model,
    alone: dict[EncodedQuery, Answered],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it had learned by then would else be learned twice."""
    late = max(alone, key=lambda query: query.time)
    early = late._replace(time=70)
    forecaster = new_forecaster(world, scorecard)
    answered(forecaster, early)
    with monkeypatch.context() as patch:
        patch.setattr("tlogic.evidence.families.name_structure._learn", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            answered(forecaster, late)
    assert answered(forecaster, late) == alone[late]


def test_an_explanation_between_forecasts_changes_nothing(
    world: TemporalGraph, scorecard: tlogic.Model, alone: dict[EncodedQuery, Answered]
) -> None:
    answers = tlogic.forecast(world, scorecard, asked_of_test(world, 2)[0])
    forecaster = answers.forecaster
    assert isinstance(forecaster, ModelForecaster)
    for query in list(alone)[:4]:
        candidate = explain_by_model(forecaster, answers.queries[0], answers[0][0].name)
        assert candidate.score == answers[0][0].score
        assert answered(forecaster, query) == alone[query]


# Odd questions


def test_beyond_the_data_the_same_facts_are_older(world: TemporalGraph, model: tlogic.Model) -> None:
    subject, relation = asked_of_test(world, 1)[0][0][:2]
    answers = tlogic.forecast(world, model, [(subject, relation, None, at) for at in (None, "2031-09-01")])
    assert answers.queries[0].at == world.timeline.label_of(world.end)
    assert answers[0] != answers[1]
    assert answers.by(1) == "model"


def n_compiled() -> int:
    """For how many kinds of arguments the kernels that extract evidence are compiled."""
    modules = {sys.modules[family.__module__] for family in FAMILIES.values()}
    return sum(len(module._extract.signatures) for module in modules)


def test_an_empty_past_is_no_trouble(world: TemporalGraph, model: tlogic.Model) -> None:
    """One fact is known: most have no candidates at all."""
    first = replace(world, facts=Facts(*(column[:1] for column in world.facts)))
    queries = [(name, "sue", None, "2030-01-05") for name in world.entities.names[:9]]
    answers = tlogic.forecast(first, model, queries)
    assert all(np.isfinite(candidate.score) for found in answers for candidate in found)
    compiled = n_compiled()
    alone = [tlogic.forecast(first, model, [query])[0] for query in queries]
    assert alone == list(answers)
    assert {0, 1} & {len(found) for found in alone}
    assert n_compiled() == compiled  # nobody waits for kernels that are compiled for the lack of candidates


def test_no_queries_are_no_trouble(world: TemporalGraph, scorecard: tlogic.Model) -> None:
    assert tlogic.forecast(world, scorecard, []).frame.height == 0
