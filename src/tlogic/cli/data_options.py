"""The DATA argument and the options for reading it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.overwriting import check_not_read
from tlogic.errors import InputError

if TYPE_CHECKING:
    from tlogic.events import ReadReport
    from tlogic.graph import TemporalGraph

DataOption = partial(typer.Option, rich_help_panel="Data")

_READ_OPTIONS = ("query", "columns", "step", "time_zone", "skip_bad_rows", "intervals")


class IntervalChoice(StrEnum):
    """How to read facts with a beginning and an end."""

    cover = "cover"
    start = "start"


@dataclass(frozen=True)
class DataOptions:
    """The options for the data to read."""

    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with train, valid and test files, one file, a dataset name, or a compiled graph.",
            show_default=False,
        ),
    ] = None
    db: Annotated[
        str | None,
        DataOption(
            help="Read a database instead: sqlite:///FILE, duckdb:///FILE or postgresql://USER@HOST/NAME.",
            metavar="URL",
        ),
    ] = None
    query: Annotated[
        str | None,
        DataOption(help="What to read from the database: a SELECT statement or a table name.", metavar="SQL|TABLE"),
    ] = None
    columns: Annotated[
        str | None,
        DataOption(
            help="The columns of subject, relation, object and time, by name or by position from 0: who,does,whom,day; "
            "or some of them: subject=who,time=day,until=end. By default, columns are recognised by common names.",
            metavar="COLUMNS",
        ),
    ] = None
    valid_from: Annotated[
        str | None, DataOption(help="The start of the validation period, if DATA is one table.", metavar="DATE")
    ] = None
    test_from: Annotated[
        str | None, DataOption(help="The start of the test period, if DATA is one table.", metavar="DATE")
    ] = None
    step: Annotated[
        str | None,
        DataOption(
            help="The length of a time step: 15m, 1h, 1d, 1bd (business days), 1w, 1mo, 1q (quarters), 1y, or 24 for "
            "integers; by default the common step of the dates.",
            metavar="STEP",
        ),
    ] = None
    time_zone: Annotated[
        str | None,
        DataOption(
            help="The time zone to convert date-times with zones to, such as Europe/Berlin; by default UTC.",
            metavar="ZONE",
        ),
    ] = None
    skip_bad_rows: Annotated[
        bool, DataOption("--skip-bad-rows", help="Skip rows that cannot be read instead of stopping.")
    ] = False
    intervals: Annotated[
        IntervalChoice | None,
        DataOption(
            help="Read facts with a beginning and an end as the time steps that they cover (by default), or as their "
            "beginning.",
        ),
    ] = None
    quiet: Annotated[bool, DataOption("--quiet", help="Do not report what was read, except for warnings.")] = False

    def read(self, out: Path | None = None, *, keep: bool = True) -> "TemporalGraph":
        """Read the data, print the report to standard error, and cache the graph unless ``keep`` is False.

        Raises an error before reading if ``out`` cannot be written or is one of the files to read.
        """
        if out is not None:
            self._check_output(out)
        graph = self._graph(keep)
        self._print_report(graph.report)
        return graph

    def _graph(self, keep: bool) -> "TemporalGraph":
        from tlogic.graph.building import read_graph
        from tlogic.graph.graph_cache import read_with_cache

        source = self._source()
        self._check_compiled_options()
        return (read_with_cache if keep else read_graph)(
            source,
            query=self.query,
            valid_from=self.valid_from,
            test_from=self.test_from,
            step=self.step,
            columns=None if self.columns is None else column_choice(self.columns),
            time_zone="UTC" if self.time_zone is None else self.time_zone,
            skip_bad_rows=self.skip_bad_rows,
            intervals=None if self.intervals is None else self.intervals.value,
        )

    def _print_report(self, report: "ReadReport | None", *, warn: bool = True) -> None:
        from tlogic.cli.console import error_console

        if report is not None:
            shown = report if warn else replace(report, warnings=())
            for line in shown.lines(quiet=self.quiet):
                error_console.print(line, markup=False, emoji=False)

    def _check_output(self, out: Path) -> None:
        from tlogic.events.sources.databases import database_file, is_database_url
        from tlogic.events.sources.source_files import files_read
        from tlogic.files import check_writable

        check_writable(out)
        source = self._source()
        files = [database_file(source)] if is_database_url(source) else files_read(source)
        check_not_read(out, [file for file in files if file])

    @property
    def path(self) -> str | None:
        """The path of the data; None for a database."""
        from tlogic.events.sources.databases import is_database_url

        return None if is_database_url(self.data) else self.data

    @property
    def is_compiled(self) -> bool:
        """Whether the data is a compiled graph."""
        from tlogic.graph.compiled_graph import is_compiled

        return self.data is not None and is_compiled(Path(self.data).expanduser())

    def _check_compiled_options(self) -> None:
        """Raise an error for options that have no effect on a compiled graph."""
        late = [name for name in _READ_OPTIONS if getattr(self, name) not in (None, False)]
        if late and self.is_compiled:
            raise InputError(
                f"--{late[0].replace('_', '-')} has no effect on the compiled graph {self.data}; "
                "give it to `tlogic index`, with the data that the graph is built from."
            )

    def _source(self) -> str:
        from tlogic.events.sources.databases import EXPECTED_URLS, is_database_url

        if self.data is not None and self.db is not None:
            raise InputError("Found both DATA and --db; give only one of them.")
        if self.db is not None and not is_database_url(self.db):
            raise InputError(
                f"--db expects the URL of a database: {EXPECTED_URLS}. Give {self.db!r} as DATA, without --db."
            )
        source = self.data or self.db
        if not source:
            raise InputError(
                "No data given; expected DATA (a folder, a file or a dataset name), or --db URL --query SQL."
            )
        return source


def column_choice(text: str) -> dict[str, str | int] | list[str | int]:
    """Parse the value of --columns for `tlogic.read`.

    >>> column_choice("who,does,whom,3")
    ['who', 'does', 'whom', 3]
    >>> column_choice("subject=who, time=day")
    {'subject': 'who', 'time': 'day'}
    """
    parts = [part.strip() for part in text.split(",")]
    pairs = [part.partition("=") for part in parts]
    if not all(parts) or any(bool(equals) != bool(pairs[0][1]) for _, equals, _ in pairs):
        raise InputError(
            f"The columns {text!r} are not understood; expected four names or positions such as who,does,whom,day, "
            "or pairs such as subject=who,time=day."
        )
    if pairs[0][1]:
        return {role.strip(): _name_or_position(column.strip()) for role, _, column in pairs}
    return [_name_or_position(part) for part in parts]


def _name_or_position(text: str) -> str | int:
    return int(text) if text.isdecimal() else text
