"""How many answers a query had before: what its slot, all events of its subject and relation, says about the next ones.

Only the last events of the subject are searched, so that the cost for entities with very many events is bounded.
"""

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.event_memory import EventMemory, end_of_edges, events_at
from tlogic.evidence.groups import FOREVER, count_at, moment_before, time_of
from tlogic.evidence.lists import Lists, first_of
from tlogic.graph.arrays import Floats, Ints, borrowed

HISTORY_COLUMNS = (
    "never before",
    "log answers last time",
    "log events",
    "log age",
    "log mean answers",
    "log occurrences",
)
"""Of the query with any answer: whether it never occurred, its answers when it last did, its events with later ones
weighted more, the time steps since, its mean number of answers with later occurrences weighted more and one occurrence
with one answer added, so that few occurrences say little, and the occurrences in that mean. No column grows with the
length of the data, so that what earlier queries taught holds for later ones."""
MEAN_ANSWERS = HISTORY_COLUMNS.index("log mean answers")
_LONGEST_HALF_LIFE = FOREVER - 1  # of those that are finite
_MAX_OCCURRENCES = 30  # time steps with events of the slot that are averaged
_EARLIER_WEIGHT = 0.85  # of an occurrence, relative to the one after it


def answer_histories(memory: EventMemory, now: int, subject: Ints, relation: Ints, slot: Ints) -> Floats:
    """One row per query of a time step, from the events before it."""
    out = np.zeros((len(subject), len(HISTORY_COLUMNS)))
    _fill(memory, now, subject, relation, slot, out)
    return out


@kernel
def _fill(memory: EventMemory, now: int, subject: Ints, relation: Ints, slot: Ints, out: Floats) -> None:
    memory = borrowed(memory)
    edges, slots, max_events = memory.edges, memory.slots, memory.max_events[0]
    for q in range(len(subject)):
        moment = moment_before(slots, slot[q], now)
        if moment < 0:
            out[q, 0] = 1.0
            continue
        n_last = events_at(slots, slot[q], moment)
        mean, n_occurrences = _mean_answers(edges, max_events, subject[q], relation[q], now)
        out[q, 1] = np.log(n_last)
        out[q, 2] = np.log1p(count_at(memory.decay, slots, slot[q], moment, _LONGEST_HALF_LIFE, now))
        out[q, 3] = np.log1p(now - time_of(slots, slot[q], moment))
        out[q, 4] = np.log(mean if n_occurrences else n_last)
        out[q, 5] = np.log1p(n_occurrences)


@helper
def _mean_answers(edges: Lists, max_events: int, entity: int, relation: int, now: int) -> tuple[float, int]:
    """The weighted mean number of answers over the last occurrences and one with one answer, and their number."""
    record, end = edges.record, end_of_edges(edges, entity, now)
    total, weights, weight = 0.0, 0.0, 1.0
    n, last = 0, -1
    for i in range(end - 1, max(first_of(edges, entity), end - max_events) - 1, -1):
        if record[i, 0] != relation:
            continue
        if record[i, 2] != last:
            if n == _MAX_OCCURRENCES:
                break
            weight = weight * _EARLIER_WEIGHT if n else 1.0
            weights += weight
            n, last = n + 1, record[i, 2]
        total += weight
    return (total + 1.0) / (weights + 1.0), n
