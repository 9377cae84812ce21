"""Evidence for the occurrence of an event: what is known before a time step about a triple that nobody asked for.

One row per triple (subject, relation, object). Most columns are decayed counts of the groups of events that the triple
belongs to: its own, those of the pair, of the subject's and the object's slot, of both entities, of the relation.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.event_memory import (
    BACK_SLOT,
    FIRST_TIME,
    SLOT,
    EventMemory,
    pair_of,
    slot_of,
    triple_of,
)
from tlogic.evidence.families.one_step_rules import OneStepRules, rate_by_age
from tlogic.evidence.groups import (
    FOREVER,
    MEMBER,
    RECENT,
    Groups,
    count_at,
    last_before,
    moment_before,
    n_events,
    time_of,
)
from tlogic.evidence.lists import Lists, indexes_of
from tlogic.evidence.memory import Memory
from tlogic.evidence.rates import Tally, log_as_float, log_of_none, new_tally
from tlogic.evidence.tables import joint_parts, keys_of, n_keys
from tlogic.evidence.triples import Triples
from tlogic.graph.arrays import Floats, Ints, borrowed

KNOWN_TRIPLE, KNOWN_PAIR, NEW_PAIR = range(3)
"""How new a triple is: it has occurred before; only other events of its pair have; none has."""
NOVELTIES = ("known triple", "known pair", "new pair")

# Plain counts grow with the data: later ones are larger than any that a model was fitted to. Only the triple's own
# events are counted so.
_COUNTS = tuple(f"events {h}" for h in range(FOREVER))
_SOME_COUNTS = _COUNTS[: RECENT + 1]
_COLUMNS: dict[str, tuple[str, ...]] = {
    "history": ("age", *_COUNTS, "events in all", "age by mean gap", "events per time step"),
    "pair": ("age", *_COUNTS),
    "subject": ("age", *_COUNTS),
    "object": ("age", *_COUNTS),
    "activity": tuple(f"{name} of {end}" for end in ("subject", "object") for name in ("age", *_SOME_COUNTS)),
    "relation": (f"events {RECENT}",),
    "rules": ("largest", "sum"),
    "calendar": ("phase",),
}
COLUMNS = tuple((family, name) for family, names in _COLUMNS.items() for name in names)
"""The family and the name of each column."""
RULES_FAMILY = "rules"
"""The family of evidence whose rules are used, if the memory has it."""

_HISTORY, _PAIR, _SUBJECT, _OBJECT, _ACTIVITY, _RELATION, _RULES, _PHASE = (
    next(i for i, (family, _) in enumerate(COLUMNS) if family == name) for name in _COLUMNS
)
_AFTER_COUNTS = 1 + FOREVER


class OccurrenceEvidence(NamedTuple):
    """The evidence for the occurrence of triples."""

    values: Floats
    """One row per triple, one column per kind of evidence; nan where there is none."""
    novelty: Ints
    """Per triple: how new it is."""


def occurrence_evidence(memory: Memory, now: int, phase: int | None, triples: Triples) -> OccurrenceEvidence:
    """The evidence for triples at a time step, not before the newest one of the memory.

    Args:
        memory: The facts before the time step, and perhaps some of it.
        now: The time step.
        phase: Its position in the calendar, such as the day of the week.
        triples: The triples.
    """
    values = np.empty((len(triples.subject), len(COLUMNS)), np.float32)
    novelty = np.empty(len(triples.subject), np.int8)
    rules = memory.families.get(RULES_FAMILY)
    tally = new_tally(OneStepRules.n_buckets) if rules is None else rules.state
    extract_kernel(memory.events, tally, triples, now, np.nan if phase is None else float(phase), values, novelty)
    return OccurrenceEvidence(values, novelty)


def known_triples(memory: Memory, now: int) -> Triples:
    """All triples that occurred before a time step."""
    events = memory.events
    own = events.triples[: int(n_keys(events.triple))]
    own = own[own[:, FIRST_TIME] < now]
    slot = keys_of(events.slot)
    subject, relation = joint_parts(slot[own[:, SLOT]])
    return Triples.of(subject, relation >> 1, joint_parts(slot[own[:, BACK_SLOT]])[0])


@kernel
def extract_kernel(
    memory: EventMemory, tally: Tally, triples: Triples, now: int, phase: float, out: Floats, novelty: Ints
) -> None:
    """Fill one row per triple, and its novelty."""
    memory, tally, triples, out = borrowed(memory), borrowed(tally), borrowed(triples), borrowed(out)
    decay = memory.decay
    for i in range(len(triples.subject)):
        s, r, o = triples.subject[i], triples.relation[i], triples.object[i]
        slot, back_slot = slot_of(memory.slot, s, 2 * r), slot_of(memory.slot, o, 2 * r + 1)
        pair, triple = pair_of(memory.pair, s, o), triple_of(memory.triple, slot, back_slot, 2 * r, s, o)
        row = out[i]
        row[:] = np.nan
        is_known = _fill_history(decay, memory.triples, triple, now, row[_HISTORY:])
        is_pair = _fill_counts(decay, memory.pairs, pair, FOREVER, now, row[_PAIR:])
        novelty[i] = KNOWN_TRIPLE if is_known else KNOWN_PAIR if is_pair else NEW_PAIR
        _fill_counts(decay, memory.slots, slot, FOREVER, now, row[_SUBJECT:])
        _fill_counts(decay, memory.slots, back_slot, FOREVER, now, row[_OBJECT:])
        _fill_counts(decay, memory.entities, s, RECENT + 1, now, row[_ACTIVITY:])
        _fill_counts(decay, memory.entities, o, RECENT + 1, now, row[_ACTIVITY + RECENT + 2 :])
        moment = moment_before(memory.relations, r, now)
        if moment >= 0:
            row[_RELATION] = count_at(decay, memory.relations, r, moment, RECENT, now)
        if pair >= 0 and len(tally.totals) > 2 * r:
            _fill_rules(memory.triples_of_pair, memory.triples, tally, (s, 2 * r, o), pair, now, row[_RULES:])
        row[_PHASE] = phase


@helper
def _fill_counts(decay: Floats, groups: Groups, group: int, n: int, now: int, out: Floats) -> bool:
    """Fill the age of a group's last event and some decayed counts; False if there is no event."""
    moment = moment_before(groups, group, now)
    if moment < 0:
        return False
    out[0] = now - time_of(groups, group, moment)
    for h in range(n):
        out[1 + h] = count_at(decay, groups, group, moment, h, now)
    return True


@helper
def _fill_history(decay: Floats, triples: Groups, triple: int, now: int, out: Floats) -> bool:
    """Fill what is known of the triple's own events; False if there is none."""
    if not _fill_counts(decay, triples, triple, FOREVER, now, out):
        return False
    moment, first = moment_before(triples, triple, now), triples[triple, FIRST_TIME]
    n, last = n_events(triples, triple, moment), time_of(triples, triple, moment)
    out[_AFTER_COUNTS] = n
    if n > 1:
        out[_AFTER_COUNTS + 1] = (now - last) * (n - 1) / (last - first)
    out[_AFTER_COUNTS + 2] = n / (now - first)
    return True


@helper
def _fill_rules(
    of_pair: Lists, triples: Groups, tally: Tally, edge: tuple[int, int, int], pair: int, now: int, out: Floats
) -> None:
    """Fill the rates of the rules that lead from other events of the pair to the triple."""
    s, head, o = edge
    largest, total = 0.0, 0
    for i in indexes_of(of_pair, pair):
        last = last_before(of_pair.record, i, triples, now)
        for k in range(1 + (s == o)):  # a loop is an event in both directions
            body = of_pair.record[i, MEMBER] ^ (k if s == o else s > o)
            if last >= 0 and body != head:
                rate = rate_by_age(tally, head, body, now - last)
                largest = max(largest, rate)
                total += log_of_none(rate)
    if total:
        out[0], out[1] = largest, log_as_float(total)
