"""The report of what was read, with warnings about the data."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from tlogic.events.splits import Split
from tlogic.events.timeline import Integers, Timeline

MIN_FACTS = 1000
MAX_RELATION_SHARE = 0.9
# Shares of the whole time range.
MAX_GAP_SHARE = 0.1
LAST_PART_SHARE = 0.1
# A share of the facts, for the last part of the time range and for the validation and test periods.
MIN_PERIOD_SHARE = 0.01
# With fewer time steps, gaps are not reported.
MIN_STEPS_FOR_GAPS = 20


@dataclass(frozen=True)
class FileReport:
    """The report of one file or data frame.

    Attributes:
        name: The path, or the kind of source.
        format: The file format, as text.
        header: The names of the columns used; empty if they have no names.
        facts: The number of facts.
    """

    name: str
    format: str
    header: tuple[str, ...]
    facts: int


@dataclass(frozen=True)
class ReadReport:
    """What was read. ``print`` shows a summary.

    Attributes:
        files: One report per file or data frame.
        facts: The number of rows that are facts, with duplicates.
        bad_rows: The number of rows that were skipped because they cannot be read.
        bad_row_examples: Descriptions of the first skipped rows.
        first_time: The first date.
        last_time: The last date.
        step_size: The length of a time step, as text.
        step_given: Whether the user gave the time step.
        warnings: Possible problems of the data.
        duplicates: The number of dropped duplicates; None before the graph is built.
        entities: The number of entities; None before the graph is built.
        relations: The number of relations; None before the graph is built.
        time_zone: The time zone that date-times with zones were converted to; None if there were none.
        periods: The numbers of facts for training, validation and test, if dates split them; None if files do.
        intervals: The number of rows with a beginning and an end that were read as the time steps that they cover; None
            if there were none.

    Example:
        >>> day = FileReport("facts.csv", "CSV", (), 2)
        >>> print(ReadReport((day,), 2, 0, (), "2014-08-09", "2014-08-10", "1 day", False, ()))
        2 facts from 2014-08-09 to 2014-08-10, in steps of 1 day (found from the data)
        facts.csv: 2 facts, CSV
    """

    files: tuple[FileReport, ...]
    facts: int
    bad_rows: int
    bad_row_examples: tuple[str, ...]
    first_time: str
    last_time: str
    step_size: str
    step_given: bool
    warnings: tuple[str, ...]
    duplicates: int | None = None
    entities: int | None = None
    relations: int | None = None
    time_zone: str | None = None
    periods: tuple[int, int, int] | None = None
    intervals: int | None = None

    def lines(self, *, quiet: bool = False) -> Iterator[str]:
        """Yield the lines of the report; if `quiet`, only skipped rows and warnings."""
        if not quiet:
            yield from self._summary()
        if self.bad_rows:
            yield f"{_counted(self.bad_rows, 'bad row')} skipped, for example:"
            yield from (f"  {example}" for example in self.bad_row_examples)
        yield from (f"Warning: {warning}" for warning in self.warnings)

    def _summary(self) -> Iterator[str]:
        origin = "as given" if self.step_given else "found from the data"
        yield (
            f"{_counted(self.facts - (self.duplicates or 0), 'fact')} from {self.first_time} to {self.last_time}, "
            f"in steps of {self.step_size} ({origin})"
        )
        if self.entities is not None and self.relations is not None:
            dropped = f"; {_counted(self.duplicates, 'duplicate')} dropped" if self.duplicates else ""
            yield f"{_counted(self.entities, 'entity')}, {_counted(self.relations, 'relation')}{dropped}"
        if self.intervals is not None:
            rows = _counted(self.intervals, "row")
            yield f"{rows} with a beginning and an end, as the steps that they cover (set with intervals, --intervals)"
        if self.periods is not None:
            train, valid, test = self.periods
            yield f"{_counted(train, 'fact')} for training, {valid:,} for validation, {test:,} for test"
        if self.time_zone is not None:
            yield f"date-times with zones are converted to {self.time_zone} (set with time_zone=..., --time-zone ...)"
        for file in self.files:
            columns = f", columns {', '.join(file.header)}" if file.header else ""
            yield f"{file.name}: {_counted(file.facts, 'fact')}, {file.format}{columns}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def find_warnings(frame: pl.DataFrame, timeline: Timeline, split: Split) -> tuple[str, ...]:
    """Possible problems of facts that could be read."""
    steps = np.sort(frame["step"].unique().to_numpy())
    warnings = [_few_facts(frame), _dominant_relation(frame), _sparse_steps(frame, steps, timeline)]
    warnings += small_periods(frame["step"], split)
    if len(steps) >= MIN_STEPS_FOR_GAPS:
        warnings += [_long_gaps(steps, timeline), _empty_end(frame, steps, timeline)]
    return tuple(warning for warning in warnings if warning)


def _counted(count: int, noun: str) -> str:
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def _few_facts(frame: pl.DataFrame) -> str | None:
    # The first rows are enough to decide for nearly all data.
    if frame.head(10 * MIN_FACTS).n_unique() >= MIN_FACTS or (distinct := frame.n_unique()) >= MIN_FACTS:
        return None
    return f"There are few facts to learn rules from: {distinct:,}."


def _dominant_relation(frame: pl.DataFrame) -> str | None:
    relation, facts = frame["relation"].value_counts().top_k(1, by="count").row(0)
    if facts < MAX_RELATION_SHARE * frame.height:
        return None
    return f"The relation {relation!r} holds {facts / frame.height:.0%} of the facts."


def small_periods(steps: pl.Series, split: Split) -> list[str]:
    """Warn of a validation or test period with too few facts for reliable metrics."""
    if split.valid_from is None or split.test_from is None:
        return []
    _, validating, testing = split.sizes(steps)
    return [
        f"The {period} period holds few facts: {facts:,} of {len(steps):,}."
        for period, facts in (("validation", validating), ("test", testing))
        if 0 < facts < MIN_PERIOD_SHARE * len(steps)
    ]


def _sparse_steps(frame: pl.DataFrame, steps: Integers, timeline: Timeline) -> str | None:
    if steps[-1] < max(frame.height, MIN_FACTS):
        return None
    return (
        f"With steps of {timeline.step_size} there are more steps ({steps[-1] + 1:,}) than facts; "
        "a longer step may be better."
    )


def _long_gaps(steps: Integers, timeline: Timeline) -> str | None:
    before = np.flatnonzero(np.diff(steps) > MAX_GAP_SHARE * steps[-1])
    if not len(before):
        return None
    first, last = timeline.labels_of(steps[before]), timeline.labels_of(steps[before + 1])
    gaps = (f"between {start} and {end}" for start, end in zip(first, last, strict=True))
    return f"There are no facts {' and '.join(gaps)}."


def _empty_end(frame: pl.DataFrame, steps: Integers, timeline: Timeline) -> str | None:
    end = int(steps[-1] * (1 - LAST_PART_SHARE))
    facts = (frame["step"] > end).sum()
    if facts >= MIN_PERIOD_SHARE * frame.height:
        return None
    return f"After {timeline.label_of(end)}, in the last tenth of time, there are few facts: {facts:,}."
