"""Rules learned on one dataset are applied to another by the names of relations: the paper's Table 3."""

import pytest

import tlogic
from tests.datasets import Datasets

TOLERANCE = 0.006
# From, to, the window of the paper's figures for the latter, and the figures under optimistic ties.
PUBLISHED = [
    ("icews0515", "icews14", None, {"mrr": 0.4253, "hits@1": 0.3291, "hits@3": 0.4780, "hits@10": 0.6122}),
    ("icews14", "icews18", 200, {"mrr": 0.2915, "hits@1": 0.1987, "hits@3": 0.3330, "hits@10": 0.4795}),
]


@pytest.mark.parametrize(("source", "target", "window", "figures"), PUBLISHED)
def test_the_published_figures_come_out(
    dataset: Datasets, source: str, target: str, window: int | None, figures: dict[str, float]
) -> None:
    rules = tlogic.learn(tlogic.read(dataset(source)))
    evaluation = tlogic.evaluate(tlogic.read(dataset(target)), rules, window=window).to_dict()
    assert evaluation["optimistic"] == pytest.approx(figures, abs=TOLERANCE)
    how = evaluation["settings"]
    assert 0 < how["rules_foreign"] < how["rules_given"]
    assert how["rules"] < how["rules_given"] - how["rules_foreign"]


def test_names_match_whatever_their_case_spaces_and_underscores() -> None:
    graph = tlogic.sample()
    rules = tlogic.learn(graph, lengths=(1, 2), walks=50)
    renamed = tlogic.RuleSet(
        [rule._replace(head=_other_spelling(rule.head), body=tuple(map(_other_spelling, rule.body))) for rule in rules]
    )
    assert any(rule.head != other.head for rule, other in zip(rules, renamed, strict=True))
    first, second = (tlogic.evaluate(graph, given).to_dict() for given in (rules, renamed))
    assert first["realistic"] == second["realistic"]
    assert second["settings"]["rules_foreign"] == 0


def test_rules_with_unknown_relations_are_counted_and_left_out() -> None:
    graph = tlogic.sample()
    rules = tlogic.learn(graph, lengths=(1,), walks=20)
    foreign = [rule._replace(head="orbit") for rule in rules] + [rule._replace(body=("orbit^-1",)) for rule in rules]
    figures = tlogic.evaluate(graph, tlogic.RuleSet([*rules, *foreign])).to_dict()
    assert figures["settings"]["rules_foreign"] == len(foreign)
    assert figures["realistic"] == tlogic.evaluate(graph, rules).to_dict()["realistic"]


def _other_spelling(name: str) -> str:
    base, mark, _ = name.partition("^-1")
    return base.replace("_", " ").title() + mark
