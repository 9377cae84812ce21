"""A small store with rows in all tables, and everything that can be done with it."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tlogic.serving.store.event_store import EventStore

_ROWS = [
    ("Ann", "calls", "Bob", "2030-01-01"),
    ("Bob", "visits", "Eve", "2030-01-02"),
    ("Eve", "calls", "Zoë", "2030-01-03"),
    ("Zoë", "visits", "Ann", "2030-01-04"),
    ("Ann", "sues", "Tom", "2030-01-05"),
]


def write_small_store(path: Path) -> None:
    """Write a store with four events, one removal, two versions and a schedule of learning."""
    with EventStore.open(path) as store:
        fill(store)


def fill(store: EventStore) -> None:
    """Put rows into all tables of a new store."""
    store.add(store.check(_ROWS))
    store.save_version("rules", "some rules " * 20, {"facts": 4})
    store.save_version("model", "some model " * 20, {"facts": 4, "repr": "a model"})
    store.claim_learning("first service", period=0, lease=60)
    store.release_learning("first service", is_done=True)
    store.remove(relation="sues")


def read_all(store: EventStore) -> tuple[list[Any], list[Exception]]:
    """What all ways of reading find, as text, and their errors."""
    return _tried(
        [
            lambda: [str(part) for part in store.changes_since(0, 0, 0)],
            lambda: store.find(limit=100),
            lambda: store.find(relation="calls"),
            store.removals,
            store.versions,
            lambda: store.version(1),
            lambda: store.version(2),
        ]
    )


def write_all(store: EventStore) -> list[Exception]:
    """The errors of all ways of writing."""
    return _tried(
        [
            lambda: store.add(store.check([("Ann", "calls", "Ida", "2030-01-09")])),
            lambda: store.save_version("rules", "other rules", {}),
            lambda: store.claim_learning("second service", period=0, lease=60),
            lambda: store.release_learning("second service", is_done=True),
            lambda: store.remove(subject="Bob"),
        ]
    )[1]


def _tried(functions: Iterable[Callable[[], Any]]) -> tuple[list[Any], list[Exception]]:
    found, errors = list[Any](), list[Exception]()
    for function in functions:
        try:
            found.append(function())
        except Exception as error:
            errors.append(error)
    return found, errors
