"""Exact supports equal those of the reference, which enumerates all bodies."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tlogic
from tests import naive
from tests.cli.running import assert_refused, run
from tests.learning.sampling import training_edges
from tests.strategies import World, random_world, shifted, worlds
from tlogic import RuleSet, SettingsError
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts
from tlogic.graph.triples import TripleIndex, build_triple_index
from tlogic.learning import exact_support
from tlogic.learning.sampled_support import sample_supports
from tlogic.learning.training_edges import relation_slots
from tlogic.rules import parse_rule

Row = tuple[int, ...]
"""A rule: body, variables, head."""


def patterns(length: int) -> list[Row]:
    """All patterns of variables of a body."""
    found: list[Row] = [(0,)]
    for _ in range(length):
        found = [(*variables, v) for variables in found for v in range(max(variables) + 2)]
    return found


@st.composite
def rules_of(draw: st.DrawFn, world: World, length: int) -> list[Row]:
    """Rules of one length, several with the same body."""
    relation = st.integers(0, world.n_relations - 1)
    bodies = draw(st.lists(st.tuples(*[relation] * length), min_size=1, max_size=2))
    rule = st.tuples(st.sampled_from(bodies), st.sampled_from(patterns(length)), relation)
    return sorted((*body, *variables, head) for body, variables, head in draw(st.lists(rule, min_size=1, max_size=8)))


def all_rows(bodies: list[Row], heads: range) -> list[Row]:
    """The rules with some bodies, and with all patterns and heads."""
    return [(*body, *variables, head) for body in bodies for variables in patterns(len(body)) for head in heads]


def supports_in(world: World, rows: list[Row]) -> list[list[int]]:
    return supports_of(world.triples(), world.n_relations, rows)


def supports_of(triples: TripleIndex, n_relations: int, rows: list[Row]) -> list[list[int]]:
    relations = relation_slots(triples, n_relations)
    counted: Ints = exact_support.count_supports_exactly(triples, relations, np.array(rows, np.int32))
    return counted.tolist()


def by_brute_force(world: World, rows: list[Row]) -> list[list[int]]:
    length = (len(rows[0]) - 2) // 2
    return [
        list(naive.exact_supports(world.facts, world.n_base, row[-1], row[:length], row[length:-1])) for row in rows
    ]


def test_there_are_as_many_patterns_as_partitions() -> None:
    assert [len(patterns(length)) for length in (1, 2, 3)] == [2, 5, 15]


@settings(deadline=None, max_examples=300)
@given(worlds(), st.integers(1, 3), st.data())
def test_supports_are_those_of_all_bodies(world: World, length: int, data: st.DataObject) -> None:
    rows = data.draw(rules_of(world, length))
    assert supports_in(world, rows) == by_brute_force(world, rows)


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_supports_in_a_dense_world(seed: int, length: int) -> None:
    """Few entities and times: most patterns have many bodies, with ties, self-loops and inverses among them."""
    world = random_world(seed, n_entities=5, n_facts=45)
    bodies = [(0, 2, 3)[:length], (1, 1, 0)[:length], (3, 0, 2)[:length]]
    rows = sorted(all_rows(bodies, range(world.n_relations)))
    expected = by_brute_force(world, rows)
    assert supports_in(world, rows) == expected
    assert sum(body > 0 for body, _ in expected) > len(rows) / 2


def test_supports_do_not_depend_on_the_other_rules_or_their_order() -> None:
    world = random_world(seed=3, n_facts=40)
    rows = all_rows([(0, 1, 2), (0, 1, 3), (0, 3, 1), (2, 1, 3)], range(2))
    np.random.default_rng(1).shuffle(rows)
    assert supports_in(world, rows) == [supports_in(world, [row])[0] for row in rows]


def test_ids_beyond_sixteen_bits_and_pairs_beyond_thirty_two() -> None:
    small = random_world(seed=1)
    n_entities, n_base = 70_000, 16_000
    world = World(shifted(small.facts, n_entities - 4, n_base - 2), n_entities, n_base)
    rows = sorted(all_rows([(n_base - 1, 2 * n_base - 1, n_base - 2)], range(2 * n_base - 2, 2 * n_base)))
    expected = by_brute_force(world, rows)
    assert supports_in(world, rows) == expected
    assert any(rule for _, rule in expected)


def to_and_fro(n_times: int) -> TripleIndex:
    """One fact at many times, and its inverse."""
    zeros, ones = np.zeros(n_times, np.int32), np.ones(n_times, np.int32)
    return build_triple_index(Facts(zeros, zeros, ones, np.arange(n_times, dtype=np.int32)), 2, 1)


@pytest.mark.parametrize("variables", [(0, 1, 2, 3), (0, 1, 0, 1)])
def test_large_supports_are_exact_to_a_dozen_digits(variables: Row) -> None:
    """T_1 <= T_2 <= T_3 out of n times are a multiset of 3; the head follows unless T_3 is the last time."""
    row = (0, 1, 0, *variables, 0)
    for n, error in [(300_000, 0.0), (1_000_000, 1e-12)]:
        expected = [math.comb(n + 2, 3), math.comb(n + 1, 3)]
        assert supports_of(to_and_fro(n), 2, [row])[0] == pytest.approx(expected, rel=error, abs=0)


def test_supports_too_large_to_store_keep_their_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[Row] = [(0, 1, 0, 0, 1, 2, 3, 0), (0, 1, 0, 0, 0, 0, 0, 0)]
    supports = supports_of(to_and_fro(1000), 2, rows)
    monkeypatch.setattr(exact_support, "MAX_SUPPORT", 1e6)
    (body, rule), nothing = supports_of(to_and_fro(1000), 2, rows)
    assert supports[0][0] > body == 1_000_000
    assert rule / body == pytest.approx(supports[0][1] / supports[0][0], abs=1e-6)
    assert nothing == [0, 0]


@pytest.mark.parametrize("variables", [(0, 1, 2), (0, 1, 0), (0, 1, 2, 3), (0, 1, 0, 2), (0, 1, 2, 1)])
def test_with_more_samples_sampled_supports_become_exact(variables: Row) -> None:
    world, n_samples = random_world(seed=5, n_facts=40), 100_000
    body = (0, 2, 1)[: len(variables) - 1]
    row, training = (*body, *variables, 0), training_edges(world)
    probable = naive.body_distribution(world.facts, world.n_base, body, variables)
    missing = math.fsum((1 - p) ** n_samples for found, p in probable.items() if found is not None)
    assert missing < 1e-9  # the probability that some body is never sampled
    sampled = [sample_supports(training, np.array([row], np.int32), n, seed=1)[0] for n in (10, 100, n_samples)]
    (all_bodies, all_heads) = supports_in(world, [row])[0]
    assert 0 < all_heads < all_bodies
    assert sampled[0][0] < sampled[1][0] <= all_bodies
    assert sampled[2].tolist() == [all_bodies, all_heads]


def test_sampled_confidence_is_exact_on_average_where_bodies_are_uniform() -> None:
    """Bodies of one atom are sampled uniformly, so the mean of 200 estimates is close to the exact confidence."""
    world = random_world(seed=9, n_entities=40, n_facts=4_000, last=60)
    row, training = (0, 0, 1, 1), training_edges(world)
    body, rule = supports_in(world, [row])[0]
    share = rule / body
    supports = np.array([sample_supports(training, np.array([row], np.int32), 200, seed)[0] for seed in range(200)])
    assert supports[:, 0].max() < body / 5
    error = math.sqrt(share * (1 - share) / supports[:, 0].sum())
    assert abs(np.mean(supports[:, 1] / supports[:, 0]) - share) < 4 * error


@pytest.fixture(scope="module")
def graph() -> tlogic.TemporalGraph:
    return tlogic.sample()


@pytest.fixture(scope="module")
def learned(graph: tlogic.TemporalGraph) -> RuleSet:
    return tlogic.learn(graph, walks=30, confidence="exact")


def test_exact_confidence_changes_supports_and_not_the_rules(graph: tlogic.TemporalGraph, learned: RuleSet) -> None:
    sampled = {rule.identity: rule for rule in tlogic.learn(graph, walks=30)}
    counted = {rule.identity: rule for rule in learned}
    assert sampled
    assert sampled.keys() <= counted.keys()  # the head of a rule may follow none of its samples
    for identity, rule in sampled.items():
        assert rule.body_support <= counted[identity].body_support
        assert rule.rule_support <= counted[identity].rule_support
    assert learned.settings["confidence"] == "exact"


@pytest.mark.parametrize("threads", [1, 2])
def test_measuring_gives_the_supports_of_learning(graph: tlogic.TemporalGraph, learned: RuleSet, threads: int) -> None:
    written = [rule._replace(rule_support=0, body_support=0) for rule in learned]
    measured = tlogic.measure(graph, reversed(written), confidence="exact", threads=threads)
    assert list(measured) == list(reversed(learned.rules))
    assert measured.settings["confidence"] == "exact"
    assert tlogic.learn(graph, walks=30, confidence="exact", threads=threads) == learned


def test_a_checkpoint_keeps_exact_supports(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    path, how = tmp_path / "run.partial", tlogic.LearningSettings(walks=20, lengths=(3,), confidence="exact")
    whole = tlogic.learn(graph, how, checkpoint=path)
    path.write_bytes(path.read_bytes()[:-1000])
    assert tlogic.learn(graph, how, checkpoint=path) == whole
    with pytest.raises(tlogic.InputError, match='confidence is "exact" there and "sampled" here'):
        tlogic.learn(graph, checkpoint=path, walks=20, lengths=(3,))


def test_rules_too_long_for_exact_confidence_are_rejected(graph: tlogic.TemporalGraph) -> None:
    with pytest.raises(SettingsError, match="length 3 or less, not 4; use sampled"):
        tlogic.learn(graph, lengths=(1, 4), confidence="exact")
    long = parse_rule("sue(X, Y, T5) <- fine(X, Y, T1), fine(Y, X, T2), fine(X, Y, T3), sue(Y, Y, T4)")
    with pytest.raises(SettingsError, match="length 3 or less, not 4; use sampled"):
        tlogic.measure(graph, [long], confidence="exact")
    with pytest.raises(SettingsError, match="confidence must be sampled or exact, not 'all'"):
        tlogic.LearningSettings(confidence="all")  # type: ignore[arg-type]


def test_the_commands_count_exactly(tmp_path: Path) -> None:
    world, rules, again = tmp_path / "world", tmp_path / "world.rules", tmp_path / "again.rules"
    assert run("sample", "--out", world).returncode == 0
    learning = run("learn", world, "--walks", 30, "--confidence", "exact", "--out", rules)
    assert learning.returncode == 0, learning.stderr
    measuring = run("measure", world, "--rules", rules, "--confidence", "exact", "--out", again)
    assert measuring.returncode == 0, measuring.stderr
    assert RuleSet.load(again).rules == RuleSet.load(rules).rules
    assert max(rule.body_support for rule in RuleSet.load(rules)) > 500
    refused = run("learn", world, "--lengths", 4, "--confidence", "exact", "--out", rules)
    assert_refused(refused, "Exact confidence needs rules of length 3 or less")
