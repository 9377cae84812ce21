"""What was read, and what about it deserves a second look."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from tlogic.events.splits import Split
from tlogic.events.timeline import Integers, Timeline

FEW_FACTS = 1000
DOMINANT_SHARE = 0.9
# Shares of the whole time range: how long a gap is long, and how large the end is that should not be empty.
LONG_GAP = 0.1
LAST_PART = 0.1
# The last tenth is nearly empty when it holds less than a tenth of its fair share; so is a period with as few.
NEARLY_EMPTY = 0.01
# With fewer, gaps and empty ends say nothing.
ENOUGH_STEPS = 20


@dataclass(frozen=True)
class FileReport:
    """One file (or data frame): its name, its format, the columns used if they have names, and its facts."""

    name: str
    format: str
    header: tuple[str, ...]
    facts: int


@dataclass(frozen=True)
class ReadReport:
    """What was read; printed, it is a short account for people.

    `facts` counts the rows that are facts. How many of them repeat others, and how many entities and relations there
    are, is known once a graph is made of them.

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
    """The clock to which date-times with zones were converted; None where there were none."""
    periods: tuple[int, int, int] | None = None
    """The facts for training, validation and test, where dates split them; where files do, each tells its own."""

    def lines(self, *, quiet: bool = False) -> Iterator[str]:
        """The account, line by line; if `quiet`, only what was left out and what to beware of."""
        if not quiet:
            yield from self._account()
        if self.bad_rows:
            yield f"{_counted(self.bad_rows, 'bad row')} left out, such as:"
            yield from (f"  {example}" for example in self.bad_row_examples)
        yield from (f"Warning: {warning}" for warning in self.warnings)

    def _account(self) -> Iterator[str]:
        origin = "as given" if self.step_given else "found from the data"
        yield (
            f"{_counted(self.facts - (self.duplicates or 0), 'fact')} from {self.first_time} to {self.last_time}, "
            f"in steps of {self.step_size} ({origin})"
        )
        if self.entities is not None and self.relations is not None:
            dropped = f"; {_counted(self.duplicates, 'duplicate')} dropped" if self.duplicates else ""
            yield f"{_counted(self.entities, 'entity')}, {_counted(self.relations, 'relation')}{dropped}"
        if self.periods is not None:
            train, valid, test = self.periods
            yield f"{_counted(train, 'fact')} for training, {valid:,} for validation, {test:,} for test"
        if self.time_zone is not None:
            yield f"date-times with zones are read in {self.time_zone} (time_zone=..., --time-zone ... for another)"
        for file in self.files:
            columns = f", columns {', '.join(file.header)}" if file.header else ""
            yield f"{file.name}: {_counted(file.facts, 'fact')}, {file.format}{columns}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def find_warnings(frame: pl.DataFrame, timeline: Timeline, split: Split) -> tuple[str, ...]:
    """What may be wrong with the facts, although all of them could be read."""
    steps = np.sort(frame["step"].unique().to_numpy())
    warnings = [_few_facts(frame), _dominant_relation(frame), _lonely_steps(frame, steps, timeline)]
    warnings += small_periods(frame["step"], split)
    if len(steps) >= ENOUGH_STEPS:
        warnings += [_long_gaps(steps, timeline), _empty_end(frame, steps, timeline)]
    return tuple(warning for warning in warnings if warning)


def _counted(count: int, noun: str) -> str:
    plural = noun.removesuffix("y") + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def _few_facts(frame: pl.DataFrame) -> str | None:
    # The first rows show of nearly all data that it holds enough.
    if frame.head(10 * FEW_FACTS).n_unique() >= FEW_FACTS or (distinct := frame.n_unique()) >= FEW_FACTS:
        return None
    return f"There are few facts to learn rules from: {distinct:,}."


def _dominant_relation(frame: pl.DataFrame) -> str | None:
    relation, facts = frame["relation"].value_counts().top_k(1, by="count").row(0)
    if facts < DOMINANT_SHARE * frame.height:
        return None
    return f"The relation {relation!r} holds {facts / frame.height:.0%} of the facts."


def small_periods(steps: pl.Series, split: Split) -> list[str]:
    """Warn of a validation or test period whose figures would rest on very few facts."""
    if split.valid_from is None or split.test_from is None:
        return []
    _, validating, testing = split.sizes(steps)
    return [
        f"The {period} period holds few facts: {facts:,} of {len(steps):,}."
        for period, facts in (("validation", validating), ("test", testing))
        if 0 < facts < NEARLY_EMPTY * len(steps)
    ]


def _lonely_steps(frame: pl.DataFrame, steps: Integers, timeline: Timeline) -> str | None:
    if steps[-1] < max(frame.height, FEW_FACTS):
        return None
    return (
        f"With steps of {timeline.step_size} there are more steps ({steps[-1] + 1:,}) than facts; "
        "a longer step may be better."
    )


def _long_gaps(steps: Integers, timeline: Timeline) -> str | None:
    before = np.flatnonzero(np.diff(steps) > LONG_GAP * steps[-1])
    if not len(before):
        return None
    first, last = timeline.labels_of(steps[before]), timeline.labels_of(steps[before + 1])
    gaps = (f"between {start} and {end}" for start, end in zip(first, last, strict=True))
    return f"There are no facts {' and '.join(gaps)}."


def _empty_end(frame: pl.DataFrame, steps: Integers, timeline: Timeline) -> str | None:
    end = int(steps[-1] * (1 - LAST_PART))
    facts = (frame["step"] > end).sum()
    if facts >= NEARLY_EMPTY * frame.height:
        return None
    return f"After {timeline.label_of(end)}, in the last tenth of time, there are few facts: {facts:,}."
