"""Counted rules: the rules that a model's evidence counted, with how often each came true by age.

A rule fires whenever it could have spoken, at a query, and hits if what it led to was an answer; see the families of
evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from tlogic.errors import SettingsError
from tlogic.evidence import acyclic, chains, rules
from tlogic.rules.quoted_names import quote_name
from tlogic.rules.verbalisation import fact_of, sentence

Span = tuple[int, int | None]
"""From the first age to the last, in steps; None where there is no last."""


class Kind(NamedTuple):
    """What rules of a kind look like."""

    head: tuple[str, str]
    body: tuple[tuple[str, str], ...]
    ages: tuple[tuple[Span, ...], ...]
    """Per bucket: the ages of the facts of the body."""
    prior: float
    """How many firings are worth as much as what one would expect of the rule."""


def _spans(edges: Sequence[int]) -> list[Span]:
    """The spans of whole ages between edges.

    >>> _spans((1, 3))
    [(1, 1), (2, 3), (4, None)]
    """
    firsts = [1, *(edge + 1 for edge in edges)]
    return list(zip(firsts, [*edges, None], strict=True))


KINDS = {
    "rules": Kind(("X", "Y"), (("X", "Y"),), tuple((span,) for span in _spans(rules.AGES)), rules.PRIOR),
    "chains": Kind(("X", "Z"), (("X", "Y"), ("Y", "Z")), tuple(product(_spans(chains.AGES), repeat=2)), chains.PRIOR),
    "acyclic": Kind(
        ("X", "Y"), (("Y", "Z"),), tuple(((age, age),) for age in range(1, acyclic.N_AGES + 1)), acyclic.PRIOR
    ),
}
"""The kinds of rules, by the families of evidence that count them."""


def unit_of(step: str | None) -> str:
    """What ages are counted in, from the length of a step.

    >>> unit_of("1 day"), unit_of("15 minutes"), unit_of("1")
    ('days', 'steps of 15 minutes', 'steps')
    """
    if step is None or step.isdecimal():
        return "steps"
    count, _, unit = step.partition(" ")
    return f"{unit}s" if count == "1" else f"steps of {step}"


@dataclass(frozen=True)
class CountedRule:
    """A rule, how often it fired and hit at each age, and the probability which that makes.

    >>> rule = CountedRule("acyclic", "sue", ("fine^-1",), (9, *(0,) * 6), (5, *(0,) * 6), (0.4,) * 7, 0.3)
    >>> print(rule)
    sue(X, Y, T2) <- fine^-1(Y, Z, T1)
    >>> rule.words, rule.at(1), rule.at(8)
    ('X sues Y after Z fines Y', 0.4, None)
    """

    kind: str
    head: str
    body: tuple[str, ...]
    fires: tuple[int, ...]
    """Per bucket of age."""
    hits: tuple[int, ...]
    probabilities: tuple[float, ...]
    """Per bucket of age: the share of hits, drawn to what rule and age lead one to expect, as the evidence has it."""
    mean: float
    """The probability at any age."""

    def __str__(self) -> str:
        (x, y), pairs = KINDS[self.kind].head, KINDS[self.kind].body
        atoms = [
            f"{quote_name(r)}({a}, {b}, T{i})" for i, (r, (a, b)) in enumerate(zip(self.body, pairs, strict=True), 1)
        ]
        return f"{quote_name(self.head)}({x}, {y}, T{len(self.body) + 1}) <- {', '.join(atoms)}"

    @property
    def words(self) -> str:
        """The rule as an English sentence. The facts of its body come in any order."""
        (x, y), pairs = KINDS[self.kind].head, KINDS[self.kind].body
        body = [fact_of(name, a, b) for name, (a, b) in zip(self.body, pairs, strict=True)]
        return sentence(fact_of(self.head, x, y), body, in_order=False)

    @property
    def rule_support(self) -> int:
        """How often it hit."""
        return sum(self.hits)

    @property
    def body_support(self) -> int:
        """How often it fired."""
        return sum(self.fires)

    @property
    def confidence(self) -> float:
        """The probability at its best age, among those at which it fired often enough to be judged by itself."""
        enough = KINDS[self.kind].prior
        judged = (p for p, fires in zip(self.probabilities, self.fires, strict=True) if fires >= enough)
        return max(judged, default=self.mean)

    @property
    def is_measured(self) -> bool:
        """Always: rules are counted, not written."""
        return True

    @property
    def by_age(self) -> list[tuple[Span, float]]:
        """The probability by age, where it ever fired; that of all facts of the body, where there are more."""
        buckets = zip(KINDS[self.kind].ages, self.probabilities, self.fires, strict=True)
        return [(ages[0], p) for ages, p, fires in buckets if fires and len(set(ages)) == 1]

    def at(self, age: int) -> float | None:
        """The probability when its body is so many steps old; None where it never fired."""
        found = (p for (first, last), p in self.by_age if first <= age and (last is None or age <= last))
        return next(found, None)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        buckets = zip(KINDS[self.kind].ages, self.fires, self.hits, self.probabilities, strict=True)
        return {
            "rule": str(self),
            "words": self.words,
            "kind": self.kind,
            "head": self.head,
            "body": list(self.body),
            "length": len(self.body),
            "confidence": self.confidence,
            "mean": self.mean,
            "rule_support": self.rule_support,
            "body_support": self.body_support,
            "by_age": [
                {"ages": [list(span) for span in ages], "fires": fires, "hits": hits, "probability": p}
                for ages, fires, hits, p in buckets
            ],
        }


def of_kind(rules: Sequence[CountedRule], kind: str | None) -> list[CountedRule]:
    """The rules of one kind, or all."""
    if kind not in (None, *KINDS):
        raise SettingsError(f"The kind of rules must be one of {', '.join(KINDS)}, not {kind!r}.")
    return [rule for rule in rules if kind in (None, rule.kind)]
