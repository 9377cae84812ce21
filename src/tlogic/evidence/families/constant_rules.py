"""Counted rules with constants: entities with partner d did r to c. How often did that come true?

At every query (s, r, ?, t) a rule fires for each of the strongest partners d of s, and hits for each answer c.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.family import CountingFamily, StepEvents
from tlogic.evidence.lists import (
    Lists,
    append,
    can_extend,
    first_of,
    indexes_of,
    new_lists,
    size_of,
    with_more_lists,
    with_more_records,
)
from tlogic.evidence.partners import collect_partners, new_members, new_partners, strongest
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.evidence.tables import Table, add_key, has_room, joint_key, larger_table, n_keys, new_table, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed

_N_PARTNERS = 15
_MAX_ANSWERS = 4096  # of entities with one partner under one relation; later ones are not counted
_MAX_DRAW = 10_000.0  # of the queries that rules are counted at
_PRIOR = 5.0  # firings without a hit that are added to each rule's


class ConstantState(NamedTuple):
    """How often rules fired and hit. A body is a relation and a partner; a rule is a body and an answer."""

    body: Table
    """From relation and partner to body."""
    fires: Ints
    """Per body: its firings, and the time step at which it had enough answers, or -1."""
    answers: Lists
    """Per body: the answers and their hits."""


@kernel
def _extract(state: ConstantState, n_entities: int, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    state, context, out = borrowed(state), borrowed(context), borrowed(out)
    row = np.full(n_entities, -1, np.int32)
    out[:] = 0.0
    for q in range(len(context.subject)):
        for p in range(context.start[q], context.start[q + 1]):
            row[context.candidate[p]] = p
        for i in range(_N_PARTNERS):
            d = context.partner[q, i]
            body = number_of(state.body, joint_key(context.relation[q], d)) if d >= 0 else -1
            for at in indexes_of(state.answers, body):
                p = row[state.answers.record[at, 0]]
                if p >= 0:
                    rate = state.answers.record[at, 1] / (state.fires[body, 0] + _PRIOR)
                    out[p, 0] = max(out[p, 0], rate)
                    out[p, 1] += rate
        for p in range(context.start[q], context.start[q + 1]):
            row[context.candidate[p]] = -1


@kernel
def _learn(memory: EventMemory, state: ConstantState, events: StepEvents, first: int, times: int) -> int:
    """Count firings and hits from an event on until there is no room; return the index of the next event."""
    memory, state, events = borrowed(memory), borrowed(state), borrowed(events)
    partners, members, subject = new_partners(_N_PARTNERS, 1), new_members(len(memory.entity_key)), -1
    for i in range(first, len(events.source)):
        s, r, c = events.source[i], events.relation[i], events.target[i]
        if events.draw[i] >= _MAX_DRAW:
            continue
        if not has_room(state.body, _N_PARTNERS) or n_keys(state.body) + _N_PARTNERS > len(state.fires):
            return i
        if not can_extend(state.answers, _N_PARTNERS):
            return i
        if s != subject:
            subject = s
            collect_partners(memory, s, events.now, members)
            strongest(memory.decay, memory.entity_key, members, memory.pairs, memory.entities, s, events.now, partners)
        for d in partners.entity:
            if d >= 0:
                body = add_key(state.body, joint_key(r, d))
                state.fires[body, 0] += times * events.new_query[i]
                _count_hit(state, body, c, events.now, times)
    return len(events.source)


@helper
def _count_hit(state: ConstantState, body: int, answer: int, now: int, times: int) -> None:
    """Count a hit of a rule. A body with enough answers takes in no more from the next time step on."""
    record = state.answers.record
    for at in indexes_of(state.answers, body):
        if record[at, 0] == answer:
            record[at, 1] += times
            return
    if size_of(state.answers, body) < _MAX_ANSWERS or state.fires[body, 1] == now:
        append(state.answers, body, answer, times)
        if size_of(state.answers, body) == _MAX_ANSWERS:
            state.fires[body, 1] = now


class ConstantRules(CountingFamily):
    """Rules r(X, c, T2) <- X has partner d."""

    claim = "the partners of {subject} suggest {candidate}"
    learning_cost = 2
    columns = ("largest", "sum")

    def __init__(self) -> None:
        self.state = ConstantState(new_table(), np.zeros((0, 2), np.int64), new_lists(0, 2))

    def _count(self, memory: EventMemory, events: StepEvents, first: int, times: int) -> int:
        return int(_learn(memory, self.state, events, first, times))

    def _make_room(self, memory: EventMemory) -> None:  # noqa: ARG002
        body, fires, answers = self.state
        n = int(n_keys(body))
        if not has_room(body, _N_PARTNERS):
            body = larger_table(body)
        if n + _N_PARTNERS > len(fires):
            fires = np.concatenate([fires, np.tile(np.array([0, -1]), (n + _N_PARTNERS, 1))])
            answers = with_more_lists(answers, len(fires))
        if not can_extend(answers, _N_PARTNERS):
            answers = with_more_records(answers, _N_PARTNERS)
        self.state = ConstantState(body, fires, answers)

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate."""
        _extract(self.state, len(memory.entity_key), context, out)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        rates = {}
        for d in case.partners(_N_PARTNERS).entity.tolist():
            body = number_of(self.state.body, joint_key(case.head, d)) if d >= 0 else -1
            answers = self.state.answers
            first, size = first_of(answers, max(body, 0)), size_of(answers, body)
            for answer, hits in answers.record[first : first + size].tolist():
                if answer == case.entity and hits:
                    rates[d] = hits / (int(self.state.fires[body, 0]) + _PRIOR)
        if not rates:
            return Statement(f"no close partner of {case.subject} points to {case.candidate}", has_evidence=False)
        best = max(rates, key=lambda d: rates[d])
        partner = case.graph.entities.name_of(best)
        return Statement(
            f"{partner} is a close partner of {case.subject}; for entities with this partner, {case.candidate} was the "
            f"{case.role} of {percent(rates[best])} of {case.relation} events",
            (*case.edges(case.query.subject, None, best)[:1], *case.answers()),
        )
