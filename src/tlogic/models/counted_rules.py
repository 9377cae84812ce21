"""Counted rules: the rules that the families of evidence counted, with how often each came true by age.

A rule fires at a query for each candidate that it leads to, and hits if that candidate is an answer. A model keeps, for
each head relation and kind of rule, those that hit most often.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tlogic.errors import SettingsError
from tlogic.evidence.family import Family
from tlogic.evidence.rates import smoothed_rate
from tlogic.evidence.registry import FAMILIES
from tlogic.evidence.relation_numbers import decode_relations
from tlogic.evidence.rule_kinds import RuleKind, Span
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.vocabulary import Relations
from tlogic.rules.quoted_names import quote_name
from tlogic.rules.selection import sort_rules
from tlogic.rules.verbalisation import fact_of, sentence

MIN_HITS = 5
"""Rules with fewer hits are not kept."""
MAX_RULES = 100
"""The largest number of rules that are kept per kind and head relation."""


def rule_kinds() -> dict[str, RuleKind]:
    """The kinds of counted rules, by the name of the family that counts them."""
    return {name: family.rule_kind for name, family in FAMILIES.items() if family.rule_kind is not None}


def rule_kind(name: str) -> RuleKind:
    """The kind of counted rules of one family.

    Raises:
        ValueError: If no family of that name counts rules.
    """
    kind = FAMILIES[name].rule_kind if name in FAMILIES else None
    if kind is None:
        raise ValueError(f"there are no counted rules of the kind {name!r}")
    return kind


def unit_of(step: str | None) -> str:
    """The unit of ages, from the length of a time step.

    >>> unit_of("1 day"), unit_of("15 minutes"), unit_of("1")
    ('days', 'steps of 15 minutes', 'steps')
    """
    if step is None or step.isdecimal():
        return "steps"
    count, _, unit = step.partition(" ")
    return f"{unit}s" if count == "1" else f"steps of {step}"


@dataclass(frozen=True)
class CountedRule:
    """A rule, how often it fired and hit at each age, and its probability at each age.

    Attributes:
        kind: The family of evidence that counts the rule: "rules", "chains" or "acyclic".
        head: The head relation.
        body: The body relations.
        fires: Per bucket of age: how often the rule led to a candidate.
        hits: Per bucket of age: how often that candidate was an answer.
        probabilities: Per bucket of age: the share of hits, shrunk towards the rate expected of the rule and the age.
        mean: The probability over all ages.

    Example:
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
    hits: tuple[int, ...]
    probabilities: tuple[float, ...]
    mean: float

    def __str__(self) -> str:
        (x, y), pairs = rule_kind(self.kind).head, rule_kind(self.kind).body
        atoms = [
            f"{quote_name(r)}({a}, {b}, T{i})" for i, (r, (a, b)) in enumerate(zip(self.body, pairs, strict=True), 1)
        ]
        return f"{quote_name(self.head)}({x}, {y}, T{len(self.body) + 1}) <- {', '.join(atoms)}"

    @property
    def words(self) -> str:
        """The rule as an English sentence. The facts of its body may come in any order."""
        (x, y), pairs = rule_kind(self.kind).head, rule_kind(self.kind).body
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
        """The probability at its best age, among those at which it fired at least as often as its prior counts."""
        enough = rule_kind(self.kind).prior
        judged = (p for p, fires in zip(self.probabilities, self.fires, strict=True) if fires >= enough)
        return max(judged, default=self.mean)

    @property
    def is_measured(self) -> bool:
        """Always true, because the rules were counted on data."""
        return True

    @property
    def by_age(self) -> list[tuple[Span, float]]:
        """The probability by age, for ages at which it fired and which all facts of its body share."""
        buckets = zip(rule_kind(self.kind).ages, self.probabilities, self.fires, strict=True)
        return [(ages[0], p) for ages, p, fires in buckets if fires and len(set(ages)) == 1]

    def at(self, age: int) -> float | None:
        """The probability at an age in time steps; None if it never fired at that age."""
        found = (p for (first, last), p in self.by_age if first <= age and (last is None or age <= last))
        return next(found, None)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        buckets = zip(rule_kind(self.kind).ages, self.fires, self.hits, self.probabilities, strict=True)
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
    """The rules of one kind, or all of them if the kind is None.

    Raises:
        SettingsError: If there is no such kind.
    """
    if kind not in (None, *rule_kinds()):
        raise SettingsError(f"The kind of rules must be one of {', '.join(rule_kinds())}, not {kind!r}.")
    return [rule for rule in rules if kind in (None, rule.kind)]


class DenseTally(NamedTuple):
    """How often rules fired and hit, per rule and bucket; the last row and the last column hold sums."""

    fires: Floats
    hits: Floats


class Counts(NamedTuple):
    """The kept rules of one head relation and kind, with the ids of their relations."""

    kind: str
    head: int
    body: Ints
    """One row per rule."""
    tally: DenseTally
    """One row per rule, and a last one for all rules together, with those that were not kept."""


class CountsByName(NamedTuple):
    """The names of relations, and the counts of rules in which their indexes are the ids."""

    relations: tuple[str, ...] = ()
    counts: tuple[Counts, ...] = ()


_NO_RULES = CountsByName()


class CountedRules:
    """The kept rules of all head relations, as arrays.

    Args:
        content: The rules; or their text in a model file, which is read when they are first needed: few commands need
            them, and a model has tens of thousands.
        read: Reads the text.
    """

    def __init__(
        self, content: CountsByName | str = _NO_RULES, read: Callable[[str], CountsByName] | None = None
    ) -> None:
        self._given, self._read = content, read

    @cached_property
    def _content(self) -> CountsByName:
        if isinstance(self._given, CountsByName):
            return self._given
        assert self._read is not None
        return self._read(self._given)

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of relations, by their ids."""
        return self._content.relations

    @property
    def counts(self) -> tuple[Counts, ...]:
        """The rules by head relation and kind."""
        return self._content.counts

    @cached_property
    def strongest_first(self) -> tuple[CountedRule, ...]:
        """The rules one by one, by the probability at their best age."""
        return tuple(sort_rules((rule for counts in self.counts for rule in self._rules(counts)), "confidence"))

    def _rules(self, counts: Counts) -> Iterator[CountedRule]:
        names = self.relations
        columns = *counts.tally, _smoothed_rates(counts.tally, rule_kind(counts.kind).prior)
        per_rule = zip(counts.body.tolist(), *(column[:-1].tolist() for column in columns), strict=True)
        for body, fires, hits, (*rates, mean) in per_rule:
            yield CountedRule(
                counts.kind,
                names[counts.head],
                tuple([names[b] for b in body]),
                tuple(map(int, fires[:-1])),
                tuple(map(int, hits[:-1])),
                tuple(rates),
                mean,
            )

    def to_json(self) -> str:
        """The rules for a model file: one group per head relation and kind, one line per rule."""
        if isinstance(self._given, str):
            return self._given
        groups = ",\n".join(map(self._group_to_json, self.counts))
        return f"[\n{groups}\n]"

    def _group_to_json(self, counts: Counts) -> str:
        names = self.relations
        fires, hits = (column[:, :-1].astype(np.int64).tolist() for column in counts.tally)
        about = _compact({"kind": counts.kind, "head": names[counts.head], "fires": fires.pop(), "hits": hits.pop()})
        rules = [
            {"body": [names[b] for b in body], "fires": fired, "hits": hit}
            for body, fired, hit in zip(counts.body.tolist(), fires, hits, strict=True)
        ]
        lines = _compact(rules)[1:-1].replace('},{"body":', '},\n{"body":')  # a name has no quote without a backslash
        return f'{about[:-1]},"rules":[\n{lines}]}}'


def read_rules(groups: Sequence[Mapping[str, Any]]) -> CountsByName:
    """Read the rules of a model file.

    Raises:
        ValueError: If the counts do not fit together, or the name of a relation is not a string.
    """
    ids: dict[str, int] = {}
    counts = []
    for group in groups:
        body = [[ids.setdefault(name, len(ids)) for name in rule["body"]] for rule in group["rules"]]
        rows = [*group["rules"], group]
        tally = DenseTally(*(_summed(np.array([row[name] for row in rows], np.float64)) for name in ("fires", "hits")))
        head = ids.setdefault(group["head"], len(ids))
        counts.append(Counts(group["kind"], head, np.array(body), tally))
        _check(counts[-1])
    _check_names(ids)
    return CountsByName(tuple(ids), tuple(counts))


def most_frequent_rules(families: Mapping[str, Family], relations: Relations) -> CountsByName:
    """The rules to keep of those that families counted, by head relation."""
    found = []
    for kind, family in families.items():
        for counted in family.rule_counts():
            best = np.argsort(-counted.hits[:-1, -1], kind="stable")[:MAX_RULES]
            best = best[counted.hits[best, -1] >= MIN_HITS]
            if len(best):
                rows = np.append(best, -1)
                body = decode_relations(counted.body[best], len(relations.base))
                head = int(decode_relations(np.array(counted.head), len(relations.base)))
                tally = DenseTally(counted.fires[rows].astype(np.float64), counted.hits[rows].astype(np.float64))
                found.append(Counts(kind, head, body, tally))
    return CountsByName(tuple(relations.names), tuple(sorted(found, key=lambda counts: counts.head)))


def _smoothed_rates(tally: DenseTally, prior: float) -> Floats:
    """The smoothed rate of each rule in each bucket; in the last column, over all buckets."""
    fires, hits = tally
    return np.array(
        [
            [
                smoothed_rate(
                    (fires[rule, bucket], hits[rule, bucket]),
                    (fires[rule, -1], hits[rule, -1]),
                    (fires[-1, bucket], hits[-1, bucket]),
                    (fires[-1, -1], hits[-1, -1]),
                    prior,
                )
                for bucket in range(fires.shape[1])
            ]
            for rule in range(fires.shape[0])
        ]
    )


def _compact(entry: dict[str, Any] | list[dict[str, Any]]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _summed(counts: Floats) -> Floats:
    """Counts with their sums as a last column."""
    return np.hstack([counts, counts.sum(axis=1, keepdims=True)])


def _check(counts: Counts) -> None:
    """Refuse counts that fitting cannot have written."""
    kind, _, body, (fires, hits) = counts
    n, n_ages, length = len(body), len(rule_kind(kind).ages), len(rule_kind(kind).body)
    if body.shape != (n, length) or not fires.shape == hits.shape == (n + 1, n_ages + 1):
        raise ValueError(f"expected {n_ages} ages and bodies of length {length} for rules of the kind {kind}")
    if not ((fires >= hits) & (hits >= 0)).all() or not hits[:-1, -1].all():
        raise ValueError(f"expected rules of the kind {kind} to hit at least once, and at most as often as they fire")


def _check_names(names: Iterable[object]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"expected the name of a relation as a string, not {name!r}")
