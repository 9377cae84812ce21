"""Read dated facts from text, CSV, Parquet, Arrow, data frames and databases into an `EventTable`."""

from tlogic.events.event_table import EventTable
from tlogic.events.read_report import FileReport, ReadReport
from tlogic.events.reading import read_events
from tlogic.events.timeline import Timeline

__all__ = ["EventTable", "FileReport", "ReadReport", "Timeline", "read_events"]
