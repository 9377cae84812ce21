"""Comparison and merging of rule sets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tlogic.rules.rule import Rule
from tlogic.rules.selection import sort_rules


@dataclass(frozen=True)
class Comparison:
    """The differences between two rule sets; rules are matched by ``Rule.identity``.

    Attributes:
        only_first: Rules of the first set only.
        only_second: Rules of the second set only.
        changed: Rules of both sets with different supports, as pairs (first, second).
        equal: Rules of both sets with equal supports.

    Example:
        >>> first, second = [Rule("a", ("b",), (0, 1), 1, 4)], [Rule("a", ("b",), (0, 1), 2, 4)]
        >>> len(compare_rules(first, second).changed)
        1
    """

    only_first: tuple[Rule, ...]
    only_second: tuple[Rule, ...]
    changed: tuple[tuple[Rule, Rule], ...]
    equal: tuple[Rule, ...]


def compare_rules(first: Sequence[Rule], second: Sequence[Rule]) -> Comparison:
    """Compare two collections of rules."""
    in_first, in_second = _by_identity(first), _by_identity(second)
    both = [(rule, in_second[key]) for key, rule in in_first.items() if key in in_second]
    return Comparison(
        only_first=tuple(rule for key, rule in in_first.items() if key not in in_second),
        only_second=tuple(rule for key, rule in in_second.items() if key not in in_first),
        changed=tuple(pair for pair in both if pair[0] != pair[1]),
        equal=tuple(rule for rule, other in both if rule == other),
    )


def merge_rules(first: Sequence[Rule], second: Sequence[Rule]) -> list[Rule]:
    """The rules of both; of a rule in both, the one with the larger body support, or else the first.

    Supports are not added: rules learned from the same facts would count the same bodies twice.
    """
    merged = _by_identity(first)
    for key, rule in _by_identity(second).items():
        if key not in merged or rule.body_support > merged[key].body_support:
            merged[key] = rule
    return sort_rules(merged.values(), "head")


def _by_identity(rules: Iterable[Rule]) -> dict[tuple[Any, ...], Rule]:
    return {rule.identity: rule for rule in rules}
