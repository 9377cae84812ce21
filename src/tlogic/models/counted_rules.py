"""Counted rules: the rules that a model's evidence counted, with how often each came true by age.

A rule fires whenever it could have spoken, at a query, and hits if what it led to was an answer; see the families of
evidence.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tlogic.errors import SettingsError
from tlogic.evidence.families import acyclic_rules, one_step_rules, two_step_rules
from tlogic.evidence.rates import Tally, smoothed_rate
from tlogic.graph.arrays import Floats, Ints
from tlogic.rules.quoted_names import quote_name
from tlogic.rules.selection import sort_rules
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
    "rules": Kind(
        ("X", "Y"), (("X", "Y"),), tuple((span,) for span in _spans(one_step_rules.AGES)), one_step_rules.PRIOR
    ),
    "chains": Kind(
        ("X", "Z"),
        (("X", "Y"), ("Y", "Z")),
        tuple(product(_spans(two_step_rules.AGES), repeat=2)),
        two_step_rules.PRIOR,
    ),
    "acyclic": Kind(
        ("X", "Y"),
        (("Y", "Z"),),
        tuple(((age, age),) for age in range(1, acyclic_rules.N_AGES + 1)),
        acyclic_rules.PRIOR,
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


LEAST_HITS = 5
"""Rules that hit less often are not kept."""
MOST_RULES = 100
"""So many rules of a kind are kept for a head relation, those that hit most often."""


class Counts(NamedTuple):
    """The kept rules of one head relation and kind, by the numbers of their relations."""

    kind: str
    head: int
    body: Ints
    """A row a rule."""
    tally: Tally
    """A row a rule, and a last one that sums up all rules, also those that were not kept."""


class CountedRules:
    """The kept rules of all head relations, as arrays."""

    def __init__(self, relations: Sequence[str] = (), counts: Sequence[Counts] = ()) -> None:
        self.relations, self.counts = tuple(relations), tuple(counts)

    @cached_property
    def strongest_first(self) -> tuple[CountedRule, ...]:
        """The rules one by one, by the probability at their best age."""
        return tuple(sort_rules((rule for counts in self.counts for rule in self._rules(counts)), "confidence"))

    def _rules(self, counts: Counts) -> Iterator[CountedRule]:
        names = self.relations
        columns = *counts.tally, _chances(counts.tally, KINDS[counts.kind].prior)
        per_rule = zip(counts.body.tolist(), *(column[:-1].tolist() for column in columns), strict=True)
        for body, fires, hits, (*chances, mean) in per_rule:
            yield CountedRule(
                counts.kind,
                names[counts.head],
                tuple([names[b] for b in body]),
                tuple(map(int, fires[:-1])),
                tuple(map(int, hits[:-1])),
                tuple(chances),
                mean,
            )

    def to_json(self) -> str:
        """What a model file holds, a rule a line: by head relation and kind, with what all such rules did together."""
        groups = ",\n".join(map(self._group_to_json, self.counts))
        return f"[\n{groups}\n]"

    def _group_to_json(self, counts: Counts) -> str:
        names = self.relations
        fires, hits = (column[:, :-1].astype(np.int64).tolist() for column in counts.tally)
        about = _compact({"kind": counts.kind, "head": names[counts.head], "fires": fires.pop(), "hits": hits.pop()})
        rules = ",\n".join(
            _compact({"body": [names[b] for b in body], "fires": fired, "hits": hit})
            for body, fired, hit in zip(counts.body.tolist(), fires, hits, strict=True)
        )
        return f'{about[:-1]},"rules":[\n{rules}]}}'

    @classmethod
    def from_json(cls, groups: Sequence[Mapping[str, Any]]) -> "CountedRules":
        """The rules of a model file."""
        numbers: dict[str, int] = {}
        counts = []
        for group in groups:
            body = [[numbers.setdefault(name, len(numbers)) for name in rule["body"]] for rule in group["rules"]]
            rows = [*group["rules"], group]
            tally = Tally(*(_summed(np.array([row[name] for row in rows], np.float64)) for name in ("fires", "hits")))
            head = numbers.setdefault(group["head"], len(numbers))
            counts.append(Counts(group["kind"], head, np.array(body), tally))
            _check(counts[-1])
        "".join(numbers)  # names are text, or this fails
        return cls(tuple(numbers), counts)


def kept(head: int, states: Mapping[str, Any]) -> list[Counts]:
    """What is kept of what the families of evidence learned of one head relation."""
    found = []
    for kind, (bodies, tally) in _tallies(states).items():
        hits = tally.hits[: len(bodies), -1]
        best = np.argsort(-hits, kind="stable")[:MOST_RULES]
        best = best[hits[best] >= LEAST_HITS]
        if len(best):
            rows = np.append(best, -1)
            found.append(Counts(kind, head, bodies[best], Tally(tally.fires[rows], tally.hits[rows])))
    return found


def _tallies(states: Mapping[str, Any]) -> dict[str, tuple[Ints, Tally]]:
    """By kind: the bodies of the rules, and their counts."""
    found: dict[str, tuple[Ints, Tally]] = {}
    if "rules" in states:
        by_age = states["rules"].by_age
        found["rules"] = (np.arange(len(by_age.fires) - 1)[:, None], by_age)
    if "chains" in states:
        number, _, tally = states["chains"]
        pairs = np.argwhere(number >= 0)
        found["chains"] = (pairs[np.argsort(number[tuple(pairs.T)])], tally)
    if "acyclic" in states:
        found["acyclic"] = (np.arange(len(states["acyclic"].fires) - 1)[:, None], states["acyclic"])
    return found


@njit(cache=True, nogil=True)
def _chances(tally: Tally, prior: float) -> Floats:
    """The smoothed_rate of each rule in each bucket; in the last column that in all of them."""
    found = np.empty_like(tally.fires)
    for rule in range(found.shape[0]):
        for bucket in range(found.shape[1]):
            found[rule, bucket] = smoothed_rate(tally, rule, bucket, prior)
    return found


def _compact(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _summed(counts: Floats) -> Floats:
    """Counts with their sums as a last column."""
    return np.hstack([counts, counts.sum(axis=1, keepdims=True)])


def _check(counts: Counts) -> None:
    """Refuse what no fitting writes."""
    kind, _, body, (fires, hits) = counts
    n, n_ages, length = len(body), len(KINDS[kind].ages), len(KINDS[kind].body)
    if body.shape != (n, length) or not fires.shape == hits.shape == (n + 1, n_ages + 1):
        raise ValueError(f"{kind} have {n_ages} ages and bodies of length {length}")
    if not ((fires >= hits) & (hits >= 0)).all() or not hits[:-1, -1].all():
        raise ValueError(f"{kind} hit once or more, and not more often than they fire")
