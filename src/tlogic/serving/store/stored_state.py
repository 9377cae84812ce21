"""The size, timeline and span of a store: one row that every writer locks and updates."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import sqlalchemy as sql

from tlogic.errors import TLogicError
from tlogic.events import Timeline
from tlogic.serving.store import sql_tables as tables
from tlogic.serving.store.encoded_events import Span
from tlogic.serving.store.store_errors import DamagedStoreError
from tlogic.serving.store.stored_values import check_row


class StoreState(NamedTuple):
    """The size of a store. Timeline and span are None while it is empty."""

    last: int
    n_entities: int
    n_relations: int
    timeline: Timeline | None
    span: Span | None


def read_state(connection: sql.Connection) -> StoreState:
    """The state of the store."""
    return _state_of(connection.execute(sql.select(tables.STATE)).one())


def lock_state(connection: sql.Connection) -> StoreState:
    """The state of the store, which is locked for writing until the transaction ends."""
    return _state_of(tables.lock(connection))


def write_state(connection: sql.Connection, state: StoreState) -> None:
    """Write the state of a store that is not empty."""
    assert state.timeline is not None
    assert state.span is not None
    connection.execute(
        sql.update(tables.STATE).values(
            last=state.last,
            entities=state.n_entities,
            relations=state.n_relations,
            first_step=state.span.first,
            last_step=state.span.last,
            timeline=json.dumps(state.timeline.to_dict()),
        )
    )


def _state_of(row: sql.Row[Any]) -> StoreState:
    check_row(row, tables.STATE.c)
    if min(row.last, row.entities, row.relations) < 0 or (row.timeline is not None and not row.last):
        raise DamagedStoreError("its numbers of events and names are not valid")
    if row.timeline is None:
        return StoreState(row.last, row.entities, row.relations, None, None)
    if row.first_step is None or row.last_step is None:
        raise DamagedStoreError("it does not say when its events were")
    span = Span(row.first_step, row.last_step)
    return StoreState(row.last, row.entities, row.relations, _timeline_of(row.timeline), span)


def _timeline_of(text: str) -> Timeline:
    try:
        return Timeline.from_dict(json.loads(text))
    except (TLogicError, ValueError, TypeError, OverflowError):
        raise DamagedStoreError(f"its timeline is {text[:200]}") from None
