"""The report says what was read, and warns of what looks odd."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tlogic
from tlogic.events import read_events


def warnings(steps: list[int], relations: int = 5, step: int | None = 1) -> str:
    """What is said about facts at the given steps."""
    facts = (
        pl.DataFrame({"time": steps})
        .with_row_index()
        .with_columns(
            subject="a" + pl.col("index").cast(pl.String),
            relation="r" + (pl.col("index") % relations).cast(pl.String),
            object=pl.lit("b"),
        )
    )
    return "\n".join(read_events(facts, step=step).report.warnings)


EVEN = [step for step in range(100) for _ in range(20)]


def test_ordinary_facts_raise_no_warning() -> None:
    assert not warnings(EVEN)


@pytest.mark.parametrize(
    ("steps", "relations", "message"),
    [
        (EVEN[:999], 5, "There are few facts to learn rules from: 999."),
        (EVEN, 1, "The relation 'r0' holds 100% of the facts."),
        ([*EVEN, *range(115, 130)], 5, "There are no facts between 99 and 115."),
        ([*EVEN, *range(130, 200)] + [300] * 50, 5, "between 99 and 130 and between 199 and 300."),
        ([*EVEN, *range(100, 115)], 5, "After 102, in the last tenth of time, there are few facts: 12."),
        ([*EVEN, 10_000], 5, "With steps of 1 there are more steps (10,001) than facts"),
    ],
)
def test_odd_facts_are_warned_of(steps: list[int], relations: int, message: str) -> None:
    assert message in warnings(steps, relations)


PERIODS = EVEN[:1980] + [99] * 10


@pytest.mark.parametrize(
    ("periods", "found"),
    [
        ({"test_from": 99}, ["The test period holds few facts: 10 of 1,990."]),
        ({"valid_from": 99}, ["The validation period holds few facts: 10 of 1,990."]),
        ({"valid_from": 98, "test_from": 99}, ["The test period holds few facts: 10 of 1,990."]),
        ({"valid_from": 90, "test_from": 95}, []),
    ],
)
def test_a_period_with_hardly_a_fact_is_warned_of(periods: dict[str, Any], found: list[str]) -> None:
    relations = [f"r{row % 5}" for row in range(len(PERIODS))]
    subjects = [f"a{row}" for row in range(len(PERIODS))]
    facts = pl.DataFrame({"subject": subjects, "relation": relations, "object": "b", "time": PERIODS})
    assert list(read_events(facts, step=1, **periods).report.warnings) == found


def test_the_facts_of_each_period_are_told() -> None:
    split = "1 fact for training, 0 for validation, 1 for test"
    assert split in str(tlogic.read(CALLS, test_from=2015).report)
    assert split.replace("1 fact ", "2 facts ") in str(read_events(CALLS, test_from=2015).report)
    assert "for training" not in str(tlogic.read(CALLS).report)


def test_repeated_facts_are_few(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("a,r,b,1\na,q,b,2\n" * 20_000)
    assert "There are few facts to learn rules from: 2." in read_events(tmp_path / "facts.csv").report.warnings


def test_a_relation_below_nine_tenths_is_fine() -> None:
    assert not warnings(EVEN, relations=2)


def test_the_report_reads_as_text(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text("who,Predicate,Tail,Date\na,r,b,2014-08-09\na,r,b,soon\na,q,b,2014-08-12\n")
    report = read_events(path, columns={"subject": "who"}, skip_bad_rows=True).report
    assert str(report).splitlines() == [
        "2 facts from 2014-08-09 to 2014-08-12, in steps of 1 day (found from the data)",
        f"{path}: 2 facts, CSV, columns who, Predicate, Tail, Date",
        "1 bad row skipped, for example:",
        f"  {path} line 3: the time 'soon' is not understood",
        "Warning: There are few facts to learn rules from: 2.",
    ]
    assert "in steps of 1 week (as given)" in str(
        read_events(path, columns=[0, 1, 2, "Date"], step="1w", skip_bad_rows=True).report
    )


CALLS = pl.DataFrame(
    {"subject": ["a", "b", "a"], "relation": "calls", "object": ["b", "c", "b"], "date": ["2014", "2015", "2014"]}
)


def test_a_graph_reports_what_it_was_made_of() -> None:
    graph = tlogic.read(CALLS, test_from="2015")
    report = graph.report
    assert report is not None
    assert (report.facts, report.duplicates, report.entities, report.relations) == (3, 1, 3, 1)
    assert list(report.lines()) == [
        "2 facts from 2014 to 2015, in steps of 1 year (found from the data)",
        "3 entities, 1 relation; 1 duplicate dropped",
        "1 fact for training, 0 for validation, 1 for test",
        "data frame: 3 facts, in memory, columns subject, relation, object, date",
        "Warning: There are few facts to learn rules from: 2.",
        "Warning: The relation 'calls' holds 100% of the facts.",
    ]
    assert list(report.lines(quiet=True)) == list(report.lines())[-2:]
    assert graph.train.report is graph.before(1).report is report


def test_the_report_is_no_part_of_what_a_graph_is() -> None:
    graph, again = tlogic.read(CALLS), tlogic.read(CALLS.unique(maintain_order=True))
    assert graph.report != again.report
    assert graph.fingerprint == again.fingerprint
    assert repr(graph) == repr(again)


def test_more_steps_than_can_be_counted(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text("a,r,b,1419984000123\nb,r,a,1519984000124\na,r,b,1519984000125\n")
    with pytest.raises(tlogic.InputError, match=r"at most 2,147,483,647 are supported. Give a longer step \(step="):
        tlogic.read(path)
    assert len(tlogic.read(path, step=1000)) == 3
