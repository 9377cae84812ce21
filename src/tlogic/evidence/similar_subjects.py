"""Subjects like that of a query: those that had the same objects under its relation."""

from tlogic.compilation import helper
from tlogic.evidence.event_memory import EventMemory, slot_of
from tlogic.evidence.partners import Members, Partners, collect_targets, new_partners, strongest

_N_TARGETS = 6  # objects of the subject, and subjects of each, over which similar subjects are found
N_SIMILAR = _N_TARGETS * _N_TARGETS
"""Similar subjects per query at most, with the subject itself."""


@helper
def fill_targets(
    memory: EventMemory, entity: int, relation: int, slot: int, now: int, members: Members, targets: Partners
) -> None:
    """Write the strongest targets of an entity under a relation, with their recent shares."""
    collect_targets(memory, entity, relation, slot, now, members)
    strongest(memory.decay, memory.entity_key, members, memory.triples, memory.slots, slot, now, targets)


@helper
def fill_similar(
    memory: EventMemory, targets: Partners, inverse: int, now: int, members: Members, similar: Partners
) -> None:
    """Write the subjects of the relation with the subject's strongest targets, and the weight of all paths to each."""
    others, n = new_partners(_N_TARGETS, 1), 0
    for i in range(_N_TARGETS):
        target = targets.entity[i]
        if target < 0:
            break
        fill_targets(memory, target, inverse, slot_of(memory.slot, target, inverse), now, members, others)
        for k in range(_N_TARGETS):
            if others.entity[k] >= 0:
                n = _add_path(similar, n, others.entity[k], others.share[k, 0] * targets.share[i, 0])
    for i in range(n, N_SIMILAR):
        similar.entity[i], similar.share[i, 0] = -1, 0.0


@helper
def _add_path(similar: Partners, n: int, subject: int, weight: float) -> int:
    """Add the weight of a path to a subject, which may be new; return the number of subjects."""
    for i in range(n):
        if similar.entity[i] == subject:
            similar.share[i, 0] += weight
            return n
    similar.entity[n], similar.share[n, 0] = subject, weight
    return n + 1
