"""What a model keeps of the rules that its evidence counted, as arrays: of each head relation and kind, the rules that
hit most often."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.chances import Tally, chance
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.counted import KINDS, CountedRule
from tlogic.rules.selection import sort_rules

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
    """The chance of each rule in each bucket; in the last column that in all of them."""
    found = np.empty_like(tally.fires)
    for rule in range(found.shape[0]):
        for bucket in range(found.shape[1]):
            found[rule, bucket] = chance(tally, rule, bucket, prior)
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
