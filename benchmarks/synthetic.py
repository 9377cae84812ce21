"""Worlds of any size with the shape of real ones: heavy-tailed degrees, bursts that recur, few relations that do most.

    python -m benchmarks.synthetic FACTS FILE     write a world as text
    python -m benchmarks.synthetic                compare the shape of worlds with that of ICEWS

Facts copy from earlier ones. A share of them repeats an earlier fact, whose distance is log-uniform: most repeats come
soon, and some late. Others repeat a pair with another relation, or answer it. The rest is between entities that are
drawn from earlier facts, so that who did much does more, and sometimes an entity is new: there are about as many as
the number of facts to the power of 0.45. Shares and powers were fitted to ICEWS14, ICEWS18 and ICEWS05-15.
"""

import os
from pathlib import Path

import numpy as np
from numba import njit

from tlogic.graph import Facts
from tlogic.graph.hashing import scramble

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
REAL = ("icews14", "icews18", "icews0515")
SIZES = (100_000, 1_000_000)
FACTS_PER_STEP = 1540
N_RELATIONS = 256
REPEAT, SAME_PAIR, ANSWER = 0.45, 0.25, 0.50
NEW_ENTITIES, POWER = 60.0, 0.45
_FIRST_RELATIONS, _SKEW = 4.0, 1.8


def generate(n_facts: int, seed: int = 1) -> Facts:
    """About so many facts (a few come twice), in order of time."""
    share = (np.arange(N_RELATIONS) + _FIRST_RELATIONS) ** -_SKEW
    return Facts(*_generate(n_facts, FACTS_PER_STEP, np.cumsum(share / share.sum()), seed))


@njit(cache=True)
def _generate(n: int, per_step: int, relation_until: np.ndarray, seed: int) -> tuple[np.ndarray, ...]:
    subject, relation, object_, time = np.empty((4, n), np.int32)
    n_entities, counter = 0, np.array([seed << 40], np.int64)
    for i in range(n):
        time[i] = i // per_step
        past = time[i] * per_step  # what happens in one step does not know of each other
        chosen = _draw(counter) if past else 1.0
        j = past - 1 - int(per_step * ((past / per_step + 1.0) ** _draw(counter) - 1.0)) if past else 0
        if chosen >= REPEAT + SAME_PAIR:
            wanted = NEW_ENTITIES * (i + 1) ** POWER
            ends = np.empty(2, np.int64)
            for k in range(2):
                if n_entities < wanted and (_draw(counter) < 0.4 or i == 0):
                    ends[k] = n_entities
                    n_entities += 1
                else:
                    source = int(_draw(counter) * max(i, 1))
                    ends[k] = subject[source] if _draw(counter) < 0.5 else object_[source]
            subject[i], object_[i] = ends
        elif chosen >= REPEAT and _draw(counter) < ANSWER:
            subject[i], object_[i] = object_[j], subject[j]
        else:
            subject[i], object_[i] = subject[j], object_[j]
        relation[i] = relation[j] if chosen < REPEAT else np.searchsorted(relation_until, _draw(counter))
    return subject, relation, object_, time


@njit(cache=True)
def _draw(counter: np.ndarray) -> float:
    counter[0] += 1
    return (scramble(np.uint64(counter[0])) >> np.uint64(11)) * 2.0**-53
