"""SQL tables of an event store, and the differences between SQLite and PostgreSQL.

Every writer locks the store first. So event numbers become visible in order, and a reader that polls for new numbers
misses none. Names and events are only added, unless an operator removes some: then there is a new entry in REMOVALS,
and ids and numbers may have changed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite

from tlogic.errors import InputError
from tlogic.events.timeline import Integers
from tlogic.serving.store.store_errors import DamagedStoreError
from tlogic.serving.store.stored_values import check_names, check_row

FORMAT = 1
LOCK_TIMEOUT_SECONDS = 30
"""How long a writer waits for another writer."""
CONNECT_TIMEOUT_SECONDS = 10
"""How long to wait for a connection to the server."""

Row = tuple[int, int, int, int]

LOCKED = {"SQLITE_BUSY", "SQLITE_LOCKED", "55P03"}
"""The codes of errors of databases that are locked by another process."""

_ROWS_PER_CHUNK = 100_000
# Databases limit the number of values in one statement.
_MAX_VALUES = 5_000
# The advisory lock that prevents two processes from creating the tables at once.
_CREATION_LOCK = 0x746C6F676963

_METADATA = sql.MetaData()
_LARGE = sql.BigInteger().with_variant(sql.Integer, "sqlite")  # SQLite numbers rows only in an Integer column

NAMES = sql.Table(
    "tlogic_names",
    _METADATA,
    sql.Column("kind", sql.String(8), primary_key=True),
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("digest", sql.LargeBinary, nullable=False),
    # Bytes, because a text in PostgreSQL cannot contain the character NUL.
    sql.Column("name", sql.LargeBinary, nullable=False),
    sql.UniqueConstraint("kind", "digest"),
)

EVENTS = sql.Table(
    "tlogic_events",
    _METADATA,
    sql.Column("number", _LARGE, primary_key=True, autoincrement=False),
    sql.Column("subject", sql.Integer, nullable=False),
    sql.Column("relation", sql.Integer, nullable=False),
    sql.Column("object", sql.Integer, nullable=False),
    sql.Column("step", _LARGE, nullable=False),
    sql.UniqueConstraint("subject", "relation", "object", "step"),
)

STATE = sql.Table(
    "tlogic_state",
    _METADATA,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("format", sql.Integer, nullable=False),
    sql.Column("last", _LARGE, nullable=False),
    sql.Column("entities", sql.Integer, nullable=False),
    sql.Column("relations", sql.Integer, nullable=False),
    sql.Column("first_step", _LARGE),
    sql.Column("last_step", _LARGE),
    sql.Column("timeline", sql.Text),
)

VERSIONS = sql.Table(
    "tlogic_versions",
    _METADATA,
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("kind", sql.String(8), nullable=False),
    sql.Column("made", sql.String(32), nullable=False),
    sql.Column("about", sql.Text, nullable=False),
    sql.Column("content", sql.LargeBinary, nullable=False),
)

LEARNING = sql.Table(
    "tlogic_learning",
    _METADATA,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("owner", sql.Text),  # null if nobody learns
    # Seconds since 1970, by the clock of the database, which all services share.
    sql.Column("began", sql.Double, nullable=False),
    sql.Column("until", sql.Double, nullable=False),
    sql.Column("learned", sql.Double, nullable=False),
)
"""One row: which service learns on the schedule, since when, and when its claim lapses; and when the latest learning
that was finished began."""

REMOVALS = sql.Table(
    "tlogic_removals",
    _METADATA,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("time", sql.String(32), nullable=False),
    sql.Column("selection", sql.Text, nullable=False),
    sql.Column("events", _LARGE, nullable=False),
)
"""One row for each removal of events, numbered from 1."""

_FACT = (EVENTS.c.subject, EVENTS.c.relation, EVENTS.c.object, EVENTS.c.step)


# Connections


def make_engine(url: sql.URL) -> sql.Engine:
    """Create the connection pool, which reconnects after the database was unreachable."""
    # Parameters are hidden, because half a million events would bury an error message.
    if url.get_backend_name() != "sqlite":
        timeout = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_TIMEOUT_SECONDS}
        return sql.create_engine(url, pool_pre_ping=True, connect_args=timeout, hide_parameters=True)
    # Without an isolation level the driver does not begin transactions itself; _begin_sqlite does.
    arguments = {"timeout": LOCK_TIMEOUT_SECONDS, "isolation_level": None}
    engine = sql.create_engine(url, connect_args=arguments, hide_parameters=True)
    sql.event.listen(engine, "connect", _make_durable)
    sql.event.listen(engine, "begin", _begin_sqlite)
    return engine


def for_writing(connection: sql.Connection) -> sql.Connection:
    """Set the isolation level of a writer, which sees everything committed before it gets the lock."""
    if connection.dialect.name == "sqlite":
        return connection.execution_options(tlogic_writes=True)
    return connection.execution_options(isolation_level="READ COMMITTED")


def for_reading(connection: sql.Connection) -> sql.Connection:
    """Set the isolation level of a reader, which sees a consistent snapshot."""
    if connection.dialect.name == "sqlite":
        return connection
    return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def lock(connection: sql.Connection) -> sql.Row[Any]:
    """Lock the store for writing until the transaction ends, and read its state."""
    if connection.dialect.name != "sqlite":  # SQLite locks when the transaction begins
        _set_timeouts(connection)
    return connection.execute(sql.select(STATE).with_for_update()).one()


def learning_claim(connection: sql.Connection) -> tuple[sql.Row[Any], float]:
    """The row of LEARNING in a store that is locked for writing, and the time by the clock of the database."""
    is_sqlite = connection.dialect.name == "sqlite"
    seconds = "(julianday('now') - 2440587.5) * 86400.0" if is_sqlite else "extract(epoch FROM clock_timestamp())"
    now = float(connection.scalar(sql.text(f"SELECT {seconds}")))
    LEARNING.create(connection, checkfirst=True)  # stores of earlier versions lack it
    row = connection.execute(sql.select(LEARNING)).first()
    if row is None:  # nobody has learned yet, so the first period begins now
        connection.execute(sql.insert(LEARNING).values(id=1, began=now, until=now, learned=now))
        row = connection.execute(sql.select(LEARNING)).one()
    return check_row(row, LEARNING.c), now


def _make_durable(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: sql.Connection) -> None:
    writes = connection.get_execution_options().get("tlogic_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _set_timeouts(connection: sql.Connection) -> None:
    """Limit the wait for a lock, and release the lock of a client that disappeared during a transaction."""
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'")
    connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = '{2 * LOCK_TIMEOUT_SECONDS}s'")


# Creating the tables


def prepare(engine: sql.Engine, name: str) -> None:
    """Create missing tables. Refuse tables of another format and foreign SQLite files."""
    with engine.connect() as connection, for_reading(connection).begin():
        tables = sql.inspect(connection).get_table_names()
        if STATE.name in tables:
            _check_format(connection.execute(sql.select(STATE.c.format)).scalar(), name)
            if REMOVALS.name in tables:  # stores of earlier versions lack it
                return
    if tables and STATE.name not in tables and engine.dialect.name == "sqlite":
        raise InputError(
            f"{name} is another database (its tables are {', '.join(tables[:3])}), not an event store. "
            "Give the path of a store, or of a new file."
        )
    if engine.dialect.name == "sqlite":
        _enable_write_ahead_log(engine)
    with engine.connect() as connection, for_writing(connection).begin():
        if engine.dialect.name != "sqlite":
            connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_CREATION_LOCK)))
        _METADATA.create_all(connection)
        if connection.execute(sql.select(STATE.c.id)).first() is None:
            connection.execute(sql.insert(STATE).values(id=1, format=FORMAT, last=0, entities=0, relations=0))


def _check_format(found: int | None, name: str) -> None:
    if found != FORMAT:
        raise InputError(
            f"The store {name} has format {found}, but this version of tlogic reads format {FORMAT}; "
            "use the version of tlogic that wrote it, or a new store."
        )


def _enable_write_ahead_log(engine: sql.Engine) -> None:
    """Let readers read during a write. SQLite stores this setting in the file."""
    connection = engine.raw_connection()
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
        while True:
            try:
                connection.cursor().execute("PRAGMA journal_mode = WAL")
                return
            except engine.dialect.loaded_dbapi.Error as error:
                # SQLite does not wait here if another process does the same.
                if error.sqlite_errorname not in LOCKED or time.monotonic() > deadline:
                    raise sql.exc.DBAPIError("PRAGMA journal_mode = WAL", None, error) from error
                time.sleep(0.01)
    finally:
        connection.close()


# Names


def known_ids(connection: sql.Connection, kind: str, digests: Sequence[bytes]) -> dict[bytes, int]:
    """The ids of stored names, by digest."""
    known: dict[bytes, int] = {}
    for start in range(0, len(digests), _MAX_VALUES):
        some = digests[start : start + _MAX_VALUES]
        found = sql.select(NAMES.c.digest, NAMES.c.id).where(NAMES.c.kind == kind, NAMES.c.digest.in_(some))
        known.update((bytes(digest), id) for digest, id in connection.execute(found))
    return known


def insert_names(
    connection: sql.Connection, kind: str, first_id: int, digests: Sequence[bytes], names: Sequence[bytes]
) -> None:
    """Add names with consecutive ids from the first id."""
    for start in range(0, len(names), _ROWS_PER_CHUNK):
        some = slice(start, start + _ROWS_PER_CHUNK)
        ids = range(first_id + start, first_id + len(names))
        rows = list(zip(ids, digests[some], names[some], strict=False))
        if connection.dialect.name == "sqlite":
            _insert_many(connection, sql.insert(NAMES), NAMES.c, [(kind, *row) for row in rows])
        else:
            new = _table_of(rows, id=NAMES.c.id, digest=NAMES.c.digest, name=NAMES.c.name)
            every = sql.select(sql.literal(kind), new.c.id, new.c.digest, new.c.name)
            connection.execute(sql.insert(NAMES).from_select(["kind", "id", "digest", "name"], every))


def names_from(connection: sql.Connection, kind: str, first_id: int, n_names: int) -> list[str]:
    """The names from an id on, in a store with that number of names."""
    columns = (NAMES.c.id, NAMES.c.digest, NAMES.c.name)
    found = sql.select(*columns).where(NAMES.c.kind == kind, NAMES.c.id >= first_id).order_by(NAMES.c.id)
    return check_names(kind, first_id, n_names, connection.execute(found).all())


def name_of(connection: sql.Connection, kind: str, number: int) -> str:
    """The name with an id."""
    columns = (NAMES.c.id, NAMES.c.digest, NAMES.c.name)
    found = connection.execute(sql.select(*columns).where(NAMES.c.kind == kind, NAMES.c.id == number)).all()
    return check_names(kind, number, number + 1, found)[0]


def delete_names(connection: sql.Connection, kind: str, ids: Sequence[int]) -> None:
    """Delete names that no event uses."""
    for start in range(0, len(ids), _MAX_VALUES):
        some = ids[start : start + _MAX_VALUES]
        connection.execute(sql.delete(NAMES).where(NAMES.c.kind == kind, NAMES.c.id.in_(some)))


def renumber_names(
    connection: sql.Connection, kind: str, columns: Sequence[sql.Column[Any]], new_ids: Mapping[int, int]
) -> None:
    """Give names other ids, which are free, in the names and in the given columns of the events."""
    if not new_ids:
        return
    new = sql.Table(
        "tlogic_new_ids",
        sql.MetaData(),
        sql.Column("old", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("new", sql.Integer, nullable=False),
        prefixes=["TEMPORARY"],
    )
    new.create(connection)
    connection.execute(sql.insert(new), [{"old": old, "new": number} for old, number in new_ids.items()])
    for column, conditions in ((NAMES.c.id, [NAMES.c.kind == kind]), *((column, []) for column in columns)):
        new_id = sql.select(new.c.new).where(new.c.old == column).scalar_subquery()
        affected = column.in_(sql.select(new.c.old))
        connection.execute(sql.update(column.table).values({column: new_id}).where(affected, *conditions))
    new.drop(connection)


# Events


def n_removals(connection: sql.Connection) -> int:
    """How many times events were removed."""
    newest = connection.execute(sql.select(REMOVALS.c.id).order_by(REMOVALS.c.id.desc()).limit(1)).first()
    return 0 if newest is None else check_row(newest, [REMOVALS.c.id])[0]


def insert_events(connection: sql.Connection, last: int, rows: Sequence[Row]) -> int:
    """Add distinct events that are not stored yet, numbered from last + 1; returns the new last number."""
    insert = _insert_into_sqlite if connection.dialect.name == "sqlite" else _insert_into_postgresql
    for start in range(0, len(rows), _ROWS_PER_CHUNK):
        insert(connection, last, rows[start : start + _ROWS_PER_CHUNK])
        last = _last_number(connection)
    return last


def _last_number(connection: sql.Connection) -> int:
    return connection.scalar(sql.select(sql.func.max(EVENTS.c.number))) or 0


def _insert_into_sqlite(connection: sql.Connection, _last: int, rows: Sequence[Row]) -> None:
    # Without a number, SQLite assigns the next one.
    insert = sqlite.insert(EVENTS).values(number=sql.null()).on_conflict_do_nothing()
    _insert_many(connection, insert, _FACT, rows)


def _insert_into_postgresql(connection: sql.Connection, last: int, rows: Sequence[Row]) -> None:
    new = _table_of(rows, **{column.name: column for column in _FACT})
    number = sql.literal(last, sql.BigInteger) + sql.func.row_number().over(order_by=new.c.position)
    is_stored = sql.exists().where(*(column == new.c[column.name] for column in _FACT))
    fresh = sql.select(number, *(new.c[column.name] for column in _FACT)).where(~is_stored)
    connection.execute(sql.insert(EVENTS).from_select([EVENTS.c.number, *_FACT], fresh))


def events_after(connection: sql.Connection, number: int, last: int, *, has_gaps: bool) -> Integers:
    """Subject, relation, object and time step of the events after a number to the last, one row per column.

    If events were removed, their numbers are missing.
    """
    if last <= number:
        return np.empty((len(_FACT), 0), dtype=np.int64)
    incomplete = DamagedStoreError(f"the events {number + 1:,} to {last:,} are not complete")
    if _last_number(connection) != last:  # a wrong last number may be so high that reading up to it never ends
        raise incomplete
    parts = [
        _events_between(connection, start, start + _ROWS_PER_CHUNK) for start in range(number, last, _ROWS_PER_CHUNK)
    ]
    facts = np.concatenate(parts, axis=1)
    if facts.shape[1] != last - number and not has_gaps:
        raise incomplete
    return facts


def _events_between(connection: sql.Connection, after: int, to: int) -> Integers:
    # One long text per column is several times faster than rows.
    columns = (sql.func.aggregate_strings(sql.cast(column, sql.String), ",") for column in (EVENTS.c.number, *_FACT))
    between = sql.select(*columns).where(EVENTS.c.number > after, EVENTS.c.number <= to)
    texts = connection.execute(between).one()
    columns_of_numbers = [_numbers(text or "") for text in texts]
    if len({len(column) for column in columns_of_numbers}) > 1:
        raise DamagedStoreError(f"some of the events {after + 1:,} to {to:,} are not numbers")
    table = np.array(columns_of_numbers)
    return table[1:, np.argsort(table[0])]


def _numbers(text: str) -> Integers:
    """The numbers of a text, separated by commas, up to the first one that is none."""
    with suppress(ValueError, DeprecationWarning):
        return np.fromstring(text, dtype=np.int64, sep=",")
    return np.empty(0, np.int64)


# Many rows at once


def _insert_many(
    connection: sql.Connection, insert: Any, columns: Iterable[sql.Column[Any]], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows directly through the SQLite driver, which is faster than through SQLAlchemy."""
    statement = insert.inline().values({column.name: sql.bindparam(column.name) for column in columns})
    connection.exec_driver_sql(str(statement.compile(connection.engine)), list(rows))


def _table_of(rows: Sequence[tuple[Any, ...]], **columns: sql.Column[Any]) -> Any:
    """Rows as a PostgreSQL table expression, with their `position`."""
    arrays = (
        sql.cast(sql.literal(_array_text(values), sql.Text), postgresql.ARRAY(column.type))
        for column, values in zip(columns.values(), zip(*rows, strict=True), strict=True)
    )
    return sql.func.unnest(*arrays).table_valued(*columns, with_ordinality="position").render_derived()


def _array_text(values: Sequence[int] | Sequence[bytes]) -> str:
    """A PostgreSQL array as text, which is much faster than the conversion by the driver.

    >>> print(_array_text([3, -1]), _array_text([b"Ann"]))
    {3,-1} {"\\\\x416e6e"}
    """
    items = (rf'"\\x{value.hex()}"' if isinstance(value, bytes) else str(value) for value in values)
    return f"{{{','.join(items)}}}"
