"""The benchmark datasets are read as their README describes them."""

from typing import NamedTuple

import polars as pl
import pytest

from tests.datasets import Datasets
from tlogic.events import EventTable, Timeline, read_events


def sizes(table: EventTable) -> list[int]:
    steps = table.frame["step"]
    assert table.valid_from is not None
    assert table.test_from is not None
    valid = steps.is_between(table.valid_from, table.test_from, closed="left").sum()
    return [int((steps < table.valid_from).sum()), int(valid), int((steps >= table.test_from).sum())]


class Dataset(NamedTuple):
    """What should be found; entities are those that occur in facts, yago and wiki name a few more."""

    facts: list[int]
    entities: int
    relations: int
    steps: int
    timeline: Timeline


DATASETS = {
    "icews14": Dataset([63_685, 13_823, 13_222], 7128, 230, 365, Timeline("day", 1, "2014-01-01")),
    "icews0515": Dataset([322_958, 69_224, 69_147], 10_488, 251, 4017, Timeline("day", 1, "2005-01-01")),
    "yago": Dataset([161_540, 19_523, 20_026], 10_585, 10, 189, Timeline("integer", 1, "0")),
    "wiki": Dataset([539_286, 67_538, 63_110], 12_435, 24, 232, Timeline("integer", 1, "0")),
}


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_is_read_whole(dataset: Datasets, name: str) -> None:
    table, expected = read_events(dataset(name)), DATASETS[name]
    assert sizes(table) == [file.facts for file in table.report.files] == expected.facts
    assert table.timeline == expected.timeline
    entities = pl.concat([table.frame["subject"], table.frame["object"]])
    assert entities.n_unique() == expected.entities
    assert table.frame["relation"].n_unique() == expected.relations
    assert table.frame["step"].n_unique() == expected.steps
    assert table.frame["step"].max() == expected.steps - 1
    assert table.report.bad_rows == 0
    assert table.report.warnings == ()


@pytest.mark.parametrize(
    ("name", "valid_from", "test_from", "facts"),
    [
        ("icews14", "2014-11-01", "2014-12-01", [74_845, 8514, 7371]),
        ("icews0515", "2013-11-18", "2014-12-27", [368_868, 46_302, 46_159]),
    ],
)
def test_a_dataset_is_split_at_other_dates(
    dataset: Datasets, name: str, valid_from: str, test_from: str, facts: list[int]
) -> None:
    table = read_events(dataset(name), valid_from=valid_from, test_from=test_from)
    assert sizes(table) == facts
    assert table.timeline.label_of(table.test_from or 0) == test_from


def test_ids_are_named(dataset: Datasets) -> None:
    table = read_events(dataset("yago"))
    assert table.frame.row(0) == ("<Szymon_Bogumił_Zug>", "<created>", "<Lelewel_Palace>", 0)
