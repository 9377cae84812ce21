"""Options that several commands share."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic.events import ReadReport
    from tlogic.forecasting.settings import ApplicationSettings
    from tlogic.graph import TemporalGraph

Threads = Annotated[int | None, typer.Option(help="The number of threads; by default one per core.")]

_READ_OPTIONS = ("query", "columns", "step", "time_zone", "skip_bad_rows")


def _connect(address: str | None) -> str | None:
    """Connect before anything is read, so that a wrong address fails at once."""
    if address is not None:
        from tlogic.parallel import connect

        connect(address)
    return address


Cluster = Annotated[
    str | None,
    typer.Option(
        help="Run on a Ray cluster: its address, or auto for the cluster this machine belongs to.",
        metavar="ADDRESS|auto",
        callback=_connect,
    ),
]


class Stop(StrEnum):
    """When to stop applying rules to a query."""

    published = "published"
    text = "text"


@dataclass(frozen=True)
class DataOptions:
    """The options for the data to read."""

    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with train, valid and test files, one file, a name under TLOGIC_DATA, or a compiled graph.",
            show_default=False,
        ),
    ] = None
    db: Annotated[
        str | None,
        typer.Option(
            help="Read a database instead: sqlite:///FILE, duckdb:///FILE or postgresql://USER@HOST/NAME.",
            metavar="URL",
        ),
    ] = None
    query: Annotated[
        str | None,
        typer.Option(help="What to read from the database: a SELECT statement or a table name.", metavar="SQL|TABLE"),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns of subject, relation, object and time, by name or by position from 0: who,does,whom,day; "
            "or some of them: subject=who,time=day. By default, columns are recognised by common names.",
            metavar="COLUMNS",
        ),
    ] = None
    valid_from: Annotated[
        str | None, typer.Option(help="The start of the validation period, if DATA is one table.", metavar="DATE")
    ] = None
    test_from: Annotated[
        str | None, typer.Option(help="The start of the test period, if DATA is one table.", metavar="DATE")
    ] = None
    step: Annotated[
        str | None,
        typer.Option(help="The length of a time step, such as 1d, 1h or 15m; by default found from the data."),
    ] = None
    time_zone: Annotated[
        str | None,
        typer.Option(
            help="The time zone to convert date-times with zones to, such as Europe/Berlin; by default UTC.",
            metavar="ZONE",
        ),
    ] = None
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Skip rows that cannot be read instead of stopping.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not report what was read, except for warnings.")] = False

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
        if out.exists() and any(file.exists() and out.samefile(file) for file in files if file):
            raise InputError(f"{out} is one of the files to read and would be overwritten; choose another --out.")

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


@dataclass(frozen=True)
class ApplicationOptions:
    """The options for applying rules."""

    window: Annotated[
        str, typer.Option(help="The number of past time steps whose facts are used, or all.", metavar="N|all")
    ] = "all"
    k: Annotated[int, typer.Option(help="The number of candidates after which no more rules are applied.")] = 20
    alpha: Annotated[
        float, typer.Option(help="The weight of the rule confidence in a score; the rest weighs recency.")
    ] = 0.5
    decay: Annotated[float, typer.Option("--lambda", help="The decay rate of a score with age, per time step.")] = 0.1
    stop: Annotated[Stop, typer.Option(help="Stop at k different scores (published) or k candidates (text).")] = (
        Stop.published
    )
    min_confidence: Annotated[float, typer.Option(help="Skip rules with a lower confidence.")] = 0.01
    min_support: Annotated[int, typer.Option(help="Skip rules with a lower body support.")] = 2
    lengths: Annotated[str | None, typer.Option(help="The rule lengths to apply, such as 1,2; by default all.")] = None
    max_groundings: Annotated[
        str | None,
        typer.Option(
            help="Follow at most this many triples per entity and relation, newest first; by default all, or 50 in "
            "graphs of more than 2 million facts.",
            metavar="K|all",
        ),
    ] = None

    def settings(self) -> "ApplicationSettings":
        """The validated settings."""
        from tlogic.forecasting.settings import ApplicationSettings

        return ApplicationSettings(
            window=_window(self.window),
            k=self.k,
            alpha=self.alpha,
            decay=self.decay,
            stop=self.stop.value,
            min_confidence=self.min_confidence,
            min_support=self.min_support,
            lengths=None if self.lengths is None else integers(self.lengths),
            max_groundings=_limit(self.max_groundings),
        )


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


def integers(text: str) -> tuple[int, ...]:
    """Parse integers separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"Expected integers separated by commas, such as 1,2,3; found {text!r}.") from None


def _limit(text: str | None) -> int | None:
    from tlogic.forecasting.settings import UNLIMITED_GROUNDINGS

    if text is None:
        return None
    if text != "all" and not text.isdecimal():
        raise SettingsError(f"--max-groundings must be a number or 'all', not {text!r}.")
    return UNLIMITED_GROUNDINGS if text == "all" else int(text)


def _window(text: str) -> int | None:
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"The window must be a number of time steps or 'all', not {text!r}.") from None
