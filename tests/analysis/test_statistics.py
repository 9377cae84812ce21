from collections import Counter
from dataclasses import replace
from statistics import mean, median
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tlogic
from tests.datasets import Datasets
from tests.naive import Edge
from tests.strategies import World, worlds
from tests.worlds import entity
from tlogic.analysis.statistics import SPLITS, statistics


def naive_statistics(facts: set[Edge], valid_from: int, test_from: int) -> dict[str, Any]:
    """All statistics except names and dates, with plain loops."""
    splits: dict[str, list[Edge]] = {name: [] for name in SPLITS}
    for fact in sorted(facts):
        splits["train" if fact[3] < valid_from else "valid" if fact[3] < test_from else "test"].append(fact)
    entities = {e for s, _, o, _ in facts for e in (s, o)}
    times = {t for *_, t in facts}
    relations = Counter(r for _, r, _, _ in facts)
    return {
        "facts": len(facts),
        **{name: len(part) for name, part in splits.items()},
        "entities": len(entities),
        "relations": len(relations),
        "steps": len(times),
        "span": max(times) - min(times) + 1,
        "self_loops": sum(s == o for s, _, o, _ in facts),
        "facts_per_step": spread(Counter(t for *_, t in facts).values()),
        "facts_per_entity": spread(sum(e in (s, o) for s, _, o, _ in facts) for e in entities),
        "facts_per_relation": spread(relations.values()),
        "neighbours_per_entity": spread(
            len({other for s, _, o, _ in facts if e in (s, o) for other in (s, o)} - {e}) for e in entities
        ),
        "largest_relation_share": max(relations.values()) / len(facts),
        "recurrence": {name: recurrence(part, facts, splits["train"]) for name, part in splits.items() if part},
    }


def spread(counts: Any) -> dict[str, Any]:
    counts = list(counts)
    return {"mean": pytest.approx(mean(counts)), "median": median(counts), "max": max(counts)}


def recurrence(part: list[Edge], facts: set[Edge], train: list[Edge]) -> dict[str, Any]:
    trained = {e for s, _, o, _ in train for e in (s, o)}
    queries = Counter(query for s, r, o, t in part for query in ((s, r, "?", t), ("?", r, o, t)))
    shares = {
        "seen_before": [any((s, r, o, u) in facts for u in range(t)) for s, r, o, t in part],
        "seen_just_before": [(s, r, o, t - 1) in facts for s, r, o, t in part],
        "pair_seen_before": [any((a, b) == (s, o) and u < t for a, _, b, u in facts) for s, _, o, t in part],
        "new_entity": [not {s, o} <= trained for s, _, o, _ in part],
        "repeated_queries": [queries[query] > 1 for query in queries.elements()],
    }
    return {name: pytest.approx(mean(chosen)) for name, chosen in shares.items()}


def as_split_graph(world: World, valid_from: int, test_from: int) -> tlogic.TemporalGraph:
    rows = [(entity(s), f"r{r}", entity(o), t) for s, r, o, t in sorted(world.facts)]
    frame = pl.DataFrame(rows, ["subject", "relation", "object", "time"], orient="row")
    graph = tlogic.read(frame, step=1)
    first = graph.timeline.step_of(0)  # steps of the world start at 0
    return replace(graph, valid_from=valid_from + first, test_from=test_from + first)


@given(data=st.data(), world=worlds())
def test_statistics_equal_plain_loops(data: st.DataObject, world: World) -> None:
    assume(world.facts)
    last = max(t for *_, t in world.facts)
    test_from = data.draw(st.integers(0, last))
    valid_from = data.draw(st.integers(0, test_from))
    found = statistics(as_split_graph(world, valid_from, test_from)).to_dict()
    expected = naive_statistics(set(world.facts), valid_from, test_from)
    assert {name: found[name] for name in expected} == expected
    per_relation = Counter(f"r{r}" for _, r, _, _ in world.facts)
    assert found["top_relations"] == dict(per_relation)  # fewer than the limit
    per_entity = Counter(entity(e) for s, _, o, _ in world.facts for e in {s, o})
    counts = list(found["top_entities"].values())
    assert counts == [count for _, count in per_entity.most_common(5)]
    assert found["top_entities"].items() <= per_entity.items()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("icews14", (63_685, 13_823, 13_222, 7_128, 230, 365)),
        ("icews18", (373_018, 45_995, 49_545, 23_033, 256, 304)),
        ("icews0515", (322_958, 69_224, 69_147, 10_488, 251, 4_017)),
    ],
)
def test_statistics_equal_the_papers_appendix(dataset: Datasets, name: str, expected: tuple[int, ...]) -> None:
    found = statistics(tlogic.read(dataset(name)))
    assert (found.train, found.valid, found.test, found.entities, found.relations, found.steps) == expected
    assert found.step_size == "1 day"


def test_part_of_a_graph_counts_only_its_own_names() -> None:
    graph = tlogic.sample()
    early = statistics(graph.before(2))
    assert early.entities < statistics(graph).entities
    assert (early.first_date, early.last_date, early.steps) == ("2030-01-01", "2030-01-02", 2)
    assert set(early.recurrence) == {"train"}


def test_steps_without_facts_count_only_in_the_span() -> None:
    rows = [("a", "r", "b", "2030-01-01"), ("a", "r", "b", "2030-01-02"), ("b", "r", "a", "2030-02-01")]
    found = statistics(tlogic.read(pl.DataFrame(rows, ["subject", "relation", "object", "time"], orient="row")))
    assert (found.steps, found.span, found.valid, found.test) == (3, 32, 0, 0)
    assert found.recurrence["train"].seen_before == pytest.approx(1 / 3)


def test_an_empty_graph_raises() -> None:
    with pytest.raises(tlogic.InputError, match="no facts"):
        statistics(tlogic.sample().before(0))
