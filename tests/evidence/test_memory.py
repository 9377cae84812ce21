"""A memory depends on the set of its events only: not on the order in which they come, nor on the ids of names."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.damage import flipped
from tests.evidence.extraction import as_facts, memory_evidence, rows_of, settings_of
from tests.evidence.worlds import TELLING_NAMES, crowded_world
from tests.strategies import World, worlds
from tlogic.errors import InputError
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_file import open_memory, write_memory
from tlogic.evidence.registry import FAMILIES
from tlogic.graph.facts import NO_FACTS

Event = tuple[str, str, str, int]
Rows = dict[tuple[str, str], list[tuple[str, bytes]]]
"""By subject and relation: the candidates in their order, each with the very bits of its evidence."""


class Learner:
    """A memory and the names it has seen, which get ids as they appear."""

    def __init__(self, entities: Iterable[str] = (), relations: Iterable[str] = ()) -> None:
        self.memory = Memory(settings_of(*FAMILIES, max_events=2))
        self.entities, self.relations = list[str](), list[str]()
        self.add_names(entities, relations)

    def add_names(self, entities: Iterable[str], relations: Iterable[str]) -> None:
        new = [name for name in dict.fromkeys(entities) if name not in self.entities]
        new_relations = [name for name in dict.fromkeys(relations) if name not in self.relations]
        self.entities += new
        self.relations += new_relations
        self.memory.add_names(new, new_relations)

    def add(self, events: Sequence[Event]) -> None:
        self.add_names((name for s, _, o, _ in events for name in (s, o)), (r for _, r, _, _ in events))
        entity, relation = self.entities.index, self.relations.index
        self.memory.add(as_facts((entity(s), relation(r), entity(o), t) for s, r, o, t in events))

    @property
    def heads(self) -> np.ndarray:
        return np.arange(2 * len(self.relations))

    def rows(self, now: int) -> Rows:
        """The evidence of all queries at a time step."""
        names = [*self.relations, *(f"{name}^-1" for name in self.relations)]
        return {
            (self.entities[one.subject], names[one.relation]): [
                (self.entities[c], row.tobytes()) for c, row in zip(one.candidates, one.values, strict=True)
            ]
            for one in rows_of(memory_evidence(self.memory, now), len(self.relations))
        }

    def rows_before(self, now: int) -> Rows:
        with self.memory.before(now, self.heads):
            return self.rows(now)


def events_of(world: World, names: Sequence[str]) -> list[Event]:
    return [(names[s], f"r{r}", names[o], t) for s, r, o, t in sorted(world.facts, key=lambda fact: fact[3])]


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    """Events in order of time, within a time step in any order."""
    events = events_of(draw(worlds()), draw(st.permutations(TELLING_NAMES)))
    assume(events)
    return sorted(draw(st.permutations(events)), key=lambda event: event[3])


@st.composite
def batches(draw: st.DrawFn, events: list[Event]) -> list[list[Event]]:
    """The same events, some at a time: often one by one, often whole steps."""
    if draw(st.booleans()):
        cuts = [i for i in range(1, len(events)) if events[i][3] > events[i - 1][3]]
    else:
        cuts = sorted(draw(st.sets(st.integers(1, len(events)))) if draw(st.booleans()) else range(1, len(events)))
    bounds = [0, *cuts, len(events)]
    return [events[first:end] for first, end in pairwise(bounds)]


def assert_same_evidence(one: Learner, other: Learner) -> None:
    newest = one.memory.newest
    assert newest == other.memory.newest
    assert one.rows_before(newest) == other.rows_before(newest)
    for now in (newest + 1, newest + 4):
        assert one.rows(now) == other.rows(now)


@settings(max_examples=60)
@given(streams(), st.data())
def test_the_order_of_arrival_does_not_matter(events: list[Event], data: st.DataObject) -> None:
    """Nor do ids: one memory gets the names first, the other as they appear."""
    at_once = Learner(sorted({name for s, _, o, _ in events for name in (s, o)}), sorted({r for _, r, _, _ in events}))
    at_once.add(sorted(events, key=lambda event: (event[3], *event[:3])))
    bit_by_bit = Learner()
    for batch in data.draw(batches(events)):
        bit_by_bit.add(batch)
    assert_same_evidence(at_once, bit_by_bit)


@pytest.mark.parametrize("seed", [3, 4])
def test_order_does_not_matter_in_a_crowd_either(seed: int) -> None:
    """There are more partners, targets and events than any family looks at, and all tables and lists grow."""
    events = events_of(crowded_world(seed), [f"e{i} ({'AB'[i % 2]})" if i % 3 else f"e{i}" for i in range(40)])
    at_once, backwards = Learner(), Learner()
    at_once.add(events)
    for event in sorted(events, key=lambda event: (event[3], event[2], event[1], event[0])):
        backwards.add([event])
    assert_same_evidence(at_once, backwards)


@settings(max_examples=60)
@given(streams(), st.data())
def test_before_a_step_nothing_of_it_is_known(events: list[Event], data: st.DataObject) -> None:
    newest = events[-1][3]
    names = {name for s, _, o, _ in events for name in (s, o)}, {r for _, r, _, _ in events}
    with_step, without = Learner(*names), Learner(*names)
    for batch in data.draw(batches(events)):
        with_step.add(batch)
    without.add([event for event in events if event[3] < newest])
    later = with_step.rows(newest + 1)
    assert with_step.rows_before(newest) == without.rows(newest)
    assert with_step.rows(newest + 1) == later


@settings(max_examples=40)
@given(streams(), st.data())
def test_other_relations_do_not_matter(events: list[Event], data: st.DataObject) -> None:
    """Learned, and undone, for the queries of one relation alone: their evidence is the same."""
    every, some = Learner(), Learner()
    every.add(events)
    some.add_names(every.entities, every.relations)
    head = data.draw(st.sampled_from(every.heads.tolist()))
    entity, relation = every.entities.index, every.relations.index
    encoded = as_facts((entity(s), relation(r), entity(o), t) for s, r, o, t in events)
    some.memory.add(encoded, np.array([head]))
    name = [*every.relations, *(f"{name}^-1" for name in every.relations)][
        head // 2 + len(every.relations) * (head % 2)
    ]
    now = every.memory.newest + data.draw(st.integers(0, 1))
    with every.memory.before(now, np.array([head])), some.memory.before(now, np.array([head])):
        expected, found = every.rows(now), some.rows(now)
    assert {key: row for key, row in found.items() if key[1] == name} == {
        key: row for key, row in expected.items() if key[1] == name
    }


@settings(max_examples=40)
@given(streams(), st.data())
def test_a_memory_goes_on_from_a_file(events: list[Event], data: st.DataObject) -> None:
    """With new events and new names, as if it had never been stored."""
    n_before = data.draw(st.integers(0, len(events)))
    one, other = Learner(), Learner()
    one.add(events)
    other.add(events[:n_before])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "some.memory"
        write_memory(other.memory, path, {"of": "events"})
        opened = open_memory(path, lambda about: about["of"] == "events")
        assert opened is not None
        other.memory = opened
        other.add(events[n_before:])
        assert_same_evidence(one, other)


def test_a_memory_of_something_else_is_not_opened(tmp_path: Path) -> None:
    write_memory(Learner(["a"], ["r"]).memory, tmp_path / "some.memory", {"of": "events"})
    assert open_memory(tmp_path / "some.memory", lambda about: about["of"] == "others") is None


def test_a_memory_without_events_has_no_evidence() -> None:
    learner = Learner(["Police (India)", "India"], ["r"])
    learner.memory.add(NO_FACTS)
    assert learner.memory.newest == -1
    assert set(map(len, learner.rows(0).values())) == {0}


def test_new_names_alone_change_no_evidence() -> None:
    learner = Learner()
    learner.add([("Ann", "r", "Police (India)", 0), ("Police (India)", "r", "Ann", 1)])
    before = learner.rows(2)
    learner.add_names(["India", "Bo"], ["s"])
    after = learner.rows(2)
    assert {key: after[key] for key in before} == before
    assert len(after["Bo", "s"]) == 0


def test_the_past_of_a_memory_cannot_be_asked_for() -> None:
    learner = Learner()
    learner.add([("Ann", "r", "Bo", 3)])
    with pytest.raises(ValueError, match="events of time step 3, after 2"):
        learner.rows_before(2)


def test_a_flipped_bit_in_a_memory_file_is_noticed(tmp_path: Path) -> None:
    learner, path = Learner(), tmp_path / "some.memory"
    learner.add([("a", "r", "b", 1), ("b", "r", "a", 2), ("a", "q", "b", 3)])
    write_memory(learner.memory, path, {"of": "events"})
    content = path.read_bytes()
    for damaged in flipped(content, 40):
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            open_memory(path, lambda _: True)
    path.write_bytes(content)
    assert open_memory(path, lambda _: True) is not None
