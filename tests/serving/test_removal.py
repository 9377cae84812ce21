"""Removing events from a store: exactly those that match, while services run, on SQLite and PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving.services import new_store_url, sample_model, sample_rules
from tests.waiting import wait_until
from tlogic import ApplicationSettings
from tlogic.errors import InputError, UnknownNameError
from tlogic.events.sample.simulation import sample_events
from tlogic.serving import schemas
from tlogic.serving.engine.follower import StoreFollower
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore

CALLS = [
    ("Ann", "calls", "Bob", "2014-08-01"),
    ("Eve", "writes", "Mallory", "2014-08-02"),
    ("Bob", "calls", "Eve", "2014-08-03"),
    ("Zoe", "calls", "Ann", "2014-08-04"),
    ("Ann", "visits", "Zoe", "2014-08-05"),
]
QUERY = schemas.Query(subject="Kite Aviation", relation="sue")


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    with EventStore.open(new_store_url(request.param, request, tmp_path)) as opened:
        opened.add(opened.check(CALLS))
        yield opened


def rows_of(store: EventStore) -> list[tuple[str, str, str, str]]:
    """All events, as a reader sees them who starts from nothing."""
    state, events, entities, relations, _ = store.changes_since(0, 0, 0)
    assert (state.n_entities, state.n_relations) == (len(entities), len(relations))
    label = state.timeline.label_of if state.timeline else str
    columns = zip(*(column.tolist() for column in events[:4]), strict=True)
    return [(entities[s], relations[r], entities[o], label(step)) for s, r, o, step in columns]


@pytest.mark.parametrize(
    ("selection", "kept"),
    [
        ({"subject": "Eve"}, [0, 2, 3, 4]),
        ({"object": "eve"}, [0, 1, 3, 4]),
        ({"relation": "calls"}, [1, 4]),
        ({"subject": "Ann", "relation": "visits", "object": "Zoe"}, [0, 1, 2, 3]),
        ({"since": "2014-08-04"}, [0, 1, 2]),
        ({"until": "2014-08-02"}, [2, 3, 4]),
        ({"subject": "Ann", "since": "2014-08-02", "until": "2014-08-04"}, [0, 1, 2, 3, 4]),
        ({"since": "2014-08-01"}, []),
    ],
)
def test_exactly_the_matching_events_are_removed(store: EventStore, selection: dict, kept: list[int]) -> None:
    expected = [CALLS[index] for index in kept]
    count, found = store.find(**selection)
    assert (count, found) == (len(CALLS) - len(kept), [call for call in CALLS if call not in expected])
    assert store.remove(**selection) == count
    assert rows_of(store) == expected
    names = {name for call in expected for name in call[:3]}
    assert {*store.changes_since(0, 0, 0).entities, *store.changes_since(0, 0, 0).relations} == names
    span = store.state().span
    assert (span is None) == (not kept)
    assert [(each.selection, each.events) for each in store.removals()] == ([(selection, count)] if count else [])


def test_events_can_be_added_after_a_removal(store: EventStore) -> None:
    store.remove(since="2014-08-03")
    new = ("Zoe", "calls", "Newcomer", "2014-08-09")
    assert store.add(store.check([new, CALLS[0], CALLS[3]]))[:2] == (2, 1)
    assert rows_of(store) == [*CALLS[:2], new, CALLS[3]]
    store.remove(since="2014-08-01")
    store.add(store.check([("a", "b", "c", 5)]))  # the time step is that of the first events again
    assert rows_of(store) == [("a", "b", "c", "5")]


def test_wrong_selections_are_refused(store: EventStore) -> None:
    with pytest.raises(InputError, match="so that not all events are removed"):
        store.remove()
    with pytest.raises(UnknownNameError, match="Unknown entity 'Annn'; did you mean 'Ann'"):
        store.remove(subject="Annn")
    with pytest.raises(InputError, match="not understood"):
        store.remove(until="some day")
    assert rows_of(store) == CALLS
    assert store.removals() == []


def test_a_store_of_an_earlier_version_gets_the_log(store: EventStore) -> None:
    with store._engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE tlogic_removals")
    with EventStore.open(store._url.render_as_string(hide_password=False)) as again:
        assert again.remove(subject="Eve") == 1


@pytest.mark.parametrize("kind", ["rules", "model"])
def test_a_running_service_forgets_removed_events(tmp_path: Path, kind: str) -> None:
    """It answers as one that never had them, and goes on with events that arrive."""
    removed = [("Kite Aviation", "sue", f"Newcomer {number}", "2030-04-30") for number in range(3)]
    later = ("Newcomer 7", "bid_for", "Kite Aviation", "2030-05-01")
    content = sample_rules() if kind == "rules" else sample_model()
    services = []
    for number in range(2):
        store = EventStore.open(tmp_path / f"events{number}.db")
        store.add(EncodedEvents.from_table(sample_events(days=120)))
        live_store = LiveStore(store)
        versions = VersionManager(live_store, ApplicationSettings())
        versions.use(content)
        services.append(Service(live_store, versions))
    clean, dirty = services
    dirty.add([schemas.Event(**dict(zip(schemas.Event.model_fields, event, strict=True))) for event in removed])
    assert dirty.events("Newcomer 1", None, 0, 5).total == 1
    follower = StoreFollower(dirty, poll=0.01)
    follower.start()
    try:
        with EventStore.open(tmp_path / "events1.db") as operator:
            assert operator.remove(subject="kite aviation", relation="sue", since="2030-04-30") == 3
        wait_until(lambda: dirty.health().events == clean.health().events)
    finally:
        follower.stop()
    for service in services:
        service.add([schemas.Event(**dict(zip(schemas.Event.model_fields, later, strict=True)))])
    assert dirty.forecast(QUERY, 100) == clean.forecast(QUERY, 100)
    assert dirty.entities("newcomer", 5) == clean.entities("newcomer", 5)
    assert dirty.latest_events(5) == clean.latest_events(5)
    for service in services:
        service.live_store.store.close()


def test_a_service_survives_the_removal_of_all_events(tmp_path: Path) -> None:
    with EventStore.open(tmp_path / "events.db") as store:
        store.add(store.check(CALLS))
        live_store = LiveStore(store)
        before = live_store.version
        store.remove(since="2014-08-01")
        live_store.catch_up()
        assert live_store.is_empty
        store.add(store.check([("a", "b", "c", 5)]))
        live_store.catch_up()
        assert (live_store.n_events, live_store.version > before) == (1, True)
