"""Removing events from a store: which events match, and keeping names and numbers consecutive.

Readers poll for new event numbers, so a removal is noted in a table of its own. Whoever sees a new entry there loads
all events again.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sql

from tlogic.errors import InputError
from tlogic.events.timeline import Label
from tlogic.graph.vocabulary import Vocabulary
from tlogic.serving.store import sql_tables as tables
from tlogic.serving.store.store_errors import DamagedStoreError
from tlogic.serving.store.stored_state import StoreState
from tlogic.serving.store.stored_values import check_facts, check_ids, check_row


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


def conditions(connection: sql.Connection, selection: Selection, state: StoreState) -> list[Any]:
    """The conditions on the table of events. Raises `InputError` for unknown names and times."""
    timeline, found = state.timeline, list[Any]()
    assert timeline is not None
    for role in ("subject", "relation", "object"):
        name = getattr(selection, role)
        if name is not None:
            kind, n_names = ("relation", state.n_relations) if role == "relation" else ("entity", state.n_entities)
            names = tables.names_from(connection, kind, 0, n_names)
            found.append(tables.EVENTS.c[role] == Vocabulary(names, kind).id_of(name))
    if selection.since is not None:
        found.append(tables.EVENTS.c.step >= timeline.step_of(selection.since))
    if selection.until is not None:
        found.append(tables.EVENTS.c.step <= timeline.step_of(selection.until))
    return found


def count(connection: sql.Connection, matching: list[Any]) -> int:
    """The number of events that match."""
    return connection.scalar(sql.select(sql.func.count()).select_from(tables.EVENTS).where(*matching)) or 0


def first_events(
    connection: sql.Connection, matching: list[Any], state: StoreState, limit: int
) -> list[tuple[str, str, str, str]]:
    """The earliest events that match, with names and dates."""
    columns = [tables.EVENTS.c[name] for name in ("subject", "relation", "object", "step")]
    wanted = sql.select(*columns).where(*matching).order_by(columns[-1], *columns[:-1]).limit(limit)
    rows = [check_row(row, columns) for row in connection.execute(wanted)]
    timeline, span = state.timeline, state.span
    assert timeline is not None
    assert span is not None
    if rows:
        check_facts(np.array(rows, np.int64).T, state.n_entities, state.n_relations, span)

    def name_of(kind: str, number: int) -> str:
        return tables.name_of(connection, kind, number)

    return [
        (name_of("entity", s), name_of("relation", r), name_of("entity", o), timeline.label_of(step))
        for s, r, o, step in rows
    ]


def remove(connection: sql.Connection, selection: Selection, matching: list[Any], state: StoreState) -> int:
    """Delete the events that match and the names that no event uses any more, and log it; returns how many events."""
    events = tables.EVENTS.c
    removed = connection.execute(sql.delete(tables.EVENTS).where(*matching)).rowcount
    if removed:
        n_entities = _remove_unused_names(connection, "entity", [events.subject, events.object], state.n_entities)
        n_relations = _remove_unused_names(connection, "relation", [events.relation], state.n_relations)
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
    columns = (r.time, r.selection, r.events)
    rows = [check_row(row, columns) for row in connection.execute(sql.select(*columns).order_by(r.id))]
    return [Removal(time, _selection_of(text), events) for time, text, events in rows]


def _selection_of(text: str) -> dict[str, str]:
    """The parts of a selection that `Selection.to_json` wrote."""
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        raise DamagedStoreError(f"a removal of events has the selection {text[:200]}") from None


def _remove_unused_names(connection: sql.Connection, kind: str, columns: list[sql.Column[Any]], n_names: int) -> int:
    """Delete names without events, and give their ids to the last names, so that ids stay consecutive.

    Returns the number of names that are left.
    """
    distinct = sql.union(*(sql.select(column.label("id")) for column in columns))
    used = set(connection.scalars(distinct))
    check_ids(kind, used, n_names)
    of_kind = sql.select(tables.NAMES.c.id).where(tables.NAMES.c.kind == kind)
    named = set(connection.scalars(of_kind))
    if named != set(range(n_names)):
        raise DamagedStoreError(f"the ids of its {kind} names are not complete")
    unused = sorted(named - used)
    tables.delete_names(connection, kind, unused)
    free = [number for number in unused if number < len(used)]
    last = sorted(number for number in used if number >= len(used))
    tables.renumber_names(connection, kind, columns, dict(zip(last, free, strict=True)))
    return len(used)
