import pytest

import tlogic
from tlogic import InputError, Rule, RuleSet, SettingsError
from tlogic.api import measure
from tlogic.rules import parse_rule


@pytest.fixture(scope="module")
def graph() -> tlogic.TemporalGraph:
    return tlogic.sample()


@pytest.fixture(scope="module")
def learned(graph: tlogic.TemporalGraph) -> RuleSet:
    return tlogic.learn(graph, walks=30, lengths=(1, 2, 3))


@pytest.mark.parametrize("threads", [1, 2])
def test_learned_rules_get_the_supports_that_learning_gave_them(
    graph: tlogic.TemporalGraph, learned: RuleSet, threads: int
) -> None:
    written = [rule._replace(rule_support=0, body_support=0) for rule in learned]
    assert list(measure(graph, reversed(written), threads=threads)) == list(reversed(learned.rules))


def test_the_seed_and_the_number_of_samples_count(graph: tlogic.TemporalGraph) -> None:
    again = tlogic.learn(graph, walks=30, lengths=(1,), body_samples=50, seed=3)
    assert list(measure(graph, again, body_samples=50, seed=3)) == list(again)
    assert list(measure(graph, again)) != list(again)


def test_supports_of_one_rule_do_not_depend_on_the_others(graph: tlogic.TemporalGraph, learned: RuleSet) -> None:
    some = learned.rules[::50]
    assert len(some) > 1
    assert all(measure(graph, [rule])[0] == rule for rule in some)


def test_the_result_says_what_it_was_measured_on(graph: tlogic.TemporalGraph, learned: RuleSet) -> None:
    assert measure(graph, learned).data == learned.data


def test_a_rule_that_never_came_true_is_kept_and_one_without_a_body_left_out(graph: tlogic.TemporalGraph) -> None:
    never = parse_rule("fine(X, Y, T2) <- twin_with(X, Y, T1)")
    impossible = parse_rule("fine(X, Y, T3) <- twin_with(X, X, T1), fine(X, Y, T2)")
    (kept,) = measure(graph, [never, impossible])
    assert kept[:3] == never[:3]
    assert kept.rule_support == 0 < kept.body_support


def test_no_rules_are_no_work(graph: tlogic.TemporalGraph) -> None:
    assert len(measure(graph, [])) == 0


def test_an_unknown_relation_is_refused_with_the_nearest_names(graph: tlogic.TemporalGraph) -> None:
    with pytest.raises(InputError, match=r"Cannot measure fine\(X, Y, T2\) <- .*'visits'.*did you mean 'visit'"):
        measure(graph, [Rule("fine", ("visits",), (0, 1))])


def test_bad_settings_are_refused(graph: tlogic.TemporalGraph) -> None:
    with pytest.raises(SettingsError, match="body_samples must be 1 or more"):
        measure(graph, [], body_samples=0)
