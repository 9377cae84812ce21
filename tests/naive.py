"""The slow, obviously correct reference: the paper's definitions as plain loops over sets of quadruples.

Nothing here is shared with the package. A fact or edge is (subject, relation, object, time); base relations
are numbered 0 .. n - 1, and the inverse of relation r is r + n. A rule's variables number E_1 .. E_(l+1), so
that (0, 1, 0) says that the third entity of a body is the first again.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

Edge: TypeAlias = tuple[int, int, int, int]
Walk: TypeAlias = tuple[Edge, ...]


class Rule(NamedTuple):
    head: int
    body: tuple[int, ...]
    variables: tuple[int, ...]
    confidence: float


class Query(NamedTuple):
    """(subject, relation, ?, time), to be answered from the facts before ``visible_until`` alone."""

    subject: int
    relation: int
    time: int
    visible_until: int


class Application(NamedTuple):
    """The settings of rule application."""

    alpha: float
    rate: float
    window: float
    limit: float
    k: int
    published_stop: bool


class Ranks(NamedTuple):
    optimistic: float
    realistic: float
    pessimistic: float


def inverse(relation: int, n_base: int) -> int:
    return relation + n_base if relation < n_base else relation - n_base


def inverse_edge(edge: Edge, n_base: int) -> Edge:
    s, r, o, t = edge
    return (o, inverse(r, n_base), s, t)


def add_inverses(facts: Iterable[Edge], n_base: int) -> set[Edge]:
    edges = set(facts)
    return edges | {inverse_edge(edge, n_base) for edge in edges}


# Walks


def feasible_steps(edges: Collection[Edge], walk: Walk, length: int, n_base: int) -> list[Edge]:
    """The set A of the paper: the edges that a walk may take next; ``length`` is that of the rule."""
    home, here, time = walk[0][0], walk[-1][2], walk[-1][3]
    steps = []
    for edge in edges:
        s, _, o, t = edge
        in_time = t < time if len(walk) == 1 else t <= time
        redundant = edge == inverse_edge(walk[-1], n_base)
        comes_home = o == home or len(walk) < length
        if s == here and in_time and not redundant and comes_home:
            steps.append(edge)
    return steps


def step_probabilities(steps: Sequence[Edge], exponential: bool) -> dict[Edge, float]:
    """How probable each feasible edge is as the next one.

    exp(t - newest) instead of the paper's exp(t - time of the last edge): or all may underflow.
    """
    newest = max((t for *_, t in steps), default=0)
    weights = {edge: math.exp(edge[3] - newest) if exponential else 1.0 for edge in steps}
    total = math.fsum(weights.values())
    return {edge: weight / total for edge, weight in weights.items()}


def walk_distribution(
    facts: Iterable[Edge], n_base: int, head: int, length: int, exponential: bool
) -> dict[Walk | None, float]:
    """The probability of each cyclic walk for a head relation; that of failing is under None."""
    edges = add_inverses(facts, n_base)
    heads = [edge for edge in edges if edge[1] == head]
    walks: dict[Walk, float] = {(edge,): 1.0 / len(heads) for edge in heads}
    for _ in range(length):
        longer: dict[Walk, float] = {}
        for walk, probability in walks.items():
            steps = feasible_steps(edges, walk, length, n_base)
            for edge, share in step_probabilities(steps, exponential).items():
                longer[(*walk, edge)] = probability * share
        walks = longer
    return {None: 1.0 - math.fsum(walks.values())} | walks


def lift(walk: Walk, n_base: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The body relations of the rule that a walk becomes, and the walk's entities e_1 .. e_(l+1)."""
    backwards = [inverse_edge(edge, n_base) for edge in reversed(walk[1:])]
    body = tuple(r for _, r, _, _ in backwards)
    entities = (walk[0][0], *(o for _, _, o, _ in backwards))
    return body, entities


# Confidence


def pattern(entities: Sequence[int]) -> tuple[int, ...]:
    """The entities, numbered by first appearance."""
    distinct = list(dict.fromkeys(entities))
    return tuple(distinct.index(entity) for entity in entities)


def fits_exactly(body: Walk, variables: Sequence[int]) -> bool:
    """Does a sampled body count for a rule? A rule without repeated variables accepts any."""
    if len(set(variables)) == len(variables):
        return True
    return pattern([body[0][0], *(o for _, _, o, _ in body)]) == pattern(variables)


def body_distribution(
    facts: Iterable[Edge], n_base: int, relations: Sequence[int], variables: Sequence[int]
) -> dict[Walk | None, float]:
    """The probability of each body when one is sampled; that of dead ends and mismatches is under None."""
    edges = add_inverses(facts, n_base)
    starts = [edge for edge in edges if edge[1] == relations[0]]
    bodies: dict[Walk, float] = {(edge,): 1.0 / len(starts) for edge in starts}
    for relation in relations[1:]:
        longer: dict[Walk, float] = {}
        for body, probability in bodies.items():
            _, _, here, time = body[-1]
            steps = [edge for edge in edges if edge[0] == here and edge[1] == relation and edge[3] >= time]
            for edge in steps:
                longer[(*body, edge)] = probability / len(steps)
        bodies = longer
    fitting = {body: probability for body, probability in bodies.items() if fits_exactly(body, variables)}
    return {None: 1.0 - math.fsum(fitting.values())} | fitting


def head_follows(facts: Iterable[Edge], n_base: int, head: int, body: Walk) -> bool:
    """Does the head connect a body's first and last entity at a later time than all of the body?"""
    subject, target = body[0][0], body[-1][2]
    ends = max(t for *_, t in body)
    return any(s == subject and r == head and o == target and t > ends for s, r, o, t in add_inverses(facts, n_base))


def supports(facts: Collection[Edge], n_base: int, head: int, bodies: Collection[Walk]) -> tuple[int, int]:
    """Body support and rule support over the given distinct bodies."""
    return len(set(bodies)), sum(head_follows(facts, n_base, head, body) for body in set(bodies))


def exact_supports(
    facts: Collection[Edge], n_base: int, head: int, relations: Sequence[int], variables: Sequence[int]
) -> tuple[int, int]:
    """Body support and rule support over all bodies, by enumerating all sequences of edges."""
    edges = add_inverses(facts, n_base)
    bodies: list[Walk] = [(edge,) for edge in edges if edge[1] == relations[0]]
    for relation in relations[1:]:
        bodies = [
            (*body, (s, r, o, t))
            for body in bodies
            for s, r, o, t in edges
            if s == body[-1][2] and r == relation and t >= body[-1][3]
        ]
    return supports(facts, n_base, head, [body for body in bodies if fits_exactly(body, variables)])


# Application


def ground(rule: Rule, query: Query, facts: Iterable[Edge], n_base: int, how: Application) -> dict[int, int]:
    """The candidates of a rule, each with the latest t_1 of its groundings; all combinations are tried.

    The limit: from an entity, a step to a new variable follows only that many of its triples of the relation,
    those that happened most recently, lower targets first among equals.
    """
    visible = [edge for edge in add_inverses(facts, n_base) if edge[3] < min(query.time, query.visible_until)]
    events: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in visible:
        events[edge[0], edge[1]].append(edge)
    latest: dict[int, int] = {}

    def follow(grounding: Walk) -> None:
        n = len(grounding)
        if n == len(rule.body):
            candidate, t_1 = grounding[-1][2], grounding[0][3]
            latest[candidate] = max(latest.get(candidate, t_1), t_1)
            return
        entities = [query.subject, *(o for _, _, o, _ in grounding)]
        bound = dict(zip(rule.variables, entities, strict=False))
        variable = rule.variables[n + 1]
        steps = events[entities[-1], rule.body[n]]
        allowed = {bound[variable]} if variable in bound else newest_targets(steps, how.limit)
        for edge in steps:
            _, _, o, t = edge
            in_window = query.time - how.window <= t
            in_order = not grounding or grounding[-1][3] <= t
            if o in allowed and in_window and in_order:
                follow((*grounding, edge))

    follow(())
    return latest


def newest_targets(steps: Iterable[Edge], limit: float) -> set[int]:
    """The targets of the newest facts, lower ones first among equals."""
    newest: dict[int, int] = {}
    for _, _, o, t in steps:
        newest[o] = max(newest.get(o, t), t)
    order = sorted(newest, key=lambda o: (-newest[o], o))
    return set(order[: int(min(limit, len(order)))])


def score(rule: Rule, age: int, alpha: float, rate: float) -> np.float32:
    """The score f of the paper, as float32."""
    return np.float32(alpha * rule.confidence + (1.0 - alpha) * math.exp(-rate * age))


def noisy_or(scores: Iterable[np.float32]) -> float:
    """The noisy-OR of scores, in the order given; float32 until the last operation."""
    miss = np.float32(1.0)
    for f in scores:
        miss = miss * (np.float32(1.0) - f)
    return 1.0 - float(miss)


def enough(scores: dict[int, list[np.float32]], k: int, published_stop: bool) -> bool:
    """The text's stop asks for k candidates, the published one for the k best to have different lists."""
    if not published_stop:
        return len(scores) >= k
    lists = sorted((sorted(of_candidate, reverse=True) for of_candidate in scores.values()), reverse=True)[:k]
    return len(lists) == k and all(lists[i] != lists[i + 1] for i in range(k - 1))


def apply_rules(
    rules: Iterable[Rule], query: Query, facts: Collection[Edge], n_base: int, how: Application
) -> tuple[dict[int, float], int]:
    """The candidates of a query with their scores, and the number of rules tried, best first."""
    scores: dict[int, list[np.float32]] = defaultdict(list)
    n_tried = 0
    for rule in rules:
        if rule.head != query.relation:
            continue
        n_tried += 1
        latest = ground(rule, query, facts, n_base, how)
        for candidate, t_1 in latest.items():
            scores[candidate].append(score(rule, query.time - t_1, how.alpha, how.rate))
        if latest and enough(scores, how.k, how.published_stop):
            break
    return {candidate: noisy_or(of_candidate) for candidate, of_candidate in scores.items()}, n_tried


# Fallback and ranks


def object_distribution(facts: Iterable[Edge], n_base: int, relation: int) -> dict[int, float]:
    """The relation's share of each object; that of all edges for a relation that never occurred."""
    edges = add_inverses(facts, n_base)
    of_relation = [edge for edge in edges if edge[1] == relation]
    counts = Counter(o for _, _, o, _ in of_relation or edges)
    return {o: count / counts.total() for o, count in counts.items()}


def other_answers(query: Query, answer: int, facts: Iterable[Edge], n_base: int, mode: str) -> set[int]:
    """What is not ranked: nothing (raw), what is true at any time (static) or at the query's (time-aware)."""
    if mode == "raw":
        return set()
    return {
        o
        for s, r, o, t in add_inverses(facts, n_base)
        if (s, r) == query[:2] and o != answer and (mode == "static" or t == query.time)
    }


def ranks(scores: dict[int, float], answer: int, removed: Collection[int], n_entities: int) -> Ranks:
    """The rank of the answer among the candidates; the number of entities if it is not a candidate."""
    if answer not in scores:
        return Ranks(n_entities, n_entities, n_entities)
    others = [f for candidate, f in scores.items() if candidate != answer and candidate not in removed]
    above = sum(f > scores[answer] for f in others)
    equal = sum(f == scores[answer] for f in others)
    return Ranks(1 + above, 1 + above + equal / 2, 1 + above + equal)
