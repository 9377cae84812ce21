"""Facts from databases: SQLite, DuckDB, PostgreSQL, and others that SQLAlchemy supports.

Databases are never changed, and are opened read-only where possible. A URL may contain a password, so messages and
reports show only its scheme, host and database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard
from uuid import UUID

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import choose_by_name
from tlogic.events.sources.data_frames import read_frame
from tlogic.events.sources.raw_facts import RawFacts, source_errors
from tlogic.events.sources.read_only_queries import check_reads_only

if TYPE_CHECKING:
    import sqlalchemy as sql

EXPECTED_URLS = "sqlite:///events.db, duckdb:///events.duckdb or postgresql://user:password@host/name"

_EXTERNAL_ACCESS = "enable_external_access=true"
"""At the end of the URL of a DuckDB file, it lets queries read other files."""

_PRODUCTS = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgresql": "PostgreSQL"}
# More rows per batch would need more memory for Python objects and slow down the garbage collector.
_ROWS_PER_BATCH = 5_000
# Some databases reject a lookup of a table with a longer name.
_MAX_TABLE_NAME_LENGTH = 64
# The types of names and times that drivers return; a column of several types is read as text.
_SUPPORTED_TYPES = {int, str, date, datetime, Decimal, UUID}
_UNCONVERTED_TYPES: tuple[set[type], ...] = ({int}, {str}, {date}, {datetime}, set())


class QueryResult(NamedTuple):
    """The result of a query: the columns of the facts under their own names, and the column of each role."""

    header: Mapping[str, str | int]
    columns: pl.DataFrame


Choice = Callable[[Sequence[str]], Mapping[str, str]]


def is_database_url(source: object) -> TypeGuard[str]:
    """Whether a source is the URL of a database, not a path or name.

    >>> is_database_url("sqlite:///events.db"), is_database_url("events.db")
    (True, False)
    """
    return isinstance(source, str) and "://" in source


def database_file(url: str) -> Path | None:
    """The file of a database URL, or None for a server.

    >>> database_file("sqlite:////data/events.db"), database_file("postgresql://ann@here/events")
    (PosixPath('/data/events.db'), None)
    """
    scheme, _, rest = url.partition("://")
    path = rest.removeprefix("/").partition("?")[0]
    return Path(path).expanduser() if scheme.partition("+")[0] in ("sqlite", "duckdb") and path else None


def read_database(url: str, query: str | None, given: Mapping[str, str | int]) -> RawFacts:
    """Read the facts of a query, which is SQL or the name of a table."""
    scheme, _, rest = url.partition("://")
    if not (query and query.strip()):
        raise InputError(
            f"A database ({scheme}://...) needs a query: give a table or a SELECT with query=... (--query ...)."
        )
    query = query.strip()
    if scheme == "duckdb":
        path, _, options = rest.partition("?")
        path = path.removeprefix("/")
        name, product = f"duckdb:///{path}", "DuckDB"
        file, may_leave = _existing_file(path, name), options == _EXTERNAL_ACCESS
        result = _query_duckdb(file, query, _choice(given, name), name, may_leave)
    else:
        parsed = parse_url(url)
        name, product = public_name(parsed), _PRODUCTS.get(parsed.get_backend_name(), parsed.get_backend_name())
        result = _query_sqlalchemy(parsed, query, _choice(given, name), name)
    if result.columns.is_empty():
        raise InputError(f"{name}: the query returns no rows, so there are no facts to read.")
    return read_frame(result.columns.lazy(), result.header, name, product)


def _statement(query: str, table: str | None, name: str) -> str:
    """The SQL statement of a query: a SELECT of all rows if the query names a table (given quoted), else the query.

    >>> _statement("big events", '"big events"', "db"), _statement("TABLE events", None, "db")
    ('SELECT * FROM "big events"', 'TABLE events')
    """
    if table is None and len(query.split()) == 1:
        table = query
    statement = query if table is None else f"SELECT * FROM {table}"
    check_reads_only(statement, name)
    return statement


def _choice(given: Mapping[str, str | int], name: str) -> Choice:
    """A function that finds the column of each role; other columns may have any content."""

    def choose(names: Sequence[str]) -> dict[str, str]:
        chosen = {role: names[position] for role, position in choose_by_name(names, given, name).items()}
        for column in chosen.values():
            if names.count(column) > 1:
                raise InputError(f"{name}: two columns are named {column!r}; rename one in the query with AS.")
        return chosen

    return choose


def _existing_file(path: str, url: str) -> Path:
    file = Path(path).expanduser()
    if not path:
        raise InputError(f"The URL {url} has no file; expected one such as {EXPECTED_URLS}.")
    if not file.is_file():
        raise InputError(
            f"There is no database file {file}. The path in {url} begins after the third slash, "
            "and is relative to the working directory unless a fourth slash follows."
        )
    return file


# DuckDB


class _ArrowStream:
    """Wraps a DuckDB relation, because polars caches every type it sees, which makes DuckDB complain at exit."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


def _query_duckdb(file: Path, query: str, choose: Choice, name: str, may_leave: bool) -> QueryResult:
    """Run a query, which may read other files and addresses only if it `may_leave` the database."""
    try:
        import duckdb
    except ImportError as error:
        raise not_installed(name, error) from error
    try:
        config: dict[str, Any] = {"enable_external_access": str(may_leave).lower()}
        with duckdb.connect(file, read_only=True, config=config) as connection, source_errors(name):
            relation = connection.sql(_statement(query, _table_of_duckdb(connection, query), name))
            if relation is None:
                raise _no_table(name)
            header = choose(relation.columns)
            for column, dtype in zip(relation.columns, relation.types, strict=True):
                # polars aborts the process on an interval column.
                if column in header.values() and "INTERVAL" in str(dtype):
                    raise _unreadable(column, "intervals")
            needed = [duckdb.ColumnExpression(column) for column in dict.fromkeys(header.values())]
            return QueryResult(header, pl.DataFrame(_ArrowStream(relation.select(*needed))))
    except duckdb.Error as error:
        raise InputError(f"The query of {name} failed ({_first_line(error)}). Check the file and the query.") from error


def _table_of_duckdb(connection: Any, query: str) -> str | None:
    """The quoted name of the table or view with this name, or None."""
    found = "SELECT 1 FROM information_schema.tables WHERE table_name = ? AND table_schema = current_schema()"
    if not connection.execute(found, [query]).fetchall():
        return None
    return '"{}"'.format(query.replace('"', '""'))


# All other databases


def parse_url(url: str) -> sql.URL:
    """Parse the URL of a database for SQLAlchemy, with the driver that tlogic installs.

    >>> parse_url("postgresql://ann@host/events").drivername
    'postgresql+psycopg'
    """
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError as error:
        raise not_installed(f"{url.partition('://')[0]}://...", error) from error
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise _bad_url(url) from None
    if "@" in (parsed.host or ""):
        raise _bad_url(url)
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def _bad_url(url: str) -> InputError:
    # Only the scheme is shown, because any other part may be a password.
    return InputError(
        f"The database URL {url.partition('://')[0]}://... is not understood; expected one such as {EXPECTED_URLS}. "
        "Write @, :, / and % in a user name or password as %40, %3A, %2F and %25."
    )


def public_name(url: sql.URL) -> str:
    """The parts of a URL that may be shown: scheme, host and database.

    >>> public_name(parse_url("postgresql://ann:secret@host:5432/events"))
    'postgresql://host:5432/events'
    """
    port = f":{url.port}" if url.port else ""
    return f"{url.get_backend_name()}://{url.host or ''}{port}/{url.database or ''}"


def _query_sqlalchemy(url: sql.URL, query: str, choose: Choice, name: str) -> QueryResult:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        connection = _engine(url, name).connect()
    except SQLAlchemyError as error:
        raise InputError(
            f"Cannot connect to {name} ({reason_of(error, url)}). Check the URL and that the database is reachable."
        ) from None  # the full message of the driver may contain the password
    try:
        with closing(connection):
            connection.execution_options(postgresql_readonly=True)
            statement = _statement(query, _table_of(connection, query), name)
            # Without parameters, drivers do not interpret % in the statement.
            connection.execution_options(no_parameters=True)
            return _fetch(connection.exec_driver_sql(statement), choose, name)
    except SQLAlchemyError as error:
        raise InputError(f"The query of {name} failed ({reason_of(error, url)}). Check the query.") from error


def _table_of(connection: sql.Connection, query: str) -> str | None:
    """The name of the table or view with this name, quoted for the database, or None."""
    from sqlalchemy import inspect

    if len(query) > _MAX_TABLE_NAME_LENGTH or not inspect(connection).has_table(query):
        return None
    return connection.dialect.identifier_preparer.quote_identifier(query)


def _engine(url: sql.URL, name: str) -> sql.Engine:
    from sqlalchemy import NullPool, create_engine
    from sqlalchemy.exc import NoSuchModuleError

    try:
        if url.get_backend_name() == "sqlite":
            return create_engine("sqlite://", creator=_sqlite_opener(url, name), poolclass=NullPool)
        return create_engine(url, poolclass=NullPool)
    except NoSuchModuleError as error:
        raise InputError(
            f"Unknown kind of database {url.drivername}://; expected a URL such as {EXPECTED_URLS}."
        ) from error
    except ImportError as error:
        raise not_installed(name, error) from error


def _sqlite_opener(url: sql.URL, name: str) -> Callable[[], Any]:
    import sqlite3

    file = _existing_file(url.database or "", name)
    return lambda: sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)


def _fetch(result: sql.CursorResult[Any], choose: Choice, name: str) -> QueryResult:
    if not result.returns_rows:
        raise _no_table(name)
    names = list(result.keys())
    header = choose(names)
    needed = list(dict.fromkeys(header.values()))
    batches = result.columns(*(names.index(column) for column in needed)).partitions(_ROWS_PER_BATCH)
    frames = [pl.DataFrame(list(map(_series, needed, zip(*rows, strict=True)))) for rows in batches]
    return QueryResult(header, pl.concat(frames, how="vertical_relaxed") if frames else pl.DataFrame())


def _series(column: str, values: Sequence[Any]) -> pl.Series:
    types = set(map(type, values)) - {type(None)}
    if not types <= _SUPPORTED_TYPES:
        raise _unreadable(column, f"the type {min(kind.__name__ for kind in types - _SUPPORTED_TYPES)}")
    if types in _UNCONVERTED_TYPES:
        return pl.Series(column, values)
    return pl.Series(column, [None if value is None else str(value) for value in values], dtype=pl.String)


# Error messages


def _unreadable(column: str, found: str) -> InputError:
    return InputError(
        f"The column {column!r} of the query holds {found}; expected names, integers or dates. "
        "Convert it in the query, for example with CAST."
    )


def _no_table(name: str) -> InputError:
    return InputError(f"{name}: the query returns no table; expected a SELECT or the name of a table.")


def not_installed(name: str, error: ImportError) -> InputError:
    """The error for a missing SQLAlchemy or driver."""
    return InputError(
        f"Cannot read {name}, because a package is missing ({error}). For SQLite, DuckDB and PostgreSQL: "
        "pip install 'tlogic[databases]'. For other databases, also install the driver that SQLAlchemy needs."
    )


def reason_of(error: Exception, url: sql.URL) -> str:
    """The reason for a database error, without the password that a driver may repeat."""
    reason = _first_line(getattr(error, "orig", None) or error)
    for secret in (url.password, url.query.get("password")):
        reason = reason.replace(str(secret), "***") if secret else reason
    return reason


def _first_line(error: object) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]
