"""Removing events from a store: which events match, and keeping names and numbers consecutive.

Readers poll for new event numbers, so a removal is noted in a table of its own. Whoever sees a new entry there loads
all events again.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sql

from tlogic.errors import InputError
from tlogic.events import Timeline
from tlogic.events.timeline import Label
from tlogic.graph.vocabulary import Vocabulary
from tlogic.serving.store import sql_tables as tables


class Selection(NamedTuple):
    """Which events of a store are meant: those that match all of its parts that are not None.

    Times are inclusive. Names may differ in case, spaces and underscores if only one name matches.
    """

    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    since: Label | None = None
    until: Label | None = None

    def check(self) -> None:
        """Refuse a selection that matches everything."""
        if all(part is None for part in self):
            raise InputError("Give a subject, relation, object or time, so that not all events are removed.")

    def to_json(self) -> str:
        """The parts that are not None, for the log of removals."""
        parts = {name: str(part) for name, part in self._asdict().items() if part is not None}
        return json.dumps(parts, ensure_ascii=False)


class Removal(NamedTuple):
    """An entry in the log of removals: when (UTC), what was selected, and how many events were removed."""

    time: str
    selection: dict[str, str]
    events: int


def conditions(connection: sql.Connection, selection: Selection, timeline: Timeline) -> list[Any]:
    """The conditions on the table of events. Raises `InputError` for unknown names and times."""
    found: list[Any] = []
    for role in ("subject", "relation", "object"):
        name = getattr(selection, role)
        if name is not None:
            kind = "relation" if role == "relation" else "entity"
            found.append(tables.EVENTS.c[role] == Vocabulary(tables.names_from(connection, kind, 0), kind).id_of(name))
    if selection.since is not None:
        found.append(tables.EVENTS.c.step >= timeline.step_of(selection.since))
    if selection.until is not None:
        found.append(tables.EVENTS.c.step <= timeline.step_of(selection.until))
    return found


def count(connection: sql.Connection, matching: list[Any]) -> int:
    """The number of events that match."""
    return connection.scalar(sql.select(sql.func.count()).select_from(tables.EVENTS).where(*matching)) or 0


def first_events(
    connection: sql.Connection, matching: list[Any], timeline: Timeline, limit: int
) -> list[tuple[str, str, str, str]]:
    """The earliest events that match, with names and dates."""
    columns = [tables.EVENTS.c[name] for name in ("subject", "relation", "object", "step")]
    rows = connection.execute(sql.select(*columns).where(*matching).order_by(columns[-1], *columns[:-1]).limit(limit))

    def name_of(kind: str, number: int) -> str:
        wanted = sql.select(tables.NAMES.c.name).where(tables.NAMES.c.kind == kind, tables.NAMES.c.id == number)
        return bytes(connection.execute(wanted).scalar_one()).decode()

    return [
        (name_of("entity", s), name_of("relation", r), name_of("entity", o), timeline.label_of(step))
        for s, r, o, step in rows.all()
    ]


def remove(connection: sql.Connection, selection: Selection, matching: list[Any]) -> int:
    """Delete the events that match and the names that no event uses any more, and log it; returns how many events."""
    events = tables.EVENTS.c
    removed = connection.execute(sql.delete(tables.EVENTS).where(*matching)).rowcount
    if removed:
        n_entities = _remove_unused_names(connection, "entity", [events.subject, events.object])
        n_relations = _remove_unused_names(connection, "relation", [events.relation])
        last, first_step, last_step = connection.execute(
            sql.select(sql.func.max(events.number), sql.func.min(events.step), sql.func.max(events.step))
        ).one()
        values = {"last": last or 0, "first_step": first_step, "last_step": last_step}
        if last is None:  # the next first events determine the time step
            values["timeline"] = None
        connection.execute(sql.update(tables.STATE).values(**values, entities=n_entities, relations=n_relations))
        connection.execute(
            sql.insert(tables.REMOVALS).values(
                id=tables.n_removals(connection) + 1,
                time=datetime.now(UTC).isoformat(timespec="seconds"),
                selection=selection.to_json(),
                events=removed,
            )
        )
    return removed


def log_of(connection: sql.Connection) -> list[Removal]:
    """All removals, oldest first."""
    r = tables.REMOVALS.c
    rows = connection.execute(sql.select(r.time, r.selection, r.events).order_by(r.id))
    return [Removal(time, json.loads(selection), events) for time, selection, events in rows]


def _remove_unused_names(connection: sql.Connection, kind: str, columns: list[sql.Column[Any]]) -> int:
    """Delete names without events, and give their ids to the last names, so that ids stay consecutive.

    Returns the number of names that are left.
    """
    distinct = sql.union(*(sql.select(column.label("id")) for column in columns))
    used = set(connection.scalars(distinct))
    of_kind = sql.select(tables.NAMES.c.id).where(tables.NAMES.c.kind == kind)
    unused = sorted(set(connection.scalars(of_kind)) - used)
    tables.delete_names(connection, kind, unused)
    free = [number for number in unused if number < len(used)]
    last = sorted(number for number in used if number >= len(used))
    tables.renumber_names(connection, kind, columns, dict(zip(last, free, strict=True)))
    return len(used)
