"""Reading dated facts: text, CSV, Parquet, Arrow, data frames and databases become one `EventTable`."""

from tlogic.events.reading import read_events
from tlogic.events.report import FileReport, ReadReport
from tlogic.events.table import EventTable
from tlogic.events.timeline import Timeline

__all__ = ["EventTable", "FileReport", "ReadReport", "Timeline", "read_events"]
