"""Vocabularies: messages about unknown names."""

import pickle

import polars as pl
import pytest

import tlogic
from tlogic.errors import UnknownNameError
from tlogic.graph.live_graph import LiveGraph
from tlogic.graph.vocabulary import Relations, Vocabulary
from tlogic.name_search import NameIndex

CALLS = pl.DataFrame(
    {
        "subject": ["Federal Reserve Bank", "U.S. Federal Reserve", "U.S. Federal Reserve"],
        "relation": ["call", "call", "callback"],
        "object": ["Ann", "Ann", "Ann"],
        "time": ["2030-01-01", "2030-01-02", "2030-01-03"],
    }
)


def error_for(vocabulary: Vocabulary, name: str) -> UnknownNameError:
    with pytest.raises(UnknownNameError) as caught:
        vocabulary.id_of(name)
    return caught.value


@pytest.mark.parametrize("live", [False, True])
def test_suggestions_list_the_busiest_first(live: bool) -> None:
    graph = tlogic.read(CALLS)
    entities = LiveGraph.of(graph).entities if live else graph.entities
    assert error_for(entities, "fed res").similar == ["U.S. Federal Reserve", "Federal Reserve Bank"]


def test_suggestions_for_an_inverse_relation_are_inverse() -> None:
    assert str(error_for(Relations(["sue", "fine"]), "sues^-1")) == "Unknown relation 'sues^-1'; did you mean 'sue^-1'?"


@pytest.mark.parametrize("name", ["", " ", "\u200b", "nothing like it"])
def test_a_message_without_suggestions_names_what_is_unknown(name: str) -> None:
    assert str(error_for(Vocabulary(["Ann", "Bo"], kind="entity"), name)) == f"Unknown entity {name!r}."


def test_names_are_searched_when_the_message_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def similar_to(_index: NameIndex, name: str, _counts: object) -> list[str]:
        searched.append(name)
        return ["Ann"]

    monkeypatch.setattr(NameIndex, "similar_to", similar_to)
    error = error_for(Vocabulary(["Ann"], kind="entity"), "An")
    assert not searched
    for _ in range(2):
        assert str(error) == "Unknown entity 'An'; did you mean 'Ann'?"
    assert searched == ["An"]


def test_errors_and_vocabularies_can_be_pickled() -> None:
    entities = tlogic.read(CALLS).entities
    error = error_for(entities, "fed res")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert "did you mean 'Ann'" in str(error_for(pickle.loads(pickle.dumps(entities)), "Anne"))
