"""Checks of what a store holds.

SQLite has no checksums of its pages and takes any type in any column, so that damage to the file can reach every value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import sqlalchemy as sql

from tlogic.events.timeline import Integers
from tlogic.serving.store.encoded_events import Span
from tlogic.serving.store.store_errors import DamagedStoreError

_MAX_SHOWN_CHARACTERS = 40


def digest_of(name: bytes) -> bytes:
    """The digest by which a name is found, which is also its checksum."""
    return blake2b(name, digest_size=16).digest()


def check_row(row: Sequence[Any], columns: Iterable[sql.Column[Any]]) -> Any:
    """Return a row if its values have the types of its columns."""
    for column, value in zip(columns, row, strict=True):
        is_null = value is None and column.nullable
        if not is_null and not isinstance(value, column.type.python_type):
            shown = repr(value)[:_MAX_SHOWN_CHARACTERS]
            raise DamagedStoreError(f"{column.name} in the table {column.table.name} is {shown}")
    return row


def check_names(kind: str, first_id: int, n_names: int, rows: Sequence[Sequence[Any]]) -> list[str]:
    """The names of rows of id, digest and name, if they are those from the first id to the number of names."""
    if [row[0] for row in rows] != list(range(first_id, n_names)):
        raise DamagedStoreError(f"the {kind} names {first_id:,} to {n_names - 1:,} are not complete")
    for number, digest, name in rows:
        if not isinstance(name, bytes) or digest_of(name) != digest:
            raise DamagedStoreError(f"the checksum of the {kind} name {number:,} is wrong")
    return [name.decode() for _, _, name in rows]


def check_ids(kind: str, ids: Iterable[Any], n_names: int) -> None:
    """Refuse ids that no name has."""
    for number in ids:
        if not isinstance(number, int) or not 0 <= number < n_names:
            raise DamagedStoreError(f"there is no {kind} {number!r:.{_MAX_SHOWN_CHARACTERS}}")


def check_facts(facts: Integers, n_entities: int, n_relations: int, span: Span) -> None:
    """Refuse events with unknown ids or times. Facts have one row each for subject, relation, object and step."""
    limits = [(0, n_entities - 1), (0, n_relations - 1), (0, n_entities - 1), span]
    for name, values, (first, last) in zip(("subject", "relation", "object", "step"), facts, limits, strict=True):
        if values.size and (values.min() < first or values.max() > last):
            raise DamagedStoreError(f"the {name} of an event is not from {first:,} to {last:,}")
