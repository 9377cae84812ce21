"""Generated datasets in the format of TGB 2.0."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import tlogic

YEARLY, DAILY = ("tkgl-smallpedia", "tkgl-wikidata"), ("tkgl-icews", "tkgl-polecat")
"""Datasets of TGB by their format: yearly with names, daily with integer ids."""

_HOUR, _DAY = 3600, 86_400
_FIRST_DAY = 17_600  # 2018-03-10, one day before summer time begins in Montreal


def write_dataset(folder: Path, name: str, days: int = 60) -> Path:
    """Write the sample world as a dataset of TGB, its rows in random order; returns its edge list."""
    facts = tlogic.sample(days=days).facts
    order = np.random.default_rng(1).permutation(len(facts.time))
    subject, relation, object_, time = (column[order].astype(np.int64) for column in facts)
    yearly = name in YEARLY
    cells = pl.DataFrame(
        {
            "ts" if yearly else "date": time + 1950 if yearly else midnights(time),
            "head": _ids(subject, lambda number: f"Q{number * 7}" if yearly else str(900 - number)),
            "tail": _ids(object_, lambda number: f"Q{number * 7}" if yearly else str(900 - number)),
            "relation_type": _ids(relation, lambda number: f"P{number}" if yearly else str(number)),
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}_edgelist.csv"
    cells.write_csv(path)
    return path


def midnights(day: np.ndarray) -> np.ndarray:
    """Seconds since 1970 of midnights in a time zone five hours west of UTC, four hours in summer."""
    return (_FIRST_DAY + day) * _DAY + np.where(day > 1, 4, 5) * _HOUR


def _ids(numbers: np.ndarray, name: Callable[[int], str]) -> list[str]:
    return [name(number) for number in numbers.tolist()]
