"""Selection and sorting of rules."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, Protocol, TypeVar

from tlogic.errors import InputError
from tlogic.names import did_you_mean, normalised

Sort = Literal["confidence", "support", "length", "head", "name"]


class RuleLike(Protocol):
    """What selection and sorting need of a rule: learned rules and counted rules of models have it."""

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
    """The confidence for sorting: unmeasured rules come last."""
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
    """The rules that match all of the given conditions; see ``RuleSet.select``."""
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
    """Sort rules; ties keep their order.

    >>> from tlogic.rules import Rule
    >>> weak, strong = Rule("a", ("b",), (0, 1), 1, 4), Rule("a", ("c",), (0, 1), 3, 4)
    >>> [rule.body for rule in sort_rules([weak, strong], "confidence")]
    [('c',), ('b',)]
    """
    return sorted(rules, key=_ORDERS[by])


def check_relations(rules: Iterable[RuleLike], wanted: Iterable[str]) -> None:
    """Raise InputError, with similar names, if no rule has one of the relations."""
    names = {name for rule in rules for name in (rule.head, *rule.body)}
    normalised_names = set(map(normalised, names))
    for name in wanted:
        if normalised(name) not in normalised_names:
            raise InputError(f"No rule has the relation {name!r}{did_you_mean(name, names)}")
