"""Evidence by its definitions, with plain loops over all facts: slow, and obviously correct.

Nothing here is shared with the package. Each family is a function of the earlier facts, a query and its candidates. It
returns the columns of each candidate by name; a column without a value is left out.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple, TypeAlias

from tests.naive import Edge

RECENT, FOREVER = 2, 4
N_HALF_LIVES = 5
Told: TypeAlias = dict[str, float]


class Query(NamedTuple):
    subject: int
    relation: int
    time: int
    answers: frozenset[int]


class Data(NamedTuple):
    """All facts, with the names of entities and relations, and the half-lives of decayed counts."""

    facts: Sequence[Edge]
    entities: Sequence[str]
    relations: Sequence[str]
    lives: Sequence[float]
    max_events: int
    """How many last events of an entity are searched."""

    def queries(self, relation: int) -> list[Query]:
        """All queries of a relation with their answers, in order of time."""
        answers: dict[tuple[int, int], set[int]] = {}
        for s, r, o, t in _both_directions(self.facts, len(self.relations)):
            if r == relation:
                answers.setdefault((t, s), set()).add(o)
        return [Query(s, relation, t, frozenset(found)) for (t, s), found in sorted(answers.items())]


def _both_directions(facts: Iterable[Edge], n_base: int) -> Iterator[Edge]:
    for s, r, o, t in facts:
        yield s, r, o, t
        yield o, r + n_base, s, t


@lru_cache
def key_of(name: str) -> int:
    """What puts names in an order that does not depend on their ids."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


class World:
    """What was known before some time: edges in both directions, by time and, within a step, by keys of names."""

    def __init__(self, data: Data, now: int) -> None:
        self.n_base, self.now, self.lives, self.names = len(data.relations), now, tuple(data.lives), data.entities
        self.max_events = data.max_events
        relations = [*data.relations, *(f"{name}^-1" for name in data.relations)]
        past = (edge for edge in _both_directions(data.facts, self.n_base) if edge[3] < now)
        self.edges = sorted(past, key=lambda edge: (edge[3], key_of(relations[edge[1]]), key_of(self.names[edge[2]])))
        self._groups: dict[tuple[int | None, ...], list[int]] = {}

    def group(self, s: int | None = None, r: int | None = None, o: int | None = None) -> list[int]:
        """The times of all edges that fit."""
        if (s, r, o) not in self._groups:
            self._groups[s, r, o] = [
                t for es, er, eo, t in self.edges if s in (None, es) and r in (None, er) and o in (None, eo)
            ]
        return self._groups[s, r, o]

    def count(self, times: list[int], h: int) -> float:
        return sum(2.0 ** (-(self.now - t) / self.lives[h]) for t in times)

    def weight(self, times: list[int]) -> float:
        """The decayed count, plus a fiftieth for each event, however old."""
        return self.count(times, RECENT) + 0.02 * len(times)

    def share(self, s: int, r: int | None, o: int, h: int = RECENT) -> float:
        """The share of one target in all that an entity did, by a relation or by any (None)."""
        whole = self.count(self.group(s, r), h)
        return self.count(self.group(s, r, o), h) / whole if whole else 0.0

    def age(self, times: list[int]) -> int:
        return self.now - max(times)

    def inverse(self, r: int) -> int:
        return r + self.n_base if r < self.n_base else r - self.n_base

    def events(self, s: int) -> list[Edge]:
        return [edge for edge in self.edges if edge[0] == s]

    def targets(self, s: int, r: int | None = None) -> set[int]:
        return {eo for es, er, eo, _ in self.edges if es == s and r in (None, er)}

    def since(self, s: int) -> int:
        """The time from which on the events of an entity are searched."""
        times = self.group(s)
        return times[-self.max_events] if self.max_events < len(times) else 0

    def recent(self, s: int, r: int | None = None) -> set[int]:
        """The targets among the events that are searched."""
        return {x for x in self.targets(s, r) if max(self.group(s, r, x)) >= self.since(s)}

    def strongest(self, s: int, r: int | None, n: int) -> list[int]:
        """Those with most weight, the smallest key first among equals."""
        return sorted(self.recent(s, r), key=lambda x: (-self.weight(self.group(s, r, x)), key_of(self.names[x])))[:n]


# What is looked up


def recurrence(world: World, s: int, r: int, candidates: Sequence[int]) -> list[Told]:
    shares = [world.share(s, r, c) if world.group(s, r, c) else math.nan for c in candidates]
    return [_recurrence(world, s, r, c, shares) for c in candidates]


def _recurrence(world: World, s: int, r: int, c: int, shares: list[float]) -> Told:
    times = world.group(s, r, c)
    if not times:
        return {}
    told = {"age": world.age(times), "met since": float(max(world.group(s=s, o=c)) > max(times))}
    told["rank"] = sum(share > world.share(s, r, c) for share in shares)
    for h in range(N_HALF_LIVES):
        told[f"count {h}"] = world.count(times, h)
        told[f"share {h}"] = world.share(s, r, c, h)
        told[f"reverse share {h}"] = world.count(times, h) / world.count(world.group(r=r, o=c), h)
    return told


def pair(world: World, s: int, r: int, candidates: Sequence[int]) -> list[Told]:  # noqa: ARG001 (as all families)
    return [_pair(world, s, c) for c in candidates]


def _pair(world: World, s: int, c: int) -> Told:
    times = world.group(s=s, o=c)
    if not times:
        return {}
    told: Told = {"age": world.age(times)}
    for h in (1, 2, 4):
        own = world.count(times, h)
        told[f"count {h}"] = own
        told[f"share of subject {h}"] = own / world.count(world.group(s=s), h)
        told[f"share of candidate {h}"] = own / world.count(world.group(s=c), h)
    return told


def popularity(world: World, s: int, r: int, candidates: Sequence[int]) -> list[Told]:  # noqa: ARG001
    told = [_popularity(world, r, c) for c in candidates]
    shares = [one["share of relation 2"] for one in told if "age" in one]
    for one in told:
        if "age" in one:
            one["rank"] = sum(share > one["share of relation 2"] for share in shares)
    return told


def _popularity(world: World, r: int, c: int) -> Told:
    told: Told = {}
    active = world.group(s=c)
    if active:
        told["activity age"] = world.age(active)
        told |= {f"activity {h}": world.count(active, h) for h in (1, 2, 4)}
        told["burst"] = world.count(active, 0) / (world.count(active, 3) + 1e-6)
    times = world.group(r=r, o=c)
    if times:
        told["age"] = world.age(times)
        told |= {
            f"share of relation {h}": world.count(times, h) / world.count(world.group(r=r), h) for h in (1, 2, 3, 4)
        }
        told["share of candidate"] = len(times) / len(active)
    return told


def habits(world: World, s: int, r: int, candidates: Sequence[int]) -> list[Told]:
    def share_of_repeats(kinds: Sequence[object]) -> float:
        return (len(kinds) - len(set(kinds)) + 1) / (len(kinds) + 2)

    done = [o for _, er, o, _ in world.events(s) if er == r]
    same, again = share_of_repeats(done), share_of_repeats([o for _, _, o, _ in world.events(s)])
    ages = {c: world.age(world.group(s, r, c)) for c in candidates if c in done}
    pair_ages = {c: world.age(world.group(s=s, o=c)) for c in candidates if world.group(s=s, o=c)}
    told = []
    for c in candidates:
        sign = 1 if c in ages else -1
        one = {"repeats": sign * same, "repeats of subject": sign * again, "facts so far": sign * float(len(done))}
        one["partners again"] = again if c in pair_ages else -again
        if c in ages:
            times = world.group(s, r, c)
            one["events since"] = ages[c] * len(done) / (world.now + 1)
            one["order"] = sum(age < ages[c] for age in ages.values())
            if len(times) > 1:
                one["pace"] = ages[c] / ((max(times) - min(times)) / (len(times) - 1) + 1)
        if c in pair_ages:
            one["pair order"] = sum(age < pair_ages[c] for age in pair_ages.values())
        told.append(one)
    return told


def paths(world: World, s: int, r: int, candidates: Sequence[int]) -> list[Told]:
    partners, targets, alike = world.strongest(s, None, 20), world.strongest(s, r, 20), similar_subjects(world, s, r)
    told = []
    for c in candidates:
        one = {
            "targets' partners": sum(world.share(s, r, x) * world.share(x, None, c) for x in targets),
            "others like the subject": sum(weight * world.share(y, r, c) for y, weight in alike),
        }
        for h in range(N_HALF_LIVES):
            shares = [(x, world.share(s, None, x, h)) for x in partners]
            one[f"common partners {h}"] = sum(share * world.share(x, None, c, h) for x, share in shares)
            one[f"partners did it {h}"] = sum(share * world.share(x, r, c, h) for x, share in shares)
        told.append(one)
    return told


def similar_subjects(world: World, s: int, r: int) -> list[tuple[int, float]]:
    """Who had the same objects under a relation, and the weight of each path there."""
    back = world.inverse(r)
    return [
        (y, world.share(s, r, x) * world.share(x, back, y))
        for x in world.strongest(s, r, 6)
        for y in world.strongest(x, back, 6)
    ]


# What is counted at every query before


class Firing(NamedTuple):
    """A rule spoke for a candidate."""

    rule: int | tuple[int, int]
    bucket: int
    candidate: int


class Tally:
    """How often rules fired and hit: by rule and bucket, by rule, by bucket, and in all."""

    def __init__(self, prior: float) -> None:
        self.prior = prior
        self.fires: Counter[tuple[object, object]] = Counter()
        self.hits: Counter[tuple[object, object]] = Counter()

    def count(self, firings: Iterable[Firing], answers: Iterable[int]) -> None:
        for firing in firings:
            for key in ((firing.rule, firing.bucket), (firing.rule, None), (None, firing.bucket), (None, None)):
                self.fires[key] += 1
                self.hits[key] += firing.candidate in answers

    def chance(self, firing: Firing) -> float:
        rate = (self.hits[None, None] + 1e-3) / (self.fires[None, None] + 1)
        rule, bucket = (self._drawn(key, rate) for key in ((firing.rule, None), (None, firing.bucket)))
        return self._drawn((firing.rule, firing.bucket), min(rule * bucket / rate, 0.999))

    def _drawn(self, key: tuple[object, object], to: float) -> float:
        return (self.hits[key] + self.prior * to) / (self.fires[key] + self.prior)


def bucket_of(value: float, edges: Sequence[float]) -> int:
    return sum(value > edge for edge in edges)


def no_less_likely(chances: Iterable[float]) -> float:
    """All together: minus the logarithm of the chance that none is right."""
    return sum(-math.log(1 - chance) for chance in chances)


def largest(values: Iterable[float], n: int) -> list[float]:
    return (sorted(values, reverse=True) + [0.0] * n)[:n]


def compare_with_best(told: list[Told], column: str) -> None:
    best = max([one[column] for one in told] + [1e-9])
    for one in told:
        one[f"{column} of best"] = one[column] / best


class Past:
    """What was known at each time, and the queries of one relation with their answers."""

    def __init__(self, data: Data, relation: int) -> None:
        self.queries = data.queries(relation)
        self.world = {time: World(data, time) for time in {query.time for query in self.queries}}

    def before(self, now: int) -> Iterator[tuple[World, Query]]:
        return ((self.world[query.time], query) for query in self.queries if query.time < now)


AGES = (1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 240, 365, 730)
COARSE_AGES = (1, 3, 7, 21, 60, 180)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)


def rules(past: Past, query: Query, candidates: Sequence[int]) -> list[Told]:
    by_age, by_share = Tally(20), Tally(20)
    for world, earlier in past.before(query.time):
        oldest = world.now - world.since(earlier.subject)
        fired = [one for one in rule_firings(world, earlier.subject) if one[2] <= oldest]
        by_age.count((one for one, _, _ in fired), earlier.answers)
        by_share.count((one for _, one, _ in fired), earlier.answers)
    firings = rule_firings(past.world[query.time], query.subject)
    told = []
    for c in candidates:
        chances = [by_age.chance(fired) for fired, _, _ in firings if fired.candidate == c]
        shared = [(by_share.chance(fired), age) for _, fired, age in firings if fired.candidate == c]
        one = {f"probability {i}": value for i, value in enumerate(largest(chances, 6))}
        one |= {f"probability by share {i}": value for i, value in enumerate(largest((p for p, _ in shared), 3))}
        one |= {"sum": no_less_likely(chances), "fires": len(chances)}
        one["sum by share"] = no_less_likely(p for p, _ in shared)
        good = [age for p, age in shared if p > 0.05]
        if good:
            one["age of newest good rule"] = min(good)
        told.append(one)
    compare_with_best(told, "sum by share")
    return told


def rule_firings(world: World, s: int) -> list[tuple[Firing, Firing, int]]:
    """All that a subject did: in its bucket of age, in that of age and share, and the age."""
    firings = []
    for b in {er for _, er, _, _ in world.events(s)}:
        for c in world.targets(s, b):
            age = world.age(world.group(s, b, c))
            share = world.weight(world.group(s, b, c)) / world.weight(world.group(s, b))
            coarse = bucket_of(age, COARSE_AGES) * 7 + bucket_of(share, SHARES)
            firings.append((Firing(b, bucket_of(age, AGES), c), Firing(b, coarse, c), age))
    return firings


def chains(past: Past, query: Query, candidates: Sequence[int]) -> list[Told]:
    tally, since = Tally(30), dict[object, int]()
    for now, step in groupby(past.before(query.time), key=lambda one: one[1].time):
        outcomes = [(chain_firings(world, earlier.subject), earlier.answers) for world, earlier in step]
        for firings, answers in outcomes:
            since |= {f.rule: now for f in firings if f.candidate in answers and f.rule not in since}
        for firings, answers in outcomes:
            tally.count((f for f in firings if _is_counted(f, answers, since, now)), answers)
    firings = chain_firings(past.world[query.time], query.subject)
    told = []
    for c in candidates:
        fired = [firing for firing in firings if firing.candidate == c and tally.fires[firing.rule, None]]
        chances = [tally.chance(firing) for firing in fired]
        one = dict(zip(("largest", "second"), largest(chances, 2), strict=True))
        told.append(one | {"sum": no_less_likely(chances)})
    compare_with_best(told, "sum")
    return told


def _is_counted(firing: Firing, answers: frozenset[int], since: dict[object, int], now: int) -> bool:
    """A rule is counted from the step on at which it first hits; at that step, only where it hits."""
    first = since.get(firing.rule, math.inf)
    return first < now or (first == now and firing.candidate in answers)


def chain_firings(world: World, s: int) -> list[Firing]:
    """All paths over the last 30 events of a subject and of those it dealt with, but none that comes back."""
    return [
        Firing((b1, b2), bucket_of(world.now - t1, (3, 14)) * 3 + bucket_of(world.now - t2, (3, 14)), c)
        for _, b1, x, t1 in world.events(s)[-30:]
        for _, b2, c, t2 in world.events(x)[-30:]
        if c != s
    ]


def acyclic(past: Past, query: Query, candidates: Sequence[int]) -> list[Told]:
    tally = Tally(20)
    for time in sorted({earlier.time for _, earlier in past.before(query.time)}):
        answers = {c for earlier in past.queries if earlier.time == time for c in earlier.answers}
        tally.count(acyclic_firings(past.world[time]), answers)
    firings = acyclic_firings(past.world[query.time])
    told = []
    for c in candidates:
        chances = [tally.chance(firing) for firing in firings if firing.candidate == c]
        told.append({"largest": largest(chances, 1)[0], "sum": no_less_likely(chances)})
    compare_with_best(told, "sum")
    return told


def acyclic_firings(world: World) -> list[Firing]:
    """Each edge of the last 7 steps speaks for its source."""
    return [Firing(b, world.now - t, c) for c, b, _, t in world.edges if world.now - t <= 7]


def constants(past: Past, query: Query, candidates: Sequence[int]) -> list[Told]:
    fires: Counter[int] = Counter()
    hits: Counter[tuple[int, int]] = Counter()
    for world, earlier in past.before(query.time):
        for d in world.strongest(earlier.subject, None, 15):
            fires[d] += 1
            hits.update((d, c) for c in earlier.answers)
    partners = past.world[query.time].strongest(query.subject, None, 15)
    chances = {c: [hits[d, c] / (fires[d] + 5) for d in partners] for c in candidates}
    return [{"largest": max(chances[c], default=0.0), "sum": sum(chances[c])} for c in candidates]


# Names

Place: TypeAlias = str | None


def read_name(name: str) -> tuple[str, Place]:
    """The kind and the place that a name tells; no kind and no place for a plain name."""
    kind, _, place = name.rstrip().removesuffix(")").rpartition("(")
    structured = name.rstrip().endswith(")") and kind.strip() and place and ")" not in place
    return (kind.rstrip(), place) if structured else ("", None)


def place_of(world: World, entity: int) -> Place:
    """Where an entity belongs: by its name, or where most of its partners so far do; the smallest key among equals."""
    own = read_name(world.names[entity])[1]
    if own is not None:
        return own
    places = [read_name(world.names[partner])[1] for _, _, partner, _ in world.events(entity)]
    count = Counter(place for place in places if place is not None)
    return min(count, key=lambda place: (-count[place], key_of(place)), default=None)


def kind_of(world: World, entity: int) -> str:
    name, place = world.names[entity], place_of(world, entity)
    return "the place itself" if read_name(name)[1] is None and name == place else read_name(name)[0]


class Meeting(NamedTuple):
    """Two who came together under a relation, by what their names tell."""

    here: Place
    kind: str
    there: Place
    its_kind: str
    answer: int

    @property
    def alike(self) -> bool:
        return self.here == self.there and self.here is not None


def meeting(world: World, s: int, c: int) -> Meeting:
    return Meeting(place_of(world, s), kind_of(world, s), place_of(world, c), kind_of(world, c), c)


def names(past: Past, query: Query, candidates: Sequence[int]) -> list[Told]:
    met = [meeting(world, earlier.subject, c) for world, earlier in past.before(query.time) for c in earlier.answers]
    return [_names(met, meeting(past.world[query.time], query.subject, c)) for c in candidates]


def _names(met: list[Meeting], now: Meeting) -> Told:
    def rate(hits: Iterable[Meeting], fires: Iterable[Meeting], usual: float = 0.0) -> float:
        """The share of some in others, drawn to what is usual as if by five of them."""
        return (len(list(hits)) + 5 * usual) / (len(list(fires)) + 5)

    here = [one for one in met if one.here == now.here]
    there = [one for one in met if one.there == now.there]
    same = rate((one for one in met if one.alike), met, 0.5)
    usual = same if now.alike else (1 - same) * rate(there, met)
    of_kind = [one for one in met if one.kind == now.kind]
    to_kind = [one for one in of_kind if one.its_kind == now.its_kind and one.alike == now.alike]
    itself = [one for one in met if one.answer == now.answer]
    told = {"place": rate((one for one in here if one.there == now.there), here, usual)}
    told["kind"] = rate(to_kind, of_kind)
    told["share of place"] = rate(itself, there)
    told["share of kind"] = rate(itself, (one for one in there if one.its_kind == now.its_kind))
    told["place and share"] = told["place"] * told["share of place"]
    told["kind and share"] = told["kind"] * told["share of kind"]
    if now.here is not None and now.there is not None:
        told["same place"] = float(now.alike)
    return told


# Candidates


def strengths(world: World, s: int, r: int) -> dict[int, float]:
    """All candidates of a query, without those that families propose: each with its strength."""
    found: defaultdict[int, float] = defaultdict(float)
    for x in world.recent(s):
        found[x] += world.weight(world.group(s=s, o=x))
    for x in world.recent(s, r):
        found[x] += 4 * world.weight(world.group(s, r, x))
    objects = {o for _, er, o, _ in world.edges if er == r}
    popular = sorted(objects, key=lambda o: (-world.weight(world.group(r=r, o=o)), key_of(world.names[o])))[:60]
    for rank, o in enumerate(popular):
        if o not in found:
            found[o] = 1e-6 * (len(popular) - rank)
    for i, x in enumerate(world.strongest(s, None, 20)):
        share = world.share(s, None, x)
        for o in world.strongest(x, r, 20):
            found[o] += max(0.01 * share * world.share(x, r, o), 1e-12)
        for _, _, o, _ in world.events(x)[-60:] if i < 12 else ():
            found[o] += max(0.01 * share / 60, 1e-12)
    alike: defaultdict[int, float] = defaultdict(float)
    for y, weight in similar_subjects(world, s, r):
        alike[y] += weight
    for y, weight in alike.items():
        for o in world.strongest(y, r, 20) if y != s else ():
            found[o] += max(0.01 * weight * world.share(y, r, o), 1e-12)
    return dict(found)


LOOKED_UP = {
    "recurrence": recurrence,
    "pair": pair,
    "popularity": popularity,
    "habits": habits,
    "paths": paths,
}
COUNTED = {"rules": rules, "chains": chains, "acyclic": acyclic, "constants": constants, "names": names}
