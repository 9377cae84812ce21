from tlogic import Rule, RuleSet
from tlogic.rules.selection import Sort

STRONG = Rule("a", ("b",), (0, 1), 9, 10)
WEAK = Rule("a", ("c", "d"), (0, 1, 2), 20, 100)
FEW = Rule("b", ("c",), (0, 1), 1, 1)
UNKNOWN = Rule("c", ("a", "b", "c"), (0, 1, 2, 3))
RULES = RuleSet((UNKNOWN, WEAK, STRONG, FEW), {"walks": 200, "seed": 1}, {"fingerprint": "f"})


def test_rules_are_selected() -> None:
    assert RULES.select(head="a").rules == (WEAK, STRONG)
    assert RULES.select(body=["c"]).rules == (UNKNOWN, WEAK, FEW)
    assert RULES.select(body=["c", "a"]).rules == (UNKNOWN,)
    assert RULES.select(lengths=(1, 3)).rules == (UNKNOWN, STRONG, FEW)
    assert RULES.select(min_confidence=0.2).rules == (WEAK, STRONG, FEW)
    assert RULES.select(min_support=2).rules == (WEAK, STRONG)
    assert RULES.select(head="nothing").rules == ()
    assert RULES.select() == RULES


def test_rules_are_sorted_and_cut() -> None:
    orders: dict[Sort, tuple[Rule, ...]] = {
        "confidence": (FEW, STRONG, WEAK, UNKNOWN),
        "support": (WEAK, STRONG, FEW, UNKNOWN),
        "length": (FEW, STRONG, WEAK, UNKNOWN),
        "head": (STRONG, WEAK, FEW, UNKNOWN),
        "name": (STRONG, WEAK, FEW, UNKNOWN),
    }
    for sort, order in orders.items():
        assert RULES.select(sort=sort).rules == order, sort
        assert RULES.select(sort=sort, top=2).rules == order[:2], sort


def test_rule_sets_are_compared() -> None:
    better = WEAK._replace(rule_support=30)
    found = RULES.compare(RuleSet((better, FEW, Rule("z", ("a",), (0, 1), 1, 2))))
    assert found.only_first == (UNKNOWN, STRONG)
    assert found.only_second == (Rule("z", ("a",), (0, 1), 1, 2),)
    assert found.changed == ((WEAK, better),)
    assert found.equal == (FEW,)


def test_the_pattern_of_variables_is_part_of_a_rule() -> None:
    one, other = (Rule("a", ("c", "d"), variables, 1, 2) for variables in ((0, 1, 2), (0, 1, 0)))
    assert RuleSet((one,)).compare(RuleSet((other,))).only_second == (other,)


def test_merging_keeps_the_rule_measured_on_more_bodies_and_what_agrees() -> None:
    more, fewer = STRONG._replace(body_support=50), WEAK._replace(body_support=99)
    merged = RULES.merge(RuleSet((more, fewer, UNKNOWN), {"walks": 200, "seed": 2}, {"fingerprint": "g"}))
    assert merged == RuleSet((WEAK, more, FEW, UNKNOWN), {"walks": 200}, {})
    assert RULES.merge(RuleSet(())).compare(RULES).equal == RULES.select(sort="head").rules
