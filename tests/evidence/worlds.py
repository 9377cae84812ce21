"""Random worlds whose entities have names that tell something, and larger ones with a crowd around one entity."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from tests.naive import Edge
from tests.strategies import LAST_TIME, World
from tests.worlds import as_graph
from tlogic.graph import TemporalGraph
from tlogic.graph.vocabulary import Vocabulary

TELLING_NAMES = (
    "Police (India)",
    "India",
    "Citizen (India)",
    "Police (Peru)",
    "Peru",
    "Ann Lee",
    "Bo Oak",
    "Rebels (Armed) (Peru)",
    "(India)",
    "Citizen  (Peru) ",
    "Party (A) of Peru",
)


def renamed(graph: TemporalGraph, names: Iterable[str]) -> TemporalGraph:
    """The same facts between entities with other names; an entity that is left without one keeps its own."""
    own, new = graph.entities.names, list(names)
    return replace(graph, entities=Vocabulary([*new, *own[len(new) :]][: len(own)], kind="entity"))


@st.composite
def telling_graphs(draw: st.DrawFn, worlds: st.SearchStrategy[World]) -> TemporalGraph:
    """A world whose entities have some of the telling names."""
    return renamed(as_graph(draw(worlds)), draw(st.permutations(TELLING_NAMES)))


def crowded_world(seed: int) -> World:
    """More partners, targets and events around a few entities than any family looks at."""
    random = Random(seed)
    facts: set[Edge] = set()
    while len(facts) < 240:
        hub, other = random.randrange(3), random.randrange(40)
        s, o = random.choice([(hub, other), (other, hub), (other, random.randrange(40))])
        facts.add((s, random.randrange(2), o, random.randint(0, LAST_TIME)))
    return World(frozenset(facts), 40, 2)
