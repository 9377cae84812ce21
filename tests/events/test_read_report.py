"""The report says what was read, and warns of what looks odd."""

from pathlib import Path

import polars as pl
import pytest

from tlogic.events import read_events


def warnings(steps: list[int], relations: int = 5, step: int | None = 1) -> str:
    """What is said about facts at the given steps."""
    facts = (
        pl.DataFrame({"time": steps})
        .with_row_index()
        .with_columns(
            subject=pl.lit("a"),
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


def test_a_relation_below_nine_tenths_is_fine() -> None:
    assert not warnings(EVEN, relations=2)


def test_the_report_reads_as_text(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text("who,Predicate,Tail,Date\na,r,b,2014-08-09\na,r,b,soon\na,q,b,2014-08-12\n")
    report = read_events(path, columns={"subject": "who"}, skip_bad_rows=True).report
    assert str(report).splitlines() == [
        "2 facts from 2014-08-09 to 2014-08-12, in steps of 1 day (found from the data)",
        f"{path}: 2 facts, CSV, columns who, Predicate, Tail, Date",
        "1 bad row left out, such as:",
        f"  {path} line 3: the time 'soon' is not understood",
        "Warning: There are few facts to learn rules from: 2.",
    ]
    assert "in steps of 1 week (as given)" in str(
        read_events(path, columns=[0, 1, 2, "Date"], step="1w", skip_bad_rows=True).report
    )
