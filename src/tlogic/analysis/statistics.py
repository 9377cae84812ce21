"""Statistics of a graph: sizes, degrees, and how often facts recur."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tlogic.analysis.repetition import row_ids, seen_before
from tlogic.errors import InputError
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.arrays import Bools, Ints

SPLITS = ("train", "valid", "test")

_N_TOP = 5


@dataclass(frozen=True)
class Spread:
    """Mean, median and maximum of a count.

    Attributes:
        mean: The mean.
        median: The median.
        max: The maximum.

    Example:
        >>> import tlogic
        >>> statistics(tlogic.sample()).facts_per_step
        Spread(mean=26.113333333333333, median=26.0, max=41)
    """

    mean: float
    median: float
    max: int


@dataclass(frozen=True)
class Recurrence:
    """How often the facts of a split recur, as shares of its facts or queries.

    Attributes:
        seen_before: Facts whose subject, relation and object occurred together at an earlier time step.
        seen_just_before: Facts whose subject, relation and object occurred together at the previous time step.
        pair_seen_before: Facts whose subject and object occurred together at an earlier time step, in any relation.
        new_entity: Facts with an entity that occurs in no training fact.
        repeated_queries: Queries that several facts of the same time step share. A fact gives two queries, one for its
            object and one for its subject.

    Example:
        >>> import tlogic
        >>> round(statistics(tlogic.sample()).recurrence["test"].seen_before, 2)
        0.93
    """

    seen_before: float
    seen_just_before: float
    pair_seen_before: float
    new_entity: float
    repeated_queries: float


@dataclass(frozen=True)
class Statistics:
    """The statistics of a graph. Entities, relations and time steps count only if a fact has them.

    Attributes:
        facts: Number of facts.
        train: Number of training facts.
        valid: Number of validation facts.
        test: Number of test facts.
        entities: Number of entities.
        relations: Number of relations.
        steps: Number of time steps with facts.
        span: Number of time steps from the first to the last fact, with or without facts.
        step_size: The length of a time step, such as "1 day".
        first_date: The date of the first fact.
        last_date: The date of the last fact.
        self_loops: Number of facts whose subject is their object.
        facts_per_step: Facts per time step with facts.
        facts_per_entity: Facts with an entity as subject or object.
        facts_per_relation: Facts per relation.
        neighbours_per_entity: Other entities that an entity shares a fact with.
        top_entities: The five entities with the most facts, and their number of facts.
        top_relations: The five relations with the most facts, and their number of facts.
        largest_relation_share: The share of facts with the most frequent relation.
        recurrence: How often facts recur, for each split with facts.

    Example:
        >>> import tlogic
        >>> found = statistics(tlogic.sample())
        >>> found.facts, found.first_date, found.last_date
        (11751, '2030-01-01', '2031-03-26')
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
    top_relations: dict[str, int]
    largest_relation_share: float
    recurrence: dict[str, Recurrence]

    def to_dict(self) -> dict[str, Any]:
        """The statistics as nested dictionaries, ready for JSON."""
        return asdict(self)


def statistics(graph: TemporalGraph) -> Statistics:
    """Count facts, entities, relations and time steps of a graph, and how often facts recur.

    Args:
        graph: The graph; its splits are counted separately.

    Returns:
        The statistics of all facts, and the recurrence by split.

    Raises:
        InputError: If the graph has no facts.

    Example:
        >>> import tlogic
        >>> found = statistics(tlogic.sample())
        >>> found.train, found.valid, found.test, found.entities, found.relations, found.steps
        (9392, 1239, 1120, 55, 22, 450)
        >>> f"{found.recurrence['test'].seen_before:.0%} of the test facts occurred before"
        '93% of the test facts occurred before'
    """
    facts = graph.facts
    if not len(graph):
        raise InputError("The graph has no facts; expected at least one.")
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
        step_size=graph.timeline.description,
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
    """Facts by entity id, as subject or object; a self-loop counts once."""
    others = facts.object[facts.subject != facts.object]
    return np.bincount(np.concatenate([facts.subject, others]))


def facts_per_relation(facts: Facts) -> Ints:
    """Facts by relation id."""
    return np.bincount(facts.relation)


def neighbours_per_entity(facts: Facts) -> Ints:
    """By entity id: the number of other entities that it shares a fact with."""
    n = int(max(facts.subject.max(), facts.object.max())) + 1
    low, high = np.minimum(facts.subject, facts.object), np.maximum(facts.subject, facts.object)
    pairs = np.unique((low.astype(np.int64) * n + high)[low != high])
    return np.bincount(np.concatenate([pairs // n, pairs % n]), minlength=n)


def _spread(counts: Ints) -> Spread:
    return Spread(float(counts.mean()), float(np.median(counts)), int(counts.max()))


def _top(counts: Ints, names: list[str]) -> dict[str, int]:
    """The largest counts by name; ties are broken by name."""
    order = np.argsort(-counts, kind="stable")[:_N_TOP]
    return {names[i]: int(counts[i]) for i in order if counts[i]}


def _recurrence(facts: Facts, sizes: dict[str, int]) -> dict[str, Recurrence]:
    """By split; facts are sorted by time, so that a split is a slice."""
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
    in_train = np.zeros(max(facts.subject.max(), facts.object.max()) + 1, np.bool_)
    in_train[facts.subject[:n_train]] = in_train[facts.object[:n_train]] = True
    return ~(in_train[facts.subject] & in_train[facts.object])


def _repeated_queries(facts: Facts) -> float:
    """The share of queries that occur more than once; a fact gives (s, r, ?, t) and (?, r, o, t)."""
    given = (facts.subject, facts.object)
    repeated = [_is_repeated(row_ids(facts.time, facts.relation, entity)) for entity in given]
    return _share(np.concatenate(repeated))


def _is_repeated(ids: Ints) -> Bools:
    return np.bincount(ids)[ids] > 1
