"""Evidence by its definitions, with plain loops over all facts: slow, and obviously right."""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from tests.naive import Edge, add_inverses

LIVES = (1.5, 7.0, 30.0, 120.0, math.inf)
RECENT, FOREVER = 2, 4


class Query(NamedTuple):
    subject: int
    relation: int
    time: int
    answers: frozenset[int]


class World:
    """What was known before some time: edges, inverses included."""

    def __init__(self, facts: Iterable[Edge], n_base: int, now: int, lives: Iterable[float]) -> None:
        self.edges = [edge for edge in add_inverses(facts, n_base) if edge[3] < now]
        self.n_base, self.now, self.lives = n_base, now, tuple(lives)

    def group(self, s: int | None = None, r: int | None = None, o: int | None = None) -> list[int]:
        """The times of all edges that fit."""
        return [t for es, er, eo, t in self.edges if s in (None, es) and r in (None, er) and o in (None, eo)]

    def count(self, times: list[int], h: int) -> float:
        return sum(2.0 ** (-(self.now - t) / self.lives[h]) for t in times)

    def inverse(self, r: int) -> int:
        return r + self.n_base if r < self.n_base else r - self.n_base

    def relations_of(self, s: int) -> set[int]:
        return {er for es, er, _, _ in self.edges if es == s}

    def targets(self, s: int, r: int | None = None) -> set[int]:
        return {eo for es, er, eo, _ in self.edges if es == s and r in (None, er)}


def recurrence(world: World, s: int, r: int, c: int) -> dict[str, float]:
    times = world.group(s, r, c)
    if not times:
        return {}
    told = {"age": float(world.now - max(times)), "met since": float(max(world.group(s=s, o=c)) > max(times))}
    for h in range(len(LIVES)):
        own = world.count(times, h)
        told[f"count {h}"] = own
        told[f"share {h}"] = own / world.count(world.group(s, r), h)
        told[f"reverse share {h}"] = own / world.count(world.group(r=r, o=c), h)
    return told


def pair(world: World, s: int, c: int) -> dict[str, float]:
    times = world.group(s=s, o=c)
    if not times:
        return {}
    told = {"age": float(world.now - max(times))}
    for h in (1, 2, 4):
        own = world.count(times, h)
        told[f"count {h}"] = own
        told[f"share of subject {h}"] = own / world.count(world.group(s=s), h)
        told[f"share of candidate {h}"] = own / world.count(world.group(s=c), h)
    return told


def popularity(world: World, r: int, c: int) -> dict[str, float]:
    told = {}
    active = world.group(s=c)
    if active:
        told["activity age"] = float(world.now - max(active))
        told |= {f"activity {h}": world.count(active, h) for h in (1, 2, 4)}
        told["burst"] = world.count(active, 0) / (world.count(active, 3) + 1e-6)
    times = world.group(r=r, o=c)
    if times:
        told["age"] = float(world.now - max(times))
        told |= {
            f"share of relation {h}": world.count(times, h) / world.count(world.group(r=r), h) for h in (1, 2, 3, 4)
        }
        told["share of candidate"] = len(times) / len(active)
    return told


def partners(world: World, s: int, h: int) -> list[tuple[int, float]]:
    """The partners of an entity with their shares, strongest first."""
    whole = world.count(world.group(s=s), h)
    shares = [(x, world.count(world.group(s=s, o=x), h) / whole) for x in world.targets(s)]
    return sorted(shares, key=lambda one: -one[1])


def paths(world: World, s: int, r: int, c: int) -> dict[str, float]:
    """Only right where nobody has more partners than are looked at."""

    def share(x: int, relation: int | None, target: int, h: int = RECENT) -> float:
        whole = world.count(world.group(x, relation), h)
        return world.count(world.group(x, relation, target), h) / whole if whole else 0.0

    told = {"partners did it": sum(w * share(x, r, c) for x, w in partners(world, s, RECENT))}
    told["targets' partners"] = sum(share(s, r, x) * share(x, None, c) for x in world.targets(s, r))
    back = world.inverse(r)
    told["others like the subject"] = sum(
        share(s, r, x) * share(x, back, y) * share(y, r, c) for x in world.targets(s, r) for y in world.targets(x, back)
    )
    for h in (1, 3):
        told[f"common partners {h}"] = sum(w * share(x, None, c, h) for x, w in partners(world, s, h))
    return told


def tally_rules(
    facts: Iterable[Edge], n_base: int, queries: Iterable[Query], before: int, ages: tuple[int, ...]
) -> dict[tuple[int, int], tuple[int, int]]:
    """How often rules fired and hit, by body relation and bucket of age, at the queries before a time."""
    tally: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for query in queries:
        if query.time < before:
            world = World(facts, n_base, query.time, LIVES)
            for b in world.relations_of(query.subject):
                for c in world.targets(query.subject, b):
                    age = query.time - max(world.group(query.subject, b, c))
                    one = tally[b, sum(age > edge for edge in ages)]
                    one[0] += 1
                    one[1] += c in query.answers
    return {key: (fires, hits) for key, (fires, hits) in tally.items()}
