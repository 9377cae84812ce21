"""EventTable: the facts that were read, from which a graph is built."""

from dataclasses import dataclass

import polars as pl

from tlogic.events.read_report import ReadReport
from tlogic.events.timeline import Timeline


@dataclass(frozen=True, eq=False)
class EventTable:
    """Facts with integer time steps, the split into periods, and the report of what was read.

    Attributes:
        frame: One fact per row, in reading order, with duplicates. The columns are subject, relation, object (strings)
            and step (integers; 0 is the earliest time step).
        timeline: Converts time steps to dates and back.
        valid_from: The first time step of the validation period; None if all facts are training facts.
        test_from: The first time step of the test period; None if all facts are training facts.
        report: What was read, with warnings.

    >>> from tlogic.events import read_events
    >>> names = {"subject": ["Ann", "Bob"], "relation": ["calls", "calls"], "object": ["Bob", "Ann"]}
    >>> table = read_events(pl.DataFrame({**names, "year": [1999, 2003]}), test_from=2003)
    >>> table.frame.rows()
    [('Ann', 'calls', 'Bob', 0), ('Bob', 'calls', 'Ann', 4)]
    >>> table.test_from, table.timeline.label_of(4)
    (4, '2003')
    """

    frame: pl.DataFrame
    timeline: Timeline
    valid_from: int | None
    test_from: int | None
    report: ReadReport
