"""Statistics of a graph: how much there is of what, and how often it happens again."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tlogic.analysis.repetition import numbered, seen_before
from tlogic.errors import InputError
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.arrays import Bools, Ints

SPLITS = ("train", "valid", "test")

_TOP = 5


@dataclass(frozen=True)
class Spread:
    """How a number differs from one thing to the next."""

    mean: float
    median: float
    max: int


@dataclass(frozen=True)
class Recurrence:
    """Shares of a split's facts, and of the queries that they make."""

    seen_before: float
    """The same subject, relation and object at any earlier step."""
    seen_just_before: float
    """The same in the very step before."""
    pair_seen_before: float
    """The same subject and object, by any relation, at any earlier step."""
    new_entity: float
    """Facts with an entity that no training fact has."""
    repeated_queries: float
    """Queries for the object or the subject that another fact of the same step makes as well."""


@dataclass(frozen=True)
class Statistics:
    """What there is in a graph; names and times count where a fact has them.

    ``steps`` counts the steps that hold facts, ``span`` all from the first to the last. An entity's facts are those it
    takes part in, as subject or object; its neighbours are the other entities in them.
    """

    facts: int
    train: int
    valid: int
    test: int
    entities: int
    relations: int
    steps: int
    span: int
    step_size: str
    first_date: str
    last_date: str
    self_loops: int
    facts_per_step: Spread
    facts_per_entity: Spread
    facts_per_relation: Spread
    neighbours_per_entity: Spread
    top_entities: dict[str, int]
    """Those with most facts, and how many."""
    top_relations: dict[str, int]
    largest_relation_share: float
    recurrence: dict[str, Recurrence]
    """For each split that holds facts."""

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return asdict(self)


def statistics(graph: TemporalGraph) -> Statistics:
    """Count what there is in a graph.

    >>> import tlogic
    >>> found = statistics(tlogic.sample())
    >>> found.train, found.valid, found.test, found.entities, found.relations, found.steps
    (9392, 1239, 1120, 55, 22, 450)
    >>> f"{found.recurrence['test'].seen_before:.0%} of the test facts happened before"
    '93% of the test facts happened before'
    """
    facts = graph.facts
    if not len(graph):
        raise InputError("There are no facts to count; expected a graph with at least one.")
    sizes = {name: len(graph.split(name).time) for name in SPLITS}
    per_step = np.unique(facts.time, return_counts=True)[1]
    per_entity, per_relation = facts_per_entity(facts), facts_per_relation(facts)
    first, last = int(facts.time[0]), int(facts.time[-1])
    return Statistics(
        facts=len(graph),
        **sizes,
        entities=int(np.count_nonzero(per_entity)),
        relations=int(np.count_nonzero(per_relation)),
        steps=len(per_step),
        span=last - first + 1,
        step_size=graph.timeline.step_size,
        first_date=graph.timeline.label_of(first),
        last_date=graph.timeline.label_of(last),
        self_loops=int(np.count_nonzero(facts.subject == facts.object)),
        facts_per_step=_spread(per_step),
        facts_per_entity=_spread(per_entity[per_entity > 0]),
        facts_per_relation=_spread(per_relation[per_relation > 0]),
        neighbours_per_entity=_spread(neighbours_per_entity(facts)[per_entity > 0]),
        top_entities=_top(per_entity, graph.entities.names),
        top_relations=_top(per_relation, graph.relations.base),
        largest_relation_share=int(per_relation.max()) / len(graph),
        recurrence=_recurrence(facts, sizes),
    )


def facts_per_entity(facts: Facts) -> Ints:
    """By entity: the facts it takes part in; one about itself counts once."""
    others = facts.object[facts.subject != facts.object]
    return np.bincount(np.concatenate([facts.subject, others]))


def facts_per_relation(facts: Facts) -> Ints:
    """By relation: its facts."""
    return np.bincount(facts.relation)


def neighbours_per_entity(facts: Facts) -> Ints:
    """By entity: the other entities that it shares a fact with."""
    n = int(max(facts.subject.max(), facts.object.max())) + 1
    low, high = np.minimum(facts.subject, facts.object), np.maximum(facts.subject, facts.object)
    pairs = np.unique((low.astype(np.int64) * n + high)[low != high])
    return np.bincount(np.concatenate([pairs // n, pairs % n]), minlength=n)


def _spread(counts: Ints) -> Spread:
    return Spread(float(counts.mean()), float(np.median(counts)), int(counts.max()))


def _top(counts: Ints, names: list[str]) -> dict[str, int]:
    """The largest counts by name; of equals, those that came first in the data."""
    order = np.argsort(-counts, kind="stable")[:_TOP]
    return {names[place]: int(counts[place]) for place in order if counts[place]}


def _recurrence(facts: Facts, sizes: dict[str, int]) -> dict[str, Recurrence]:
    """Facts are in order of time, so that a split is a slice of them."""
    seen, new = seen_before(facts), _has_new_entity(facts, sizes["train"])
    found, start = {}, 0
    for name, size in sizes.items():
        part = slice(start, start + size)
        start += size
        if size:
            found[name] = Recurrence(
                seen_before=_share(seen.fact[part]),
                seen_just_before=_share(seen.fact_just_before[part]),
                pair_seen_before=_share(seen.pair[part]),
                new_entity=_share(new[part]),
                repeated_queries=_repeated_queries(Facts(*(column[part] for column in facts))),
            )
    return found


def _share(chosen: Bools) -> float:
    return float(chosen.mean())


def _has_new_entity(facts: Facts, n_train: int) -> Bools:
    known = np.zeros(max(facts.subject.max(), facts.object.max()) + 1, np.bool_)
    known[facts.subject[:n_train]] = known[facts.object[:n_train]] = True
    return ~(known[facts.subject] & known[facts.object])


def _repeated_queries(facts: Facts) -> float:
    """A fact makes two queries: (s, r, ?, t) and (?, r, o, t)."""
    given = (facts.subject, facts.object)
    repeated = [_is_repeated(numbered(facts.time, facts.relation, entity)) for entity in given]
    return _share(np.concatenate(repeated))


def _is_repeated(key: Ints) -> Bools:
    return np.bincount(key)[key] > 1
