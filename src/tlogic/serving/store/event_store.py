"""Event store: events, rules and models of a service in SQLite or PostgreSQL."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from tlogic.errors import InputError
from tlogic.events.sources.databases import is_database_url, not_installed, parse_url, public_name, reason_of
from tlogic.events.timeline import Integers, Label
from tlogic.serving.store.encoded_events import EncodedEvents, Span, check_events, check_span
from tlogic.serving.store.store_errors import DamagedStoreError, DamagedVersionError, StoreError

try:
    import sqlalchemy as sql
    from sqlalchemy.exc import SQLAlchemyError

    from tlogic.serving.store import removals
    from tlogic.serving.store import sql_tables as tables
    from tlogic.serving.store.removals import Removal, Selection
    from tlogic.serving.store.stored_state import StoreState, lock_state, read_state, write_state
    from tlogic.serving.store.stored_values import check_facts, check_ids, check_row, digest_of
except ImportError as error:
    raise not_installed("an event store", error) from error

NameKind = Literal["entity", "relation"]
VersionKind = Literal["rules", "model"]

_DRIVERS = ("sqlite", "sqlite+pysqlite", "postgresql+psycopg")
_DISK_IS_FULL = {"SQLITE_FULL", "53100"}
_IS_DAMAGED = {"SQLITE_CORRUPT", "XX001", "XX002"}
_DAMAGED_TEXT = "a text in it is not valid UTF-8"


class AddResult(NamedTuple):
    """The result of adding events: new events, events that were already stored, and the last event number."""

    added: int
    known: int
    last: int


class StoredEvents(NamedTuple):
    """Events as integers, in the order of their event numbers, of which `last` is the last."""

    subject: Integers
    relation: Integers
    object: Integers
    step: Integers
    last: int


class Changes(NamedTuple):
    """A consistent snapshot of what is new in a store, and its state."""

    state: StoreState
    events: StoredEvents
    entities: list[str]
    relations: list[str]
    n_removals: int
    """How many times events were removed. If it has changed, this is all of the store, with new ids and numbers."""


@dataclass(frozen=True)
class VersionInfo:
    """A version of rules or a model: its kind, creation time (UTC) and metadata."""

    version: int
    kind: VersionKind
    made: str
    about: Mapping[str, Any]


@dataclass(frozen=True)
class Version(VersionInfo):
    """A version with its content."""

    content: str


class EventStore:
    """Events in a database. Threads, processes and machines can share it.

    Events are numbered from 1 in the order of arrival, names from 0. `changes_since` returns what is new after given
    numbers. Open a store with `EventStore.open`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, EventStore.open(f"{folder}/events.db") as calls:
        ...     calls.add(calls.check([("Ann", "calls", "Bob", "2014-08-09"), ("Bob", "calls", "Ann", "2014-08-11")]))
        ...     calls.add(calls.check([("Ann", "calls", "Bob", "2014-08-09"), ("Ann", "calls", "Eve", "2014-08-01")]))
        ...     changes = calls.changes_since(2, n_entities=2, n_relations=1)
        AddResult(added=2, known=0, last=2)
        AddResult(added=1, known=1, last=3)
        >>> changes.entities, changes.relations, changes.events.step.tolist()
        (['Eve'], [], [-8])
    """

    def __init__(self, url: sql.URL, name: str) -> None:
        self.name = name
        self._url = url
        self._engine = tables.make_engine(url)

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """Open a store. It is created if it does not exist.

        Args:
            where: The path of an SQLite file, or a URL such as sqlite:///events.db or
                postgresql://user:password@host/name.

        Returns:
            The store, to be closed after use, for example by a ``with`` statement.

        Raises:
            InputError: If it cannot be opened, or is not an event store.

        Example:
            >>> EventStore.open("mysql://host/name")
            Traceback (most recent call last):
                ...
            tlogic.errors.InputError: mysql://host/name cannot be an event store; expected the path of a file, ...
        """
        url = parse_url(where) if is_database_url(where) else sql.URL.create("sqlite", database=str(where))
        name = public_name(url) if is_database_url(where) else str(where)
        _check_location(url, name)
        try:
            store = cls(url, name)
        except ImportError as error:
            raise not_installed(name, error) from error
        try:
            tables.prepare(store._engine, name)
        except SQLAlchemyError as error:
            store.close()
            raise InputError(
                f"Cannot open the store {name}: {_failure(error)} ({reason_of(error, url)}). "
                "Give the path of a store or of a new file, or the URL of a reachable database."
            ) from None  # the message of the driver may contain the password
        except UnicodeDecodeError:
            store.close()
            raise InputError(f"Cannot open the store {name}: {_DAMAGED_TEXT}. Restore it from a copy.") from None
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close all connections to the database.

        Example:
            >>> store.close()
        """
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Writing

    def check(
        self,
        rows: Iterable[Mapping[str, Any] | Sequence[Any]],
        *,
        step: str | int | None = None,
        time_zone: str = "UTC",
    ) -> EncodedEvents:
        """Validate and encode events for this store.

        Args:
            rows: Mappings or tuples of subject, relation, object and time. A time is a string, an integer or a date.
            step: The length of a time step, such as "1d", for the first events of a store. By default, it is derived
                from them.
            time_zone: The time zone of the first events.

        Returns:
            The encoded events, for `add`.

        Raises:
            InvalidEventsError: If an event is invalid.
            InputError: If there are no events, or the time step differs from the one of the store.
            StoreError: If the database fails.

        Example:
            >>> len(store.check([("Ann", "calls", "Bob", "2030-04-30")]))
            1
        """
        state = self.state()
        return check_events(rows, state.timeline, span=state.span, step=step, time_zone=time_zone)

    def add(self, events: EncodedEvents) -> AddResult:
        """Add events: all of them or, after an error, none. Events that are already stored have no effect.

        After a `StoreError` it is safe to add the same events again, even if the database did store them.

        Args:
            events: The encoded events, as `check` returns them.

        Returns:
            The number of new events, of events that were already stored, and the last event number.

        Raises:
            InputError: If the events are too far apart, or have another time step than the store.
            StoreError: If the database fails.

        Example:
            >>> store.add(store.check([("Ann", "calls", "Bob", "2030-04-30")])).added
            1
        """
        with self._transaction(writing=True) as connection:
            state = lock_state(connection)
            events = events if state.timeline is None else events.on(state.timeline)
            span = _union(state.span, events.span)
            check_span(span, events.timeline)
            entities, n_entities = _ids_of(connection, "entity", events.entities, state.n_entities)
            relations, n_relations = _ids_of(connection, "relation", events.relations, state.n_relations)
            columns = (entities[events.subject], relations[events.relation], entities[events.object], events.step)
            distinct = list(dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True)))
            last = tables.insert_events(connection, state.last, distinct)
            _check_added(last - state.last, len(distinct))
            if last > state.last:
                write_state(connection, StoreState(last, n_entities, n_relations, events.timeline, span))
        added = last - state.last
        return AddResult(added, len(events) - added, last)

    def remove(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,
        since: Label | None = None,
        until: Label | None = None,
    ) -> int:
        """Remove the events that match all given parts: all of them or, after an error, none.

        Names that no event has any more are removed, too. The removal is logged in the store. Services of this store
        load the events again within a second; versions of rules and models stay as they are.

        Args:
            subject: The subject.
            relation: The relation.
            object: The object.
            since: The first time. Its whole time step is included.
            until: The last time. Its whole time step is included.

        Returns:
            The number of events that were removed.

        Raises:
            InputError: If no part is given, or a name or a time is unknown.
            StoreError: If the database fails.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> with TemporaryDirectory() as folder, EventStore.open(f"{folder}/events.db") as calls:
            ...     _ = calls.add(calls.check([("Ann", "calls", "Bob", 3), ("Bob", "calls", "Eve", 9_000)], step=1))
            ...     calls.remove(since=1000), calls.removals()[0].selection
            (1, {'since': '1000'})
        """
        selection = Selection(subject, relation, object, since, until)
        selection.check()
        with self._transaction(writing=True) as connection:
            state = lock_state(connection)
            if state.timeline is None:
                return 0
            return removals.remove(connection, selection, removals.conditions(connection, selection, state), state)

    def save_version(self, kind: VersionKind, content: str, about: Mapping[str, Any]) -> int:
        """Store rules or a model, as the text of their file; returns the number of the version, counted from 1."""
        if kind not in ("rules", "model"):
            raise InputError(f"The kind of a version must be 'rules' or 'model', not {kind!r}.")
        made = datetime.now(UTC).isoformat(timespec="seconds")
        packed = zlib.compress(content.encode())
        with self._transaction(writing=True) as connection:
            tables.lock(connection)
            newest = connection.scalar(sql.select(sql.func.max(tables.VERSIONS.c.version))) or 0
            values = {"version": newest + 1, "kind": kind, "made": made, "about": json.dumps(dict(about))}
            connection.execute(sql.insert(tables.VERSIONS).values(**values, content=packed))
        return newest + 1

    def claim_learning(self, owner: str, period: float, lease: float) -> float:
        """Claim the next learning on a schedule that several services share.

        The claim lapses after ``lease`` seconds, so that another service takes over if its owner dies. To renew it, the
        owner claims again before that.

        Args:
            owner: The service, by a name that no other has.
            period: The seconds from the start of one run of learning to the start of the next.
            lease: The seconds until the claim lapses.

        Returns:
            The seconds until it may be this owner's turn; 0 if it has the claim now.

        Raises:
            StoreError: If the database fails.

        Example:
            >>> store.claim_learning("first service", period=0, lease=60)
            0.0
            >>> store.claim_learning("second service", period=0, lease=60) > 50
            True
        """
        with self._transaction(writing=True) as connection:
            tables.lock(connection)
            claim, now = tables.learning_claim(connection)
            is_own = claim.owner == owner
            wait = 0.0 if is_own else max(claim.until, claim.learned + period, now) - now
            if wait == 0.0:
                values = {"owner": owner, "began": claim.began if is_own else now, "until": now + lease}
                connection.execute(sql.update(tables.LEARNING).values(**values))
        return wait

    def release_learning(self, owner: str, *, is_done: bool) -> None:
        """Give up a claim. If learning is done, the next period counts from its start, else another service may learn.

        Args:
            owner: The service. If it has no claim, or its claim lapsed and another one has it, nothing happens.
            is_done: Whether learning has ended.

        Raises:
            StoreError: If the database fails.

        Example:
            >>> store.release_learning("first service", is_done=True)
        """
        with self._transaction(writing=True) as connection:
            tables.lock(connection)
            claim, now = tables.learning_claim(connection)
            if claim.owner == owner:
                learned = claim.began if is_done else claim.learned
                connection.execute(sql.update(tables.LEARNING).values(owner=None, until=now, learned=learned))

    # Reading

    def state(self) -> StoreState:
        """Read the size, timeline and span of the store.

        Returns:
            The last event number, the numbers of entities and relations, the timeline, and the first and last time
            step. Timeline and span are None while the store is empty.

        Raises:
            StoreError: If the database fails.

        Example:
            >>> store.state().timeline.step_size
            '1 day'
        """
        with self._transaction() as connection:
            return read_state(connection)

    def changes_since(self, last: int, n_entities: int, n_relations: int, n_removals: int = 0) -> Changes:
        """Events and names after the given numbers, as one consistent snapshot; with zeros, all of them.

        If events were removed since, it is all of them, too.
        """
        with self._transaction() as connection:
            state, removals_now = read_state(connection), tables.n_removals(connection)
            if removals_now != n_removals:
                last = n_entities = n_relations = 0
            # Most changes have no new names. Each statement waits for the interpreter, which busy requests use.
            has_new_entities, has_new_relations = state.n_entities > n_entities, state.n_relations > n_relations
            return Changes(
                state,
                _events_after(connection, last, state, has_gaps=removals_now > 0),
                tables.names_from(connection, "entity", n_entities, state.n_entities) if has_new_entities else [],
                tables.names_from(connection, "relation", n_relations, state.n_relations) if has_new_relations else [],
                removals_now,
            )

    def find(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,
        since: Label | None = None,
        until: Label | None = None,
        limit: int = 10,
    ) -> tuple[int, list[tuple[str, str, str, str]]]:
        """Find the events that match all given parts, such as those to be removed.

        Args:
            subject: The subject.
            relation: The relation.
            object: The object.
            since: The first time. Its whole time step is included.
            until: The last time. Its whole time step is included.
            limit: The maximum number of events to return.

        Returns:
            The number of events that match, and the earliest of them.

        Raises:
            InputError: If a name or a time is unknown.
            StoreError: If the database fails.

        Example:
            >>> count, events = store.find(subject="Kite Aviation", relation="sue", limit=1)
            >>> count > 1, events[0][:2]
            (True, ('Kite Aviation', 'sue'))
        """
        selection = Selection(subject, relation, object, since, until)
        with self._transaction() as connection:
            state = read_state(connection)
            if state.timeline is None:
                return 0, []
            matching = removals.conditions(connection, selection, state)
            found = removals.first_events(connection, matching, state, limit)
            return removals.count(connection, matching), found

    def removals(self) -> list[Removal]:
        """List all removals of events.

        Returns:
            When each was (UTC), what was selected, and the number of events; oldest first.

        Raises:
            StoreError: If the database fails.

        Example:
            >>> store.removals()
            []
        """
        with self._transaction() as connection:
            return removals.log_of(connection)

    def versions(self) -> list[VersionInfo]:
        """List all versions of rules and models, without their contents.

        Returns:
            The versions, newest first.

        Raises:
            StoreError: If the database fails.

        Example:
            >>> store.versions()[-1].kind
            'rules'
        """
        v = tables.VERSIONS.c
        columns = (v.version, v.kind, v.made, v.about)
        with self._transaction() as connection:
            rows = connection.execute(sql.select(*columns).order_by(v.version.desc())).all()
        found = [check_row(row, columns) for row in rows]
        return [VersionInfo(number, kind, made, _about(about)) for number, kind, made, about in found]

    def version(self, number: int) -> Version:
        """Read one version with its content.

        Args:
            number: The number of the version, counted from 1.

        Returns:
            The version.

        Raises:
            InputError: If there is no such version, or it is damaged.
            StoreError: If the database fails.

        Example:
            >>> store.version(1).version
            1
        """
        with self._transaction() as connection:
            found = connection.execute(sql.select(tables.VERSIONS).where(tables.VERSIONS.c.version == number)).first()
        if found is None:
            raise InputError(f"The store {self.name} has no version {number}.")
        n, kind, made, about, packed = check_row(found, tables.VERSIONS.c)
        return Version(n, kind, made, _about(about), _unpacked(n, packed))

    @contextmanager
    def _transaction(self, *, writing: bool = False) -> Iterator[sql.Connection]:
        """A transaction: all writes or none, and consistent reads."""
        prepared = tables.for_writing if writing else tables.for_reading
        try:
            with self._engine.connect() as connection, prepared(connection).begin():
                yield connection
        except SQLAlchemyError as error:
            failure = _failure(error)
            consequence = _consequence(_code_of(error), writing)
            raise StoreError(
                f"The store {self.name} failed: {failure} ({reason_of(error, self._url)}).{consequence}",
                f"The store failed: {failure}.{consequence}",
                disk_is_full=_code_of(error) in _DISK_IS_FULL,
            ) from error
        except UnicodeDecodeError:
            raise DamagedStoreError(_DAMAGED_TEXT) from None


def is_new(where: str | Path) -> bool:
    """True if this is the path of a file that does not exist yet.

    >>> is_new("no-such.db"), is_new("postgresql://host/name")
    (True, False)
    """
    return not is_database_url(where) and not Path(where).exists()


def _check_location(url: sql.URL, name: str) -> None:
    if url.drivername not in _DRIVERS:
        raise InputError(
            f"{name} cannot be an event store; expected the path of a file, sqlite:///FILE or "
            "postgresql://USER@HOST/NAME."
        )
    if url.get_backend_name() != "sqlite":
        return
    if url.database in (None, "", ":memory:"):
        raise InputError("An event store needs a file; give its path, such as events.db or sqlite:///events.db.")
    folder = Path(str(url.database)).parent
    if not folder.is_dir():
        raise InputError(f"The folder {folder} of the store {name} does not exist; create it, or give another path.")


def _code_of(error: SQLAlchemyError) -> str | None:
    original = getattr(error, "orig", None)
    return getattr(original, "sqlite_errorname", None) or getattr(original, "sqlstate", None)


def _failure(error: SQLAlchemyError) -> str:
    """A short description of a database error."""
    code = _code_of(error)
    if code in _DISK_IS_FULL:
        return "the disk is full"
    if code in tables.LOCKED or isinstance(error, sql.exc.TimeoutError):
        return "the database is locked by another process"
    if code in _IS_DAMAGED or isinstance(error, sql.exc.NoResultFound):
        return "the database is damaged"
    if code == "SQLITE_NOTADB":
        return "the file is not a database"
    if code is None or code[:2] in ("08", "57") or getattr(error, "connection_invalidated", False):
        return "the database is unreachable"
    return "the database reported an error"


def _consequence(code: str | None, writing: bool) -> str:
    if code in _IS_DAMAGED:
        return " Restore it from a copy."
    return " Nothing was written; try again later." if writing else ""


# Events


def _union(known: Span | None, new: Span) -> Span:
    return new if known is None else Span(min(known.first, new.first), max(known.last, new.last))


def _check_added(n_added: int, n_given: int) -> None:
    if not 0 <= n_added <= n_given:
        raise DamagedStoreError(f"its number of events changed by {n_added:,} when {n_given:,} were added")


def _events_after(connection: sql.Connection, number: int, state: StoreState, *, has_gaps: bool) -> StoredEvents:
    facts = tables.events_after(connection, number, state.last, has_gaps=has_gaps)
    if state.span is not None:
        check_facts(facts, state.n_entities, state.n_relations, state.span)
    subjects, relations, objects, steps = facts
    return StoredEvents(subjects, relations, objects, steps, max(number, state.last))


# Versions


def _about(text: str) -> dict[str, Any]:
    """The metadata of a version; empty if it is damaged, because its content may still be used."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _unpacked(number: int, packed: bytes) -> str:
    try:
        return zlib.decompress(packed).decode()  # checks a checksum
    except (zlib.error, UnicodeDecodeError) as error:
        raise DamagedVersionError(number, str(error)) from None


# Names


def _ids_of(connection: sql.Connection, kind: NameKind, names: Sequence[str], count: int) -> tuple[Integers, int]:
    """The ids of names, after adding those that are new, and the new number of names."""
    encoded = [name.encode() for name in names]
    digests = [digest_of(name) for name in encoded]
    ids = tables.known_ids(connection, kind, digests)
    check_ids(kind, ids.values(), count)
    new = [position for position, digest in enumerate(digests) if digest not in ids]
    tables.insert_names(connection, kind, count, [digests[i] for i in new], [encoded[i] for i in new])
    ids.update((digests[position], count + order) for order, position in enumerate(new))
    return np.array([ids[digest] for digest in digests], dtype=np.int64), count + len(new)
