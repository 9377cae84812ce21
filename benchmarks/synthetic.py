"""Synthetic event data of any size with the shape of ICEWS: heavy-tailed degrees, recurring bursts, skewed relations.

    python -m benchmarks.synthetic FACTS FILE     write synthetic facts as text
    python -m benchmarks.synthetic                compare the shape of synthetic facts with that of ICEWS

Facts copy from earlier ones. A share of them repeats an earlier fact at a log-uniform distance in time: most repeats
come soon, some late. Others repeat a pair of entities with another relation, or reverse it. The rest connects entities
that are drawn from earlier facts (preferential attachment), entities that recently shared a partner, or new entities.
The number of entities grows with the number of facts to the power of 0.45. Shares and powers are fitted to ICEWS14,
ICEWS18 and ICEWS05-15.
"""

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
from numba import njit
from rich.console import Console
from rich.table import Table

import tlogic
from tlogic.graph import Facts
from tlogic.graph.hashing import splitmix64

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
REAL = ("icews14", "icews18", "icews0515")
SIZES = (100_000, 468_558, 1_000_000)
FACTS_PER_STEP = 1540
N_RELATIONS = 256
REPEAT, SAME_PAIR, REVERSED, SHARED_PARTNER = 0.46, 0.24, 0.50, 0.5
NEW_ENTITIES, POWER = 60.0, 0.45
_FIRST_RELATIONS, _SKEW = 4.0, 1.8


def generate(n_facts: int, seed: int = 1, per_step: int = FACTS_PER_STEP) -> Facts:
    """Generate facts, sorted by time, so many per time step; a few are duplicates."""
    share = (np.arange(N_RELATIONS) + _FIRST_RELATIONS) ** -_SKEW
    return Facts(*_generate(n_facts, per_step, np.cumsum(share / share.sum()), seed))


@njit(cache=True)
def _generate(n: int, per_step: int, relation_until: np.ndarray, seed: int) -> tuple[np.ndarray, ...]:
    subject, relation, object_, time = np.empty((4, n), np.int32)
    partner = np.zeros(int(2 * NEW_ENTITIES * n**POWER) + 2, np.int32)  # the last partner of each entity
    n_entities, counter = 0, np.array([seed << 40], np.int64)
    for i in range(n):
        time[i] = i // per_step
        past = time[i] * per_step  # facts of the same step are independent
        chosen = _draw(counter) if past else 1.0
        j = past - 1 - int(per_step * ((past / per_step + 1.0) ** _draw(counter) - 1.0)) if past else 0
        if chosen >= REPEAT + SAME_PAIR:
            wanted = NEW_ENTITIES * (i + 1) ** POWER
            ends = np.empty(2, np.int64)
            for k in range(2):
                if n_entities < wanted and (_draw(counter) < 0.46 or i == 0):
                    ends[k] = n_entities
                    n_entities += 1
                else:
                    source = int(_draw(counter) * max(i, 1))
                    ends[k] = subject[source] if _draw(counter) < 0.5 else object_[source]
            if _draw(counter) < SHARED_PARTNER:
                candidate = partner[partner[ends[0]]]
                ends[1] = candidate if candidate not in (ends[0], 0) else ends[1]
            subject[i], object_[i] = ends
        elif chosen >= REPEAT and _draw(counter) < REVERSED:
            subject[i], object_[i] = object_[j], subject[j]
        else:
            subject[i], object_[i] = subject[j], object_[j]
        partner[subject[i]], partner[object_[i]] = object_[i], subject[i]
        relation[i] = relation[j] if chosen < REPEAT else np.searchsorted(relation_until, _draw(counter))
    return subject, relation, object_, time


@njit(cache=True)
def _draw(counter: np.ndarray) -> float:
    counter[0] += 1
    return (splitmix64(np.uint64(counter[0])) >> np.uint64(11)) * 2.0**-53


def write(facts: Facts, path: Path) -> None:
    """Write facts as text, a million at a time."""
    n_entities, n_steps = int(max(facts.subject.max(), facts.object.max())) + 1, int(facts.time.max()) + 1
    entity = pl.Series([f"Entity {number} (Country {number % 97})" for number in range(n_entities)])
    relation = pl.Series([f"Do thing {number}" for number in range(N_RELATIONS)])
    day = pl.Series(np.datetime_as_string(np.datetime64("1990-01-01") + np.arange(n_steps)))
    names = (entity, relation, entity, day)
    with path.open("wb") as file:
        for first in range(0, len(facts.time), 1_000_000):
            part = (column[first : first + 1_000_000] for column in facts)
            cells = [
                name.gather(column).alias(str(i)) for i, (name, column) in enumerate(zip(names, part, strict=True))
            ]
            pl.DataFrame(cells).write_csv(file, include_header=False, separator="\t")


def shape_of(facts: Facts) -> dict[str, str]:
    """A few statistics that describe the shape of the data."""
    s, r, o, t = (column.astype(np.int64) for column in facts)
    _, first_of_triple, triple = np.unique((s << 42) | (o << 21) | r, return_index=True, return_inverse=True)
    _, first_of_pair = np.unique((s << 21) | o, return_index=True)
    late = np.arange(len(t)) >= 0.8 * len(t)
    order = np.lexsort((t, triple))
    again = triple[order][1:] == triple[order][:-1]
    gaps = np.diff(t[order])[again]
    degree = np.sort(np.bincount(np.concatenate([s, o])))[::-1]
    degree = degree[degree > 0]
    relations = np.sort(np.bincount(r))[::-1]
    return {
        "facts": f"{len(t):,}",
        "entities": f"{len(degree):,}",
        "triples per fact": f"{len(first_of_triple) / len(t):.2f}",
        "pairs per fact": f"{len(first_of_pair) / len(t):.2f}",
        "late triples seen before": f"{1 - np.isin(np.flatnonzero(late), first_of_triple).mean():.2f}",
        "late pairs seen before": f"{1 - np.isin(np.flatnonzero(late), first_of_pair).mean():.2f}",
        "steps until a repeat (25%, 50%, 75%)": " ".join(f"{gap:.0f}" for gap in np.percentile(gaps, [25, 50, 75])),
        "share of the busiest entity": f"{degree[0] / degree.sum():.3f}",
        "share of the busiest 1%": f"{degree[: len(degree) // 100].sum() / degree.sum():.2f}",
        "share of the busiest 10%": f"{degree[: len(degree) // 10].sum() / degree.sum():.2f}",
        "share of the most frequent relation": f"{relations[0] / len(t):.2f}",
        "share of the ten most frequent relations": f"{relations[:10].sum() / len(t):.2f}",
    }


def compare() -> None:
    datasets = {name: tlogic.read(DATA / name).facts for name in REAL if (DATA / name).is_dir()}
    datasets |= {f"{n_facts:,}": generate(n_facts) for n_facts in SIZES}
    shapes = {name: shape_of(facts) for name, facts in datasets.items()}
    table = Table("", *shapes, title="The shape of real and synthetic event data")
    for figure in next(iter(shapes.values())):
        table.add_row(figure, *(shape[figure] for shape in shapes.values()))
    Console(width=140).print(table)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(generate(int(float(sys.argv[1]))), Path(sys.argv[2]))
    else:
        compare()
