"""The facts that were read, ready to become a graph."""

from dataclasses import dataclass

import polars as pl

from tlogic.events.read_report import ReadReport
from tlogic.events.timeline import Timeline


@dataclass(frozen=True, eq=False)
class EventTable:
    """Facts with integer steps of time, where the validation and test periods begin, and how all was read.

    `frame` has the columns subject, relation, object (strings) and step (integers, 0 is the earliest), in
    reading order, duplicates included. Training facts lie before `valid_from`, validation facts from there to
    before `test_from`, test facts from there on; both are None where all facts are for training.

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
