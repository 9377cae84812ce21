"""Outlooks, surprises and changes of a service equal those of the Python functions, within limits."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

import tlogic
from tests.serving.services import DAYS, api_client, problem_text, sample_graph, sample_model, sample_service
from tlogic.events.sample.simulation import sample_events
from tlogic.serving import Client, Service, ServiceError, schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.monitor import MAX_FORECAST_STEPS
from tlogic.serving.engine.time_limit import TimeLimit, TimeLimitError
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore
from tlogic.serving.web.settings import AccessSettings

ENTITY, OTHER, RELATION = "Kite Aviation", "Meadow Textiles", "sue"
SINCE = "2030-04-24"


@pytest.fixture(scope="module")
def api(model_service: Service) -> Iterator[httpx.Client]:
    with api_client(model_service) as client:
        yield client


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose events arrived in three batches and in another order, so that its ids are others."""
    table = sample_events(days=DAYS)
    rows = table.frame.sample(fraction=1.0, shuffle=True, seed=5)
    with EventStore.open(str(tmp_path_factory.mktemp("service") / "events.db")) as store:
        for part in (rows[:900], rows[900:1000], rows[1000:]):
            store.add(EncodedEvents.from_table(replace(table, frame=part)))
        live_store = LiveStore(store)
        versions = VersionManager(live_store, tlogic.ApplicationSettings())
        versions.use(sample_model())
        yield Service(live_store, versions)


def got(api: httpx.Client, path: str, **params: Any) -> Any:
    response = api.get(path, params=params)
    assert response.status_code == 200, response.text
    return response.json()


def rows_of(outlook: schemas.Outlook) -> list[tuple[Any, ...]]:
    """The events of an outlook as tuples, as `tlogic.outlook` has them."""
    return [tuple(each.model_dump(exclude={"curve", "explanation"}).values()) for each in outlook.events]


def rows_of_judged(events: list[schemas.JudgedEvent]) -> list[dict[str, Any]]:
    """Surprising events as rows, as `tlogic.surprises` has them."""
    return [each.model_dump(exclude={"explanation"}) for each in events]


# Equality with the Python functions


@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"entity": ENTITY},
        {"entity": ENTITY, "other": OTHER},
        {"relation": RELATION, "horizon": "7d"},
        {"entity": ENTITY, "other": OTHER, "relation": RELATION, "horizon": 30},
        {"new": True, "horizon": "2w"},
        {"entity": ENTITY, "at": "2030-03-01", "horizon": "7d"},
        {"at": "2030-04-30"},
        {"at": "2030-06-01"},
    ],
    ids=str,
)
def test_an_outlook_equals_that_of_the_python_function(
    model_service: Service, shuffled: Service, scope: dict[str, Any]
) -> None:
    expected = tlogic.outlook(sample_graph(), sample_model(), top=30, **scope)
    for service in (model_service, shuffled):
        found = service.monitor.outlook(top=30, **scope)
        assert rows_of(found) == list(expected)
        assert (found.since, found.until, found.horizon) == (expected.since, expected.until, expected.horizon)


@pytest.mark.parametrize("at", [None, "2030-03-01"])
def test_curves_and_explanations_equal_those_of_the_python_function(
    model_service: Service, shuffled: Service, at: str | None
) -> None:
    expected = tlogic.outlook(sample_graph(), sample_model(), entity=ENTITY, at=at, top=5)
    for service in (model_service, shuffled):
        found = service.monitor.outlook(ENTITY, at=at, top=5, when=True, explain=True)
        for index, each in enumerate(found.events):
            assert [point.model_dump() for point in each.curve] == expected.curve(index).to_dicts()
            assert each.explanation is not None
            why = expected.explain(index, facts=3)
            assert each.explanation.text == why.text()
            assert [factor.model_dump() for factor in each.explanation.factors] == why.to_dict()["factors"]
            assert (each.explanation.period, each.explanation.base_rate) == (why.period, why.base_rate)


def test_surprises_equal_those_of_the_python_function(model_service: Service, shuffled: Service) -> None:
    expected = tlogic.surprises(sample_graph(), sample_model(), since=SINCE, top=15)
    for service in (model_service, shuffled):
        found = service.monitor.surprises(SINCE, top=15)
        assert rows_of_judged(found.events) == expected.events.to_dicts()
        assert rows_of_judged(found.missing) == expected.missing.to_dicts()
        assert (found.since, found.until) == (expected.since, expected.until)


def test_explanations_of_surprises_equal_those_of_the_python_function(
    model_service: Service, shuffled: Service
) -> None:
    expected = tlogic.surprises(sample_graph(), sample_model(), since=SINCE, top=4)
    for service in (model_service, shuffled):
        found = service.monitor.surprises(SINCE, top=4, explain=True)
        for missing, events in ((False, found.events), (True, found.missing)):
            for index, each in enumerate(events):
                assert each.explanation is not None
                why = expected.explain(index, missing=missing, facts=3)
                assert each.explanation.text == why.text()
                assert each.explanation.probability == pytest.approx(each.probability)


@pytest.mark.parametrize("horizon", [None, 1, "7d"])
def test_changes_equal_those_of_the_python_function(
    model_service: Service, shuffled: Service, horizon: str | int | None
) -> None:
    with_model: dict[str, Any] = {} if horizon is None else {"model": sample_model(), "horizon": horizon}
    expected = tlogic.changes(sample_graph(), since=SINCE, **with_model)
    for service in (model_service, shuffled):
        found = service.monitor.changes(SINCE, horizon=horizon)
        assert found.horizon == expected.horizon
        rows = [tuple(each.model_dump(exclude={"explanation"}).values()) for each in found.changes]
        assert rows == expected.frame.rows()
        assert (found.before.since, found.before.until) == expected.before
        assert (found.after.since, found.after.until) == expected.after


@pytest.mark.parametrize("horizon", [None, "7d"])
def test_explanations_of_changes_equal_those_of_the_python_function(
    model_service: Service, shuffled: Service, horizon: str | None
) -> None:
    with_model: dict[str, Any] = {} if horizon is None else {"model": sample_model(), "horizon": horizon}
    expected = tlogic.changes(sample_graph(), since=SINCE, top=4, **with_model).explain_all()
    for service in (model_service, shuffled):
        found = service.monitor.changes(SINCE, top=4, horizon=horizon, explain=True).changes
        assert len(found) == len(expected) == 12
        for each, why in zip(found, expected, strict=True):
            assert each.explanation is not None
            names = {"kind": each.kind, "name": each.name, "with": each.other}
            assert names | each.explanation.model_dump(exclude={"text"}) == why.to_dict()
            assert each.explanation.text == why.text()
        assert all(each.explanation is None for each in service.monitor.changes(SINCE, top=1).changes)


@pytest.mark.parametrize("every", [1, 4])
def test_a_backtest_equals_that_of_the_python_function(model_service: Service, shuffled: Service, every: int) -> None:
    expected = tlogic.backtest(sample_graph(), sample_model(), since="2030-04-20", every=every)
    for service in (model_service, shuffled):
        found = service.monitor.backtest("2030-04-20", every=every)
        assert [each.model_dump() for each in found.figures] == expected.frame.to_dicts()
        assert [each.model_dump() for each in found.reliability] == expected.reliability.to_dicts()
        assert rows_of_judged(found.misses.events) == expected.misses.events.to_dicts()
        assert rows_of_judged(found.misses.missing) == expected.misses.missing.to_dicts()
        assert (found.since, found.until, found.time_steps) == (expected.since, expected.until, expected.n_steps)


def test_the_board_holds_the_same(model_service: Service) -> None:
    board, monitor = model_service.board, model_service.monitor
    likely = board.likely.latest().result()
    expected = monitor.outlook(top=len(likely.events)).events
    assert [tuple(each) for each in likely.events] == [
        (each.subject, each.relation, each.object, each.probability) for each in expected
    ]
    assert likely.has_probabilities
    assert board.surprises.latest().result() == monitor.surprises(SINCE, top=8)
    assert board.backtest.latest().result() == monitor.backtest("2030-04-01")
    assert board.changes.latest().result() == monitor.changes(SINCE, top=4)
    assert board.overview.latest().result().n_rules == len(sample_model().rules)


def test_without_a_model_the_board_ranks_the_events_of_busy_entities(service: Service) -> None:
    likely = service.board.likely.latest().result()
    assert not likely.has_probabilities
    shares = [each.share for each in likely.events]
    assert shares == sorted(shares, reverse=True)
    triples = [each[:3] for each in likely.events]
    assert len(set(triples)) == len(triples) == 8
    best = likely.events[0]
    of_subject = service.expected_events(best.subject, limit=100).expected
    assert best.share in {each.likelihood for each in of_subject if each.candidate == best.object}
    assert service.board.surprises.latest().result() is None


def test_the_latest_events(tmp_path: Path) -> None:
    rows = [("a", "r", "b", 3), ("c", "r", "d", 9), ("e", "r", "f", 9), ("g", "r", "h", 1), ("i", "r", "j", 5)]
    with EventStore.open(str(tmp_path / "events.db")) as store:
        store.add(store.check(rows))
        live_store = LiveStore(store)
        service = Service(live_store, VersionManager(live_store, tlogic.ApplicationSettings()))
        assert [each.subject for each in service.latest_events(3).events] == ["e", "c", "i"]
        assert [each.time for each in service.latest_events(9).events] == ["9", "9", "5", "3", "1"]
        live_store.add(store.check([("late", "r", "b", 4), ("now", "r", "b", 9)]))
        assert [each.subject for each in service.latest_events(5).events] == ["now", "e", "c", "i", "late"]
        assert service.latest_events(1).total == 7


def test_the_past_is_judged_by_what_was_known_before(tmp_path: Path) -> None:
    """Events that arrive later change an outlook of the past only if they are older."""
    scope: dict[str, Any] = {"entity": ENTITY, "at": "2030-04-15"}
    with sample_service(str(tmp_path / "events.db"), model=True) as service:
        before = service.monitor.outlook(**scope)
        service.add([schemas.Event(subject=ENTITY, relation=RELATION, object=OTHER, time="2030-05-01")])
        assert service.monitor.outlook(**scope) == before
        service.add([schemas.Event(subject=ENTITY, relation=RELATION, object=OTHER, time="2030-04-14")])
        assert service.monitor.outlook(**scope) != before


# The HTTP API and the client


def test_responses_and_the_client_equal_the_service(api: httpx.Client, model_service: Service) -> None:
    monitor = model_service.monitor
    scope = {"entity": ENTITY, "relation": RELATION, "horizon": "7d", "top": 3, "new": True}
    found = monitor.outlook(ENTITY, None, RELATION, horizon="7d", top=3, new=True, when=True, explain=True)
    assert got(api, "/api/outlook", **scope, when=True, explain=True) == found.model_dump()
    pair = monitor.outlook(ENTITY, OTHER, at="2030-04-01")
    assert got(api, "/api/outlook", **{"entity": ENTITY, "with": OTHER, "at": "2030-04-01"}) == pair.model_dump()
    surprises = monitor.surprises(SINCE, top=3, explain=True)
    assert got(api, "/api/surprises", since=SINCE, top=3, explain=True) == surprises.model_dump()
    assert got(api, "/api/backtest", since=SINCE, every=3) == monitor.backtest(SINCE, every=3).model_dump()
    assert got(api, "/api/changes", since=SINCE, top=3) == monitor.changes(SINCE, top=3).model_dump()
    changes = monitor.changes(SINCE, top=3, horizon="7d", explain=True)
    assert got(api, "/api/changes", since=SINCE, top=3, horizon="7d", explain=True) == changes.model_dump()
    with Client(str(api.base_url)) as client:
        assert client.outlook(ENTITY, None, RELATION, horizon="7d", top=3, new=True, when=True, explain=True) == found
        assert client.outlook(ENTITY, OTHER, at="2030-04-01") == pair
        assert client.surprises(SINCE, top=3, explain=True) == surprises
        assert client.backtest(SINCE, every=3) == monitor.backtest(SINCE, every=3)
        assert client.changes(SINCE, top=3) == monitor.changes(SINCE, top=3)
        assert client.changes(SINCE, top=3, horizon="7d") == monitor.changes(SINCE, top=3, horizon="7d")
        assert client.changes(SINCE, top=3, horizon="7d", explain=True) == changes


def test_a_watchlist_equals_that_of_the_python_function(api: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    triples = [(ENTITY, RELATION, OTHER), (None, RELATION, ENTITY), (ENTITY, None, None)]
    expected = tlogic.watch(sample_graph(), sample_model(), triples, horizon="7d", top=4)
    body = {"triples": [dict(zip(("subject", "relation", "object"), each, strict=True)) for each in triples]}
    response = api.post("/api/outlook", json={**body, "horizon": "7d", "top": 4})
    assert response.status_code == 200, response.text
    outlooks = [schemas.Outlook(**each) for each in response.json()]
    assert [rows_of(each) for each in outlooks] == [list(each) for each in expected]
    monkeypatch.setattr(schemas, "MAX_WATCHED_TRIPLES", 2)
    with Client(str(api.base_url)) as client:
        mixed: list[Any] = [triples[0], body["triples"][1], schemas.WatchedTriple(subject=ENTITY)]
        assert client.watch(mixed, horizon="7d", top=4) == outlooks


def test_metrics_count_outlooks(model_service: Service) -> None:
    with api_client(model_service) as api:
        got(api, "/api/outlook", entity=ENTITY)
        assert api.post("/api/outlook", json={"triples": [{"subject": ENTITY}] * 2}).status_code == 200
        assert "tlogic_outlooks_total 3.0" in api.get("/metrics").text


# Errors and limits


@pytest.mark.parametrize(
    ("path", "params", "status", "message"),
    [
        ("/api/outlook", {"entity": "Kite Avation"}, 404, "did you mean 'Kite Aviation'"),
        ("/api/outlook", {"relation": "\0"}, 404, "Unknown relation"),
        ("/api/outlook", {"with": ENTITY}, 400, "needs another entity"),
        ("/api/outlook", {"horizon": "soon"}, 400, "not understood"),
        ("/api/outlook", {"horizon": "9" * 20}, 400, "not understood"),
        ("/api/outlook", {"horizon": "100001"}, 400, "more than 100,000 time steps"),
        ("/api/outlook", {"at": "1999-01-01"}, 400, "no facts before"),
        ("/api/outlook", {"at": "9998-12-31"}, 400, "more than 100,000 steps after"),
        ("/api/outlook", {"top": 1001}, 422, "1000"),
        ("/api/outlook", {"top": 101, "explain": True}, 400, "may explain up to 100"),
        ("/api/outlook", {"entiy": ENTITY}, 422, "query.entiy: unknown parameter; did you mean 'entity'?"),
        ("/api/outlook", {"other": ENTITY}, 422, "query.other: unknown parameter."),
        ("/api/outlook", {f"x{n}": 1 for n in range(9)}, 422, "and 4 more."),
        ("/api/forecast", {"relaton": "sue"}, 422, "query.relaton: unknown parameter; did you mean 'relation'?"),
        ("/api/versions", {"page": 1}, 422, "query.page: unknown parameter."),
        ("/api/surprises", {}, 422, "since"),
        ("/api/surprises", {"since": "some day"}, 400, "some day"),
        ("/api/surprises", {"since": SINCE, "top": 51, "explain": True}, 400, "may explain up to 100"),
        ("/api/surprises", {"since": "2030-05-01"}, 400, "facts before and in the period"),
        ("/api/surprises", {"since": "2030-01-05"}, 400, f"up to {MAX_FORECAST_STEPS}. Give 2030-01-21 or a later"),
        ("/api/backtest", {}, 422, "since"),
        ("/api/backtest", {"since": "some day"}, 400, "some day"),
        ("/api/backtest", {"since": "2030-05-01"}, 400, "facts before and in the period"),
        ("/api/backtest", {"since": SINCE, "every": 0}, 422, "every"),
        ("/api/backtest", {"since": "2030-01-05"}, 400, f"up to {MAX_FORECAST_STEPS}. Give 2030-01-21 or a later"),
        ("/api/changes", {"since": "2030-01-01"}, 400, "facts before and in the period"),
        ("/api/changes", {"since": SINCE, "top": 0}, 422, "top"),
        ("/api/changes", {"since": SINCE, "top": 34, "explain": True}, 400, "102 changes are too many to explain"),
        ("/api/changes", {"since": SINCE, "horizon": "soon"}, 400, "not understood"),
        ("/api/changes", {"since": "2030-01-01", "horizon": "1"}, 400, "facts before and in the period"),
    ],
)
def test_invalid_requests_are_refused(
    api: httpx.Client, path: str, params: dict[str, Any], status: int, message: str
) -> None:
    assert message in problem_text(api.get(path, params=params), status)


@pytest.mark.parametrize(
    ("watchlist", "status", "message"),
    [
        ({"triples": []}, 422, "triples"),
        ({"triples": [{}] * 1001}, 422, "1000"),
        ({"triples": [{"subject": ENTITY}] * 21, "top": 1000}, 400, "up to 21,000 events"),
        ({"triples": [{"subject": ENTITY}] * 21, "top": 5, "explain": True}, 400, "too many to explain"),
        ({"triples": [{"subject": ENTITY}, {"subject": "Nobody"}]}, 404, "Triple 2: Unknown entity 'Nobody'"),
        ({"triples": [{"verb": "sue"}]}, 422, "verb"),
        ({"triples": [{}], "horizon": True}, 422, "body.horizon: Input should be text or a number, not true or false"),
        ({"triples": [{}], "horizon": 0}, 422, "body.horizon: Input should be a valid string; or: "),
        ({"triples": [{}], "at": [1]}, 422, "body.at: Input should be a valid string; or: Input should be a valid int"),
        ({"triples": [{}], "top": True}, 422, "body.top: Input should be text or a number, not true or false"),
    ],
)
def test_invalid_watchlists_are_refused(
    api: httpx.Client, watchlist: dict[str, Any], status: int, message: str
) -> None:
    assert message in problem_text(api.post("/api/outlook", json=watchlist), status)


def test_without_a_model_there_are_changes_only(service: Service) -> None:
    with api_client(service) as api:
        for path in ("/api/surprises", "/api/backtest"):
            assert "Rules are in use" in problem_text(api.get(path, params={"since": SINCE}), 400)
        assert "Rules are in use" in problem_text(api.get("/api/outlook", params={"at": "2030-04-01"}), 400)
        assert "Rules are in use" in problem_text(api.post("/api/outlook", json={"triples": [{}]}), 400)
        assert got(api, "/api/changes", since=SINCE)["changes"]
        assert "Rules are in use" in problem_text(api.get("/api/changes", params={"since": SINCE, "horizon": 1}), 400)
        with Client(str(api.base_url)) as client, pytest.raises(ServiceError, match="--model"):
            client.outlook(ENTITY)


def test_a_model_without_probabilities_of_events_is_reported(service: Service) -> None:
    before = service.versions.predictor.version
    service.versions.use(replace(sample_model(), occurrence=None))
    try:
        monitor = service.monitor
        for call in (monitor.outlook, lambda: monitor.surprises(SINCE), lambda: monitor.backtest(SINCE)):
            with pytest.raises(tlogic.InputError, match="fit it again"):
                call()
    finally:
        service.versions.restore(before)


def test_long_work_stops_at_the_time_limit(model_service: Service) -> None:
    over = TimeLimit(until=0.0)
    triples = [schemas.WatchedTriple(subject=ENTITY)]
    for call in (
        lambda: model_service.monitor.surprises(SINCE, limit=over),
        lambda: model_service.monitor.backtest(SINCE, limit=over),
        lambda: model_service.monitor.changes(SINCE, horizon=1, limit=over),
        lambda: model_service.monitor.changes(SINCE, explain=True, limit=over),
        lambda: model_service.monitor.watch(schemas.Watchlist(triples=triples), over),
    ):
        with pytest.raises(TimeLimitError, match="takes too long"):
            call()
    assert model_service.monitor.surprises(SINCE, limit=TimeLimit.seconds(3600)).events


def test_the_time_limit_is_a_timeout_in_http(model_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise TimeLimitError

    monkeypatch.setattr(model_service.monitor, "surprises", late)
    with api_client(model_service, AccessSettings()) as api:
        message = problem_text(api.get("/api/surprises", params={"since": SINCE}), 504)
    assert "shorter period" in message


def test_hostile_names_are_returned_unchanged(tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>", "'; DROP TABLE events; --", "x" * 10_000, "\u202eback שלום", "a\0b"]
    with sample_service(str(tmp_path / "events.db"), model=True) as service, api_client(service) as api:
        events = [
            schemas.Event(subject=each, relation=f"r{each[:99]}", object=ENTITY, time="2030-05-01") for each in names
        ]
        service.add(events)
        for name in names:
            triple = {"subject": name, "relation": f"r{name[:99]}", "object": ENTITY}
            [outlook] = api.post("/api/outlook", json={"triples": [triple], "explain": True}).json()
            [found] = outlook["events"]
            assert {part: found[part] for part in triple} == triple
            assert name in found["explanation"]["text"]
        surprising = {each["subject"] for each in got(api, "/api/surprises", since="2030-05-01", top=50)["events"]}
        assert surprising >= set(names)
        changed = {each["name"] for each in got(api, "/api/changes", since="2030-05-01", top=100)["changes"]}
        assert changed >= set(names)


def test_responses_have_warnings(api: httpx.Client) -> None:
    [far] = got(api, "/api/outlook", at="2030-06-01")["warnings"]
    assert far == "The data ends on 2030-04-30, 32 days before 2030-06-01, the date asked about."
    assert got(api, "/api/outlook")["warnings"] == []
    [late] = got(api, "/api/forecast", subject=ENTITY, relation=RELATION, at="2030-03-01")["warnings"]
    assert late.startswith("The model was fitted to facts up to 2030-04-18, so it may reflect facts from 2030-03-01")
    [known] = got(api, "/api/surprises", since="2030-04-10")["warnings"]
    assert known.startswith("The model was fitted to facts up to 2030-04-18, so it may reflect facts from 2030-04-10")
    assert got(api, "/api/surprises", since=SINCE)["warnings"] == []
    [known] = got(api, "/api/changes", since="2030-04-10", horizon=1)["warnings"]
    assert known.endswith("so it may reflect facts from 2030-04-10 on.")
    assert got(api, "/api/changes", since="2030-04-10")["warnings"] == []
    [learned] = got(api, "/api/backtest", since="2030-04-10", every=20)["warnings"]
    assert learned.endswith("which include facts of the period; the figures are too good.")
    assert got(api, "/api/backtest", since=SINCE, every=20)["warnings"] == []
