"""Subjects like that of a query: those that had the same objects under its relation."""

from tlogic.compilation import helper
from tlogic.evidence.event_memory import EventMemory, slot_of
from tlogic.evidence.partners import Members, Partners, collect_targets, new_partners, strongest

_N_TARGETS = 6  # objects of the subject, and subjects of each, over which similar subjects are found
N_SIMILAR = _N_TARGETS * _N_TARGETS
"""Similar subjects per query, with repetitions."""


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
    """Write other subjects of the relation with the subject's strongest targets, and the weight of the path to each."""
    others = new_partners(_N_TARGETS, 1)
    for i in range(_N_TARGETS):
        target = targets.entity[i]
        if target >= 0:
            fill_targets(memory, target, inverse, slot_of(memory.slot, target, inverse), now, members, others)
        for k in range(_N_TARGETS):
            similar.entity[i * _N_TARGETS + k] = others.entity[k] if target >= 0 else -1
            similar.share[i * _N_TARGETS + k, 0] = others.share[k, 0] * targets.share[i, 0] if target >= 0 else 0.0
