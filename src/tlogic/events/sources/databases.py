"""Facts from databases: SQLite, DuckDB, PostgreSQL, and whatever else SQLAlchemy speaks.

Databases are asked, never changed: they are opened for reading only where they can be. A URL may hold a password,
so messages and reports show its scheme, host and database alone.
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

if TYPE_CHECKING:
    import sqlalchemy as sql

EXPECTED_URLS = "sqlite:///events.db, duckdb:///events.duckdb or postgresql://user:password@host/name"

_PRODUCTS = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgresql": "PostgreSQL"}
# Rows that are fetched at once; more would linger in memory as Python objects, and keep the garbage collector busy.
_BATCH = 5_000
# Some databases refuse to look for a table with a longer name.
_LONGEST_NAME = 64
# What drivers give for names and times; a column of several of these is read as text.
_READABLE = {int, str, date, datetime, Decimal, UUID}
_AS_THEY_ARE: tuple[set[type], ...] = ({int}, {str}, {date}, {datetime}, set())


class Answer(NamedTuple):
    """What a database says: the four columns of each fact under their own names, and which of them is which."""

    header: Mapping[str, str | int]
    columns: pl.DataFrame


Choice = Callable[[Sequence[str]], Mapping[str, str]]


def is_database_url(source: object) -> TypeGuard[str]:
    """Whether a source is the URL of a database, and no path or name.

    >>> is_database_url("sqlite:///events.db"), is_database_url("events.db")
    (True, False)
    """
    return isinstance(source, str) and "://" in source


def database_file(url: str) -> Path | None:
    """The file of a database that is one.

    >>> database_file("sqlite:////data/events.db"), database_file("postgresql://ann@here/events")
    (PosixPath('/data/events.db'), None)
    """
    scheme, _, rest = url.partition("://")
    path = rest.removeprefix("/").partition("?")[0]
    return Path(path).expanduser() if scheme.partition("+")[0] in ("sqlite", "duckdb") and path else None


def read_database(url: str, query: str | None, given: Mapping[str, str | int]) -> RawFacts:
    """Read the facts that a query gives, which is SQL or the name of a table."""
    scheme, _, rest = url.partition("://")
    if not (query and query.strip()):
        raise InputError(
            f"A database ({scheme}://...) is read with a query: say which table or SELECT with query=... (--query ...)."
        )
    query = query.strip()
    if scheme == "duckdb":
        path = rest.partition("?")[0].removeprefix("/")
        name, product = f"duckdb:///{path}", "DuckDB"
        answer = _ask_duckdb(_existing_file(path, name), query, _choice(given, name), name)
    else:
        parsed = parse_url(url)
        name, product = public_name(parsed), _PRODUCTS.get(parsed.get_backend_name(), parsed.get_backend_name())
        answer = _ask_sqlalchemy(parsed, query, _choice(given, name), name)
    if answer.columns.is_empty():
        raise InputError(f"{name}: the query gives no rows, so there are no facts to read.")
    return read_frame(answer.columns.lazy(), answer.header, name, product)


def _statement(query: str, table: str | None) -> str:
    """What to ask: all rows of the table that the query names (in quotes, or None if there is no such one), or SQL.

    >>> _statement("big events", '"big events"'), _statement("own.events", None), _statement("TABLE events", None)
    ('SELECT * FROM "big events"', 'SELECT * FROM own.events', 'TABLE events')
    """
    if table is None and len(query.split()) == 1:
        table = query
    return query if table is None else f"SELECT * FROM {table}"


def _choice(given: Mapping[str, str | int], name: str) -> Choice:
    """Which columns of a result are needed, by role; those that are not may hold what they like."""

    def choose(names: Sequence[str]) -> dict[str, str]:
        chosen = {role: names[position] for role, position in choose_by_name(names, given, name).items()}
        for column in chosen.values():
            if names.count(column) > 1:
                raise InputError(f"{name}: two columns are named {column!r}; tell them apart in the query, with AS.")
        return chosen

    return choose


def _existing_file(path: str, url: str) -> Path:
    file = Path(path).expanduser()
    if not path:
        raise InputError(f"The URL {url} names no file; expected one such as {EXPECTED_URLS}.")
    if not file.is_file():
        raise InputError(
            f"There is no database file {file}. The path in {url} begins after the third slash, "
            "and is relative to the working directory unless a fourth slash follows."
        )
    return file


# DuckDB


class _ArrowStream:
    """A relation of DuckDB in disguise: polars remembers all types it meets, and DuckDB complains of that at exit."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


def _ask_duckdb(file: Path, query: str, choose: Choice, name: str) -> Answer:
    try:
        import duckdb
    except ImportError as error:
        raise not_installed(name, error) from error
    try:
        with duckdb.connect(file, read_only=True) as connection, source_errors(name):
            relation = connection.sql(_statement(query, _table_of_duckdb(connection, query)))
            if relation is None:
                raise _no_table(name)
            header = choose(relation.columns)
            for column, dtype in zip(relation.columns, relation.types, strict=True):
                # polars gives up on the whole process over an interval.
                if column in header.values() and "INTERVAL" in str(dtype):
                    raise _unreadable(column, "intervals")
            needed = [duckdb.ColumnExpression(column) for column in dict.fromkeys(header.values())]
            return Answer(header, pl.DataFrame(_ArrowStream(relation.select(*needed))))
    except duckdb.Error as error:
        raise InputError(f"{name} cannot be asked ({_first_line(error)}). Check the file and the query.") from error


def _table_of_duckdb(connection: Any, query: str) -> str | None:
    """The table or view with this name, in quotes."""
    found = "SELECT 1 FROM information_schema.tables WHERE table_name = ? AND table_schema = current_schema()"
    if not connection.execute(found, [query]).fetchall():
        return None
    return '"{}"'.format(query.replace('"', '""'))


# All others


def parse_url(url: str) -> sql.URL:
    """The URL of a database that SQLAlchemy speaks to, with the driver that is installed with tlogic.

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
    # Nothing behind the scheme is shown: who knows which part of it is a password.
    return InputError(
        f"The database URL {url.partition('://')[0]}://... is not understood; expected one such as {EXPECTED_URLS}. "
        "Write @, :, / and % in a user's name or password as %40, %3A, %2F and %25."
    )


def public_name(url: sql.URL) -> str:
    """What may be shown of a URL: its scheme, host and database.

    >>> public_name(parse_url("postgresql://ann:secret@host:5432/events"))
    'postgresql://host:5432/events'
    """
    port = f":{url.port}" if url.port else ""
    return f"{url.get_backend_name()}://{url.host or ''}{port}/{url.database or ''}"


def _ask_sqlalchemy(url: sql.URL, query: str, choose: Choice, name: str) -> Answer:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        connection = _engine(url, name).connect()
    except SQLAlchemyError as error:
        raise InputError(
            f"Cannot connect to {name} ({reason_of(error, url)}). Check the URL, and that the database can be reached."
        ) from None  # what the driver says in full may hold the password
    try:
        with closing(connection):
            connection.execution_options(postgresql_readonly=True)
            statement = _statement(query, _table_of(connection, query))
            # Without parameters a % is a %, whatever the driver thinks of it.
            connection.execution_options(no_parameters=True)
            return _fetch(connection.exec_driver_sql(statement), choose, name)
    except SQLAlchemyError as error:
        raise InputError(f"{name} cannot answer the query ({reason_of(error, url)}). Check the query.") from error


def _table_of(connection: sql.Connection, query: str) -> str | None:
    """The table or view with this name, in the quotes of the database."""
    from sqlalchemy import inspect

    if len(query) > _LONGEST_NAME or not inspect(connection).has_table(query):
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
            f"{url.drivername}:// is no database that is known here; expected a URL such as {EXPECTED_URLS}."
        ) from error
    except ImportError as error:
        raise not_installed(name, error) from error


def _sqlite_opener(url: sql.URL, name: str) -> Callable[[], Any]:
    import sqlite3

    file = _existing_file(url.database or "", name)
    return lambda: sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)


def _fetch(result: sql.CursorResult[Any], choose: Choice, name: str) -> Answer:
    if not result.returns_rows:
        raise _no_table(name)
    names = list(result.keys())
    header = choose(names)
    needed = list(dict.fromkeys(header.values()))
    batches = result.columns(*(names.index(column) for column in needed)).partitions(_BATCH)
    frames = [pl.DataFrame(list(map(_series, needed, zip(*rows, strict=True)))) for rows in batches]
    return Answer(header, pl.concat(frames, how="vertical_relaxed") if frames else pl.DataFrame())


def _series(column: str, values: Sequence[Any]) -> pl.Series:
    types = set(map(type, values)) - {type(None)}
    if not types <= _READABLE:
        raise _unreadable(column, f"the type {min(kind.__name__ for kind in types - _READABLE)}")
    if types in _AS_THEY_ARE:
        return pl.Series(column, values)
    return pl.Series(column, [None if value is None else str(value) for value in values], dtype=pl.String)


# What to say


def _unreadable(column: str, found: str) -> InputError:
    return InputError(
        f"The column {column!r} of the query holds {found}; expected names, integers or dates. "
        "Convert it in the query, for example with CAST."
    )


def _no_table(name: str) -> InputError:
    return InputError(f"{name}: the query gives no table; expected a SELECT, or the name of a table.")


def not_installed(name: str, error: ImportError) -> InputError:
    """What to say where SQLAlchemy or a driver is missing."""
    return InputError(
        f"{name} cannot be read, because a package is missing ({error}). SQLite, DuckDB and PostgreSQL are read after "
        "pip install 'tlogic[databases]'; for other databases, also install the driver that SQLAlchemy asks for."
    )


def reason_of(error: Exception, url: sql.URL) -> str:
    """Why the database refused, without the password that a driver may repeat."""
    reason = _first_line(getattr(error, "orig", None) or error)
    for secret in (url.password, url.query.get("password")):
        reason = reason.replace(str(secret), "***") if secret else reason
    return reason


def _first_line(error: object) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]
