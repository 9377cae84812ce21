"""Options that several commands share."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic import ApplicationSettings, TemporalGraph
    from tlogic.events import ReadReport

Threads = Annotated[int | None, typer.Option(help="How many threads to use; as many as there are cores if not given.")]

_HOW_TO_READ = ("query", "columns", "step", "time_zone", "skip_bad_rows")


def _connect(address: str | None) -> str | None:
    """Connect before anything is read, so that a wrong address is told at once."""
    if address is not None:
        from tlogic.parallel import connect

        connect(address)
    return address


Cluster = Annotated[
    str | None,
    typer.Option(
        help="Run on a Ray cluster: its address, or auto for the one that this machine is part of.",
        metavar="ADDRESS|auto",
        callback=_connect,
    ),
]


class Stop(StrEnum):
    """When enough rules were applied."""

    published = "published"
    text = "text"


@dataclass(frozen=True)
class DataOptions:
    """What to read, and how."""

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
        str | None, typer.Option(help="What to read from the database: a SELECT or a table.", metavar="SQL|TABLE")
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns of subject, relation, object and time, by name or by position from 0: who,does,whom,day; "
            "or some of them: subject=who,time=day. Known by their usual names if not given.",
            metavar="COLUMNS",
        ),
    ] = None
    valid_from: Annotated[
        str | None, typer.Option(help="Where the validation period begins, if DATA is one table.", metavar="DATE")
    ] = None
    test_from: Annotated[
        str | None, typer.Option(help="Where the test period begins, if DATA is one table.", metavar="DATE")
    ] = None
    step: Annotated[
        str | None, typer.Option(help="The step of time, such as 1d, 1h or 15m; found from the data if not given.")
    ] = None
    time_zone: Annotated[
        str | None,
        typer.Option(
            help="The clock to which date-times with zones are converted, such as Europe/Berlin; UTC if not given.",
            metavar="ZONE",
        ),
    ] = None
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Leave out rows that cannot be read, instead of refusing all.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not report what was read; warnings remain.")] = False

    def read(self, out: Path | None = None, *, keep: bool = True) -> "TemporalGraph":
        """The graph of the data; what was read is told on standard error, and kept for the next command.

        Where ``out`` could not be written afterwards, or is what is read, that is told before.
        """
        if out is not None:
            self._refuse_output(out)
        graph = self._graph(keep)
        self._tell(graph.report)
        return graph

    def _graph(self, keep: bool) -> "TemporalGraph":
        from tlogic.graph.building import read
        from tlogic.graph.graph_cache import read_with_cache

        source = self._source()
        self._refuse_late_options()
        return (read_with_cache if keep else read)(
            source,
            query=self.query,
            valid_from=self.valid_from,
            test_from=self.test_from,
            step=self.step,
            columns=None if self.columns is None else column_choice(self.columns),
            time_zone="UTC" if self.time_zone is None else self.time_zone,
            skip_bad_rows=self.skip_bad_rows,
        )

    def _tell(self, report: "ReadReport | None", *, warn: bool = True) -> None:
        from tlogic.cli.console import error_console

        if report is not None:
            told = report if warn else replace(report, warnings=())
            for line in told.lines(quiet=self.quiet):
                error_console.print(line, markup=False, emoji=False)

    def _refuse_output(self, out: Path) -> None:
        from tlogic.events.sources.databases import database_file, is_database_url
        from tlogic.events.sources.source_files import files_read
        from tlogic.files import check_writable

        check_writable(out)
        source = self._source()
        files = [database_file(source)] if is_database_url(source) else files_read(source)
        if out.exists() and any(file.exists() and out.samefile(file) for file in files if file):
            raise InputError(f"{out} is what is read, and would be lost; choose another --out.")

    @property
    def path(self) -> str | None:
        """Where the data lies; None for a database."""
        from tlogic.events.sources.databases import is_database_url

        return None if is_database_url(self.data) else self.data

    @property
    def is_compiled(self) -> bool:
        """Is the data a compiled graph?"""
        from tlogic.graph.compiled_graph import is_compiled

        return self.data is not None and is_compiled(Path(self.data).expanduser())

    def _refuse_late_options(self) -> None:
        """What says how to read text cannot change a compiled graph."""
        late = [name for name in _HOW_TO_READ if getattr(self, name) not in (None, False)]
        if late and self.is_compiled:
            raise InputError(
                f"{self.data} is a compiled graph, which was read before, so --{late[0].replace('_', '-')} comes too "
                "late; give it to `tlogic index` with the data that the graph is made from."
            )

    def _source(self) -> str:
        from tlogic.events.sources.databases import EXPECTED_URLS, is_database_url

        if self.data is not None and self.db is not None:
            raise InputError("Found both DATA and --db; expected one of them, so leave out the other.")
        if self.db is not None and not is_database_url(self.db):
            raise InputError(f"--db is for databases: {EXPECTED_URLS}. Give {self.db!r} as DATA, without --db.")
        source = self.data or self.db
        if not source:
            raise InputError(
                "Found nothing to read; expected DATA (a folder, a file or a name), or --db URL --query SQL."
            )
        return source


@dataclass(frozen=True)
class ApplicationOptions:
    """How rules are applied."""

    window: Annotated[str, typer.Option(help="How many steps back facts count, or all.", metavar="N|all")] = "all"
    k: Annotated[int, typer.Option(help="How many candidates are enough.")] = 20
    alpha: Annotated[float, typer.Option(help="The weight of the confidence in a score.")] = 0.5
    decay: Annotated[float, typer.Option("--lambda", help="How fast a score falls with age, per step.")] = 0.1
    stop: Annotated[Stop, typer.Option(help="Stop at k different scores (published) or k candidates (text).")] = (
        Stop.published
    )
    min_confidence: Annotated[float, typer.Option(help="Rules below are left out.")] = 0.01
    min_support: Annotated[int, typer.Option(help="Rules with fewer bodies are left out.")] = 2
    lengths: Annotated[str | None, typer.Option(help="Rule lengths to apply; all if not given.")] = None
    max_groundings: Annotated[
        str | None,
        typer.Option(
            help="Follow only so many triples of an entity and relation, the newest first; all if not given, but 50 in "
            "graphs of more than 2 million facts.",
            metavar="K|all",
        ),
    ] = None

    def settings(self) -> "ApplicationSettings":
        """The same, checked."""
        import tlogic

        return tlogic.ApplicationSettings(
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
    """Columns as `tlogic.read` takes them, from what was written in one argument.

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
    """Whole numbers separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"Expected whole numbers separated by commas, such as 1,2,3; found {text!r}.") from None


def _limit(text: str | None) -> int | None:
    from tlogic.forecasting.settings import UNLIMITED

    if text is None:
        return None
    if text != "all" and not text.isdecimal():
        raise SettingsError(f"--max-groundings is a number or 'all'; found {text!r}.")
    return UNLIMITED if text == "all" else int(text)


def _window(text: str) -> int | None:
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"The window is a number of steps or 'all'; found {text!r}.") from None
