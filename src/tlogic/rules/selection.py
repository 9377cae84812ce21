"""Finding one's way in many rules: choose, order, compare and merge them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from tlogic.errors import InputError
from tlogic.names import did_you_mean, normalised
from tlogic.rules.rule import Rule

Sort = Literal["confidence", "support", "length", "head", "name"]


class RuleLike(Protocol):
    """What rules of any kind have that one chooses and orders them by."""

    @property
    def head(self) -> str: ...  # noqa: D102
    @property
    def body(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def rule_support(self) -> int: ...  # noqa: D102
    @property
    def body_support(self) -> int: ...  # noqa: D102
    @property
    def confidence(self) -> float: ...  # noqa: D102
    @property
    def is_measured(self) -> bool: ...  # noqa: D102


AnyRule = TypeVar("AnyRule", bound=RuleLike)


def _confidence(rule: RuleLike) -> float:
    """For ordering: rules that were not measured come last."""
    return rule.confidence if rule.is_measured else -1.0


_ORDERS: dict[Sort, Callable[[RuleLike], Any]] = {
    "confidence": lambda rule: (-_confidence(rule), -rule.body_support, len(rule.body)),
    "support": lambda rule: (-rule.rule_support, -_confidence(rule)),
    "length": lambda rule: (len(rule.body), -_confidence(rule)),
    "head": lambda rule: (rule.head, -_confidence(rule), len(rule.body)),
    "name": str,
}


def select_rules(
    rules: Sequence[AnyRule],
    head: str | None = None,
    body: Collection[str] = (),
    lengths: Collection[int] = (),
    min_confidence: float = 0.0,
    min_support: int = 0,
) -> list[AnyRule]:
    """The rules with this head, all of these relations in the body, one of these lengths, and enough support."""
    wanted_head, wanted_body = head and normalised(head), {normalised(name) for name in body}
    return [
        rule
        for rule in rules
        if wanted_head in (None, normalised(rule.head))
        and wanted_body.issubset(map(normalised, rule.body))
        and (not lengths or len(rule.body) in lengths)
        and (min_confidence <= 0 or _confidence(rule) >= min_confidence)
        and rule.body_support >= min_support
    ]


def sort_rules(rules: Iterable[AnyRule], by: Sort) -> list[AnyRule]:
    """The rules in an order; equal ones keep theirs.

    >>> weak, strong = Rule("a", ("b",), (0, 1), 1, 4), Rule("a", ("c",), (0, 1), 3, 4)
    >>> [rule.body for rule in sort_rules([weak, strong], "confidence")]
    [('c',), ('b',)]
    """
    return sorted(rules, key=_ORDERS[by])


@dataclass(frozen=True)
class Comparison:
    """What two rule sets have in common and what not. A rule is the same if its identity is.

    >>> first, second = [Rule("a", ("b",), (0, 1), 1, 4)], [Rule("a", ("b",), (0, 1), 2, 4)]
    >>> len(compare_rules(first, second).changed)
    1
    """

    only_first: tuple[Rule, ...]
    only_second: tuple[Rule, ...]
    changed: tuple[tuple[Rule, Rule], ...]
    """Rules in both with different supports, as the first and the second set have them."""
    equal: tuple[Rule, ...]


def compare_rules(first: Sequence[Rule], second: Sequence[Rule]) -> Comparison:
    """Compare two sets of rules."""
    in_first, in_second = _by_identity(first), _by_identity(second)
    both = [(rule, in_second[key]) for key, rule in in_first.items() if key in in_second]
    return Comparison(
        only_first=tuple(rule for key, rule in in_first.items() if key not in in_second),
        only_second=tuple(rule for key, rule in in_second.items() if key not in in_first),
        changed=tuple(pair for pair in both if pair[0] != pair[1]),
        equal=tuple(rule for rule, other in both if rule == other),
    )


def merge_rules(first: Sequence[Rule], second: Sequence[Rule]) -> list[Rule]:
    """All rules of both; of a rule in both, the one measured on more bodies, and the first among equals.

    Supports are not added: rules learned from the same facts would count the same bodies twice.
    """
    merged = _by_identity(first)
    for key, rule in _by_identity(second).items():
        if key not in merged or rule.body_support > merged[key].body_support:
            merged[key] = rule
    return sort_rules(merged.values(), "head")


def _by_identity(rules: Iterable[Rule]) -> dict[tuple[Any, ...], Rule]:
    return {rule.identity: rule for rule in rules}


def check_relations(rules: Iterable[RuleLike], wanted: Iterable[str]) -> None:
    """Refuse a relation that no rule has, with the nearest names: it is a slip of the pen."""
    known = {name for rule in rules for name in (rule.head, *rule.body)}
    spelled = set(map(normalised, known))
    for name in wanted:
        if normalised(name) not in spelled:
            raise InputError(f"No rule has the relation {name!r}{did_you_mean(name, known)}")
