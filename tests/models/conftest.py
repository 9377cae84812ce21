"""A small world whose names tell places, and the models that are fitted to it once for all tests."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import tlogic
from tlogic import Query
from tlogic.graph import TemporalGraph
from tlogic.graph.vocabulary import Vocabulary
from tlogic.models import boosting

PLACES = ("Northland", "Southland", "Eastland")


def with_places(graph: TemporalGraph) -> TemporalGraph:
    """The same world, in which two of three names end with a place, and three names are those of the places."""
    names = [
        name if number % 3 == 0 else f"{name} ({PLACES[number % len(PLACES)]})"
        for number, name in enumerate(graph.entities)
    ]
    names[: 3 * len(PLACES) : 3] = PLACES
    return replace(graph, entities=Vocabulary(names, kind="entity"))


def asked_of_test(graph: TemporalGraph, n: int | None = None) -> tuple[list[Query], list[str]]:
    """Test facts asked in both directions and their answers: all in order of time, or some in no order."""
    name, queries, truths = graph.entities.name_of, [], []
    facts = list(zip(*(column.tolist() for column in graph.split("test")), strict=True))
    places = range(len(facts)) if n is None else np.random.default_rng(3).permutation(len(facts))[:n].tolist()
    for s, r, o, t in (facts[place] for place in places):
        relation, at = graph.relations.name_of(r), graph.timeline.label_of(t)
        queries += [Query(name(s), relation, at=at), Query(None, relation, name(o), at)]
        truths += [name(o), name(s)]
    return queries, truths


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees are grown as ever, but fewer of them."""
    monkeypatch.setattr(boosting, "_MIN_TREES", 5)


@pytest.fixture(scope="session")
def world() -> TemporalGraph:
    return with_places(tlogic.sample(days=100))


@pytest.fixture(scope="session")
def scorecard(world: TemporalGraph) -> tlogic.Model:
    return tlogic.fit(world, names=True)


@pytest.fixture(scope="session")
def boosted(world: TemporalGraph) -> Iterator[tlogic.Model]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boosting, "_MIN_TREES", 20)
        yield tlogic.fit(world, model="boosted", names=True, threads=1)


@pytest.fixture(scope="session", params=["scorecard", "boosted"])
def model(request: pytest.FixtureRequest) -> tlogic.Model:
    fitted: tlogic.Model = request.getfixturevalue(request.param)
    return fitted
