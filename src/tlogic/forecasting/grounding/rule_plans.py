"""Rules as integers, and for each body the cheapest method to ground it.

There are five methods:

- CHAIN: depth-first search from the query's subject; works for every body.
- SINGLE: one atom between different variables, r_1(s, c).
- OPEN: three atoms without repeated variables, r_1(s, x), r_2(x, y), r_3(y, c).
- CLOSED: three atoms that return to the candidate, r_1(s, x), r_2(x, y), r_3(y, x).
- LOOP: a loop at the subject and a rest that starts there again, r_1(s, x), r_2(x, s), ...

In OPEN and CLOSED bodies, the second and third atom do not depend on the subject, so their join is cached between
queries. In LOOP bodies, loop and rest constrain each other only in time, so they are searched separately.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Floats, Ints
from tlogic.names import pattern_of

CHAIN, SINGLE, OPEN, CLOSED, LOOP = 0, 1, 2, 3, 4


class BodyTable(NamedTuple):
    """The bodies, or rests of bodies, that are grounded by depth-first search; their atoms are concatenated."""

    start: Ints
    """Per body: the index of its first atom."""
    relation: Ints
    inverse: Ints
    """Per atom: its relation and the inverse of it."""
    origin: Ints
    """Per atom: the first position at which the variable it starts from occurs."""
    binding: Ints
    """Per atom: the earlier position whose variable its target repeats, or -1 for a new variable."""


class JoinTable(NamedTuple):
    """The distinct pairs of second and third relation of OPEN and CLOSED bodies; for CLOSED, the third is inverted."""

    second: Ints
    third: Ints


class RulePlans(NamedTuple):
    """The rules, sorted by head and decreasing confidence."""

    head_start: Ints
    """Per relation: the index of the first rule with this head."""
    confidence: Floats
    kind: Ints
    """Per rule: its method."""
    first: Ints
    """Per rule: its first body relation."""
    back: Ints
    """Per LOOP rule: the inverse of its second body relation, which also leads from s to x."""
    part: Ints
    """Per rule: the index of its body (CHAIN) or rest (LOOP) in the body table, or of its pair in the join table."""
    bodies: BodyTable
    joins: JoinTable


class EncodedRule(NamedTuple):
    """A rule with the relation ids of one graph."""

    head: int
    body: tuple[int, ...]
    variables: tuple[int, ...]
    confidence: float


def plan_rules(rules: Sequence[EncodedRule], n_base_relations: int, only_chains: bool = False) -> RulePlans:
    """Choose the method of each rule; rules must be sorted by head and decreasing confidence."""
    bodies: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    joins: dict[tuple[int, int, int], int] = {}
    columns: list[tuple[int, int, int, int]] = []
    for rule in rules:
        kind = _kind(rule.variables)
        if only_chains and kind != SINGLE:
            kind = CHAIN
        inverses = [inverse_relation(relation, n_base_relations) for relation in rule.body]
        back = inverses[1] if kind == LOOP else 0
        part = 0
        if kind in (CHAIN, LOOP):
            skip = 2 if kind == LOOP else 0
            rest = (rule.body[skip:], pattern_of(rule.variables[skip:]))
            part = bodies.setdefault(rest, len(bodies))
        elif kind in (OPEN, CLOSED):
            join = (kind, rule.body[1], rule.body[2] if kind == OPEN else inverses[2])
            part = joins.setdefault(join, len(joins))
        columns.append((kind, rule.body[0], back, part))
    kinds, firsts, backs, parts = np.array(columns, np.int64).reshape(-1, 4).T.copy()
    heads = np.array([rule.head for rule in rules], np.int64)
    _, seconds, thirds = np.array(list(joins), np.int64).reshape(-1, 3).T.copy()
    return RulePlans(
        head_start=np.searchsorted(heads, np.arange(2 * n_base_relations + 1)),
        confidence=np.array([rule.confidence for rule in rules], np.float64),
        kind=kinds,
        first=firsts,
        back=backs,
        part=parts,
        bodies=_body_table(list(bodies), n_base_relations),
        joins=JoinTable(seconds, thirds),
    )


def inverse_relation(relation: int, n_base_relations: int) -> int:
    """The id of the inverse relation: inverses have the ids after the base relations."""
    return relation + n_base_relations if relation < n_base_relations else relation - n_base_relations


def _kind(variables: tuple[int, ...]) -> int:
    """The method for a body with this pattern of variables."""
    if variables == (0, 1):
        return SINGLE
    if variables == (0, 1, 2, 3):
        return OPEN
    if variables == (0, 1, 2, 1):
        return CLOSED
    if len(variables) > 3 and variables[:3] == (0, 1, 0) and 1 not in variables[3:]:
        return LOOP
    return CHAIN


def _body_table(bodies: list[tuple[tuple[int, ...], tuple[int, ...]]], n_base_relations: int) -> BodyTable:
    """Concatenate bodies, given as (relations, variables)."""
    start: list[int] = [0]
    relations: list[int] = []
    origins: list[int] = []
    bindings: list[int] = []
    for relation, variables in bodies:
        relations += relation
        start.append(len(relations))
        for i in range(len(relation)):
            first = variables.index(variables[i + 1])
            origins.append(variables.index(variables[i]))
            bindings.append(first if first <= i else -1)
    inverses = [inverse_relation(relation, n_base_relations) for relation in relations]
    return BodyTable(*(np.array(column, np.int64) for column in (start, relations, inverses, origins, bindings)))
