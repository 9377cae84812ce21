"""The HTTP API: responses equal those of the service, events are stored, and errors have clear messages."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving.services import api_client, new_store_url, problem_text, sample_service
from tests.waiting import wait_until
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.store.store_errors import StoreError

ENTITY, RELATION = "Kite Aviation", "sue"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" and 'quoted'",
    """'; DROP TABLE "tlogic_events"; --""",
    "x" * 10_000,
    "שלום عالم \u202eback",
    "a\0b",
    "100% & more? #1 / 2 + 3",
    "👩‍👩‍👧\nnew line",
]


@pytest.fixture(scope="module")
def api(service: Service) -> Iterator[httpx.Client]:
    """A client for reading; events added through it would stay for other tests."""
    with api_client(service) as client:
        yield client


@pytest.fixture(params=["sqlite", "postgresql"])
def writable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client for writing, with each kind of database."""
    with sample_service(new_store_url(request.param, request, tmp_path)) as service, api_client(service) as client:
        yield client


def event(
    subject: str = ENTITY, relation: str = RELATION, object: str = "Orchard Foods", time: Any = "2030-05-03"
) -> dict:
    return {"subject": subject, "relation": relation, "object": object, "time": time}


def add(api: httpx.Client, *events: dict) -> httpx.Response:
    return api.post("/api/events", json={"events": events})


# Reading


def test_responses_equal_those_of_the_service(api: httpx.Client, service: Service) -> None:
    query = schemas.Query(subject=ENTITY, relation=RELATION)
    asked = {"subject": ENTITY, "relation": RELATION}
    best = service.forecast(query, 3)
    candidate = best.candidates[0].name

    def got(path: str, **params: Any) -> Any:
        response = api.get(path, params=params)
        assert response.status_code == 200, response.text
        return response.json()

    assert got("/api/forecast", **asked, top=3) == best.model_dump()
    explained = service.explain(query, candidate, 2).model_dump()
    assert got("/api/explanation", **asked, candidate=candidate, groundings=2) == explained
    assert got("/api/changes", since="2030-04-24") == service.monitor.changes("2030-04-24").model_dump()
    assert got("/api/events", entity=ENTITY, offset=2, limit=3) == service.events(ENTITY, None, 2, 3).model_dump()
    assert got("/api/entities", search="kite", limit=2) == service.entities("kite", 2).model_dump()
    assert got("/api/relations", limit=5) == service.relations("", 5).model_dump()
    assert got("/api/versions") == service.versions.list_all().model_dump()
    assert got("/health") == service.health().model_dump()


def test_a_batch_of_queries_is_answered_in_order(api: httpx.Client) -> None:
    queries = [{"subject": ENTITY, "relation": RELATION}, {"object": ENTITY, "relation": "bid_for", "at": "2030-03-01"}]
    together = api.post("/api/forecasts", json={"questions": queries, "top": 4}).json()
    alone = [api.get("/api/forecast", params={**each, "top": 4}).json() for each in queries]
    assert together == alone


def test_an_invalid_query_is_reported_by_its_number_in_the_batch(api: httpx.Client) -> None:
    queries = [{"subject": ENTITY, "relation": RELATION}] * 50
    queries[37] = {"subject": "Nobody", "relation": RELATION}
    message = problem_text(api.post("/api/forecasts", json={"questions": queries}), 400)
    assert message.startswith("Query 38, (Nobody, sue, ?, next): Unknown entity")
    assert len(api.post("/api/forecasts", json={"questions": queries[:37]}).json()) == 37


def test_rules_are_filtered_and_paged(api: httpx.Client) -> None:
    def page(**params: Any) -> Any:
        return api.get("/api/rules", params=params).json()

    whole = page(limit=1000)
    assert whole["total"] == len(whole["rules"]) > 10
    assert page(offset=3, limit=2)["rules"] == whole["rules"][3:5]
    assert {rule["head"] for rule in page(head="SUE")["rules"]} == {"sue"}
    assert page(length=[2, 3])["total"] == 0
    confident = [rule for rule in whole["rules"] if rule["confidence"] >= 0.3]
    assert 0 < len(confident) < whole["total"]
    assert page(min_confidence=0.3, limit=1000)["rules"] == confident
    assert 0 < page(words="bids for")["total"] < whole["total"]


def test_a_rule_can_be_switched_off(api: httpx.Client) -> None:
    asked: dict[str, Any] = {"subject": ENTITY, "relation": RELATION}
    best = api.get("/api/forecast", params=asked).json()["candidates"][0]
    reasons = api.get("/api/explanation", params={**asked, "candidate": best["name"]}).json()["reasons"]
    off = {**asked, "candidate": best["name"], "without": [reasons[0]["rule"]["id"]]}
    without = api.get("/api/explanation", params=off).json()
    assert without["score"] == pytest.approx(reasons[0]["score_without"])
    assert reasons[0]["rule"] not in [reason["rule"] for reason in without["reasons"]]


def test_openapi_describes_all_routes_and_problems(api: httpx.Client) -> None:
    described = api.get("/openapi.json").json()
    operations = [(path, method) for path, item in described["paths"].items() for method in item]
    assert len(operations) == 18
    for path, method in operations:
        operation = described["paths"][path][method]
        assert operation["description"]
        assert operation["tags"]
        problems = [response for status, response in operation["responses"].items() if int(status) >= 400]
        assert problems
        for response in problems:
            assert response["content"]["application/json"]["schema"]["$ref"].endswith("/Problem")
    page = api.get("/docs").text
    assert "/docs/assets/swagger-ui-bundle.js" in page
    assert "://" not in page  # nothing is loaded from another host


def test_metrics_count_requests_and_forecasts(service: Service) -> None:
    with api_client(service) as api:
        api.get("/api/forecast", params={"subject": ENTITY, "relation": RELATION})
        api.get("/api/forecast", params={"subject": "nobody at all", "relation": RELATION})
        api.get("/api/made/up")
        text = api.get("/metrics").text
    assert 'tlogic_requests_total{method="GET",route="/api/forecast",status="200"} 1.0' in text
    assert 'tlogic_requests_total{method="GET",route="/api/forecast",status="404"} 1.0' in text
    assert 'tlogic_requests_total{method="GET",route="unknown",status="404"} 1.0' in text
    assert "tlogic_forecasts_total 1.0" in text
    assert f"tlogic_facts {float(service.health().events)}" in text
    assert "tlogic_store_reachable 1.0" in text
    assert "made/up" not in text


# Writing


def test_events_are_visible_at_once_and_stored_once(writable: httpx.Client) -> None:
    before = writable.get("/health").json()
    assert add(writable, event(object="Newcomer Ltd"), event()).json() == {
        "added": 2,
        "known": 0,
        "total": before["events"] + 2,
    }
    assert add(writable, event()).json() == {"added": 0, "known": 1, "total": before["events"] + 2}
    assert writable.get("/health").json()["next"] == "2030-05-04"
    happened = writable.get(
        "/api/forecast", params={"subject": ENTITY, "relation": RELATION, "at": "2030-05-03"}
    ).json()
    assert set(happened["happened"]) == {"Newcomer Ltd", "Orchard Foods"}
    assert writable.get("/api/events", params={"entity": "newcomer ltd"}).json()["total"] == 1


def test_hostile_names_are_returned_unchanged(writable: httpx.Client) -> None:
    for name in HOSTILE:
        response = add(writable, event(subject=name, relation=f"r {name}"[:10_000], object=f"{name[:9000]} too"))
        assert response.status_code == 200, response.text
        found = writable.get("/api/events", params={"entity": name}).json()
        assert [(fact["subject"], fact["object"]) for fact in found["events"]] == [(name, f"{name[:9000]} too")]
        asked = {"questions": [{"subject": name, "relation": f"r {name}"[:10_000]}]}
        assert writable.post("/api/forecasts", json=asked).json()[0]["question"]["subject"] == name
    names = {entity["name"] for entity in writable.get("/api/entities", params={"limit": 1000}).json()["entities"]}
    assert names >= set(HOSTILE)


def test_an_invalid_event_is_reported_by_position_and_none_is_added(writable: httpx.Client) -> None:
    before = writable.get("/health").json()["events"]
    response = add(writable, event(object="Somebody New"), event(subject=" "), event(time="yesterday"))
    assert "none was added" in problem_text(response, 422)
    assert response.json()["positions"] == [1, 2]
    assert response.json()["reasons"] == ["the subject is empty", "the time 'yesterday' cannot be parsed"]
    assert writable.get("/health").json()["events"] == before


def test_versions_are_stored_and_restored(writable: httpx.Client) -> None:
    assert writable.post("/api/learn").status_code == 202
    wait_until(lambda: writable.get("/api/learn").json()["state"] != "running")
    learned = writable.get("/api/learn").json()
    assert (learned["state"], learned["version"]) == ("done", 2)
    versions = writable.post("/api/versions/1/use").json()["versions"]
    assert [(each["version"], each["in_use"]) for each in versions] == [(3, True), (2, False), (1, False)]
    assert writable.get("/api/forecast", params={"subject": ENTITY, "relation": RELATION}).json()["version"] == 3


# Errors


@pytest.mark.parametrize(
    ("path", "params", "status", "message"),
    [
        ("/api/forecast", {"relation": RELATION}, 400, "either a subject or an object"),
        (
            "/api/forecast",
            {"subject": ENTITY, "object": ENTITY, "relation": RELATION},
            400,
            "either a subject or an object",
        ),
        ("/api/forecast", {"subject": ENTITY, "relation": "su"}, 404, "Unknown relation 'su'"),
        ("/api/forecast", {"subject": "Kite Avation", "relation": RELATION}, 404, "did you mean 'Kite Aviation'?"),
        (
            "/api/forecast",
            {"subject": ENTITY, "relation": RELATION, "at": "1999-01-01"},
            400,
            "There are no facts before",
        ),
        ("/api/forecast", {"subject": ENTITY, "relation": RELATION, "at": "soon"}, 400, "'soon' is not understood"),
        ("/api/forecast", {"subject": ENTITY, "relation": RELATION, "top": 0}, 422, "query.top"),
        ("/api/forecast", {"subject": ENTITY, "relation": RELATION, "without": ["9999999"]}, 400, "Unknown rule id"),
        ("/api/forecast", {"subject": "x" * 10_001, "relation": RELATION}, 422, "query.subject"),
        ("/api/explanation", {"subject": ENTITY, "relation": RELATION, "candidate": "Nobody"}, 404, "Unknown entity"),
        ("/api/events", {"entity": "Nobody"}, 404, "Unknown entity 'Nobody'"),
        ("/api/events", {}, 422, "query.entity: Field required"),
        ("/api/rules", {"sort": "beauty"}, 422, "query.sort"),
        ("/api/rules", {"min_confidence": "nan"}, 422, "query.min_confidence"),
        ("/api/nothing", {}, 404, "Unknown path"),
        ("/nothing", {}, 404, "Unknown path"),
    ],
)
def test_errors_have_clear_messages(api: httpx.Client, path: str, params: dict, status: int, message: str) -> None:
    assert message in problem_text(api.get(path, params=params), status)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 422, "JSON"),
        (b"[]", 422, "body"),
        (b"", 422, "body"),
        (b'{"events": []}', 422, "body.events"),
        (b'{"event": []}', 422, "body.event: Extra inputs are not permitted"),
        (b'{"events": [{"subject": "a"}]}', 422, "body.events.0.relation: Field required"),
        (b'{"events": [{"subject": "\\ud800", "relation": "r", "object": "o", "time": 1}]}', 422, ""),
        (
            b'{"events": [{"subject": "s", "relation": "r", "object": "o", "time": ' + b"9" * 5000 + b"}]}",
            422,
            "digits",
        ),
        (b"[" * 100_000, 422, "nested too deeply"),
        (b"\xff\xfe", 422, "JSON"),
    ],
)
def test_invalid_bodies_are_reported(api: httpx.Client, body: bytes, status: int, message: str) -> None:
    response = api.post("/api/events", content=body, headers={"Content-Type": "application/json"})
    assert message in problem_text(response, status)


def test_an_unsupported_method_lists_the_supported_ones(api: httpx.Client) -> None:
    response = api.put("/api/events", json={})
    problem_text(response, 405)
    assert response.headers["allow"] == "GET, POST"
    problem_text(api.post("/api/versions/99/use"), 404)


def test_an_unexpected_error_refers_to_the_log(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("the secret inside")

    monkeypatch.setattr(service, "events", fail)
    with api_client(service) as api, caplog.at_level(logging.INFO, "tlogic.serving"):
        response = api.get("/api/events", params={"entity": ENTITY})
        assert api.get("/health").status_code == 200
    message = problem_text(response, 500)
    request_id = response.headers["x-request-id"]
    assert request_id in message
    assert "secret" not in message
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [record.fields["request"] for record in errors] == [request_id]  # type: ignore[attr-defined]
    assert "the secret inside" in str(errors[0].exc_info)


@pytest.mark.parametrize(("failure", "status"), [("the disk is full", 507), ("the database is unreachable", 503)])
def test_a_failing_store_is_reported(
    service: Service, monkeypatch: pytest.MonkeyPatch, failure: str, status: int
) -> None:
    def fail(*_: object) -> None:
        raise StoreError(
            f"The store /secret/folder failed: {failure}.", f"The store failed: {failure}.", disk_is_full=status == 507
        )

    monkeypatch.setattr(service.live_store.store, "add", fail)
    with api_client(service) as api:
        response = add(api, event())
        assert failure in problem_text(response, status)
        assert "secret" not in response.text
        assert int(response.headers["retry-after"]) > 0
        asked = {"subject": ENTITY, "relation": RELATION}
        assert api.get("/api/forecast", params=asked).status_code == 200
        monkeypatch.setattr(service.live_store.store, "state", fail)
        assert api.get("/health").json()["status"] == "store unreachable"
        assert "tlogic_store_reachable 0.0" in api.get("/metrics").text


def test_responses_are_strict_json(api: httpx.Client) -> None:
    response = api.get("/api/rules", params={"limit": 1000})
    assert response.status_code == 200
    content = json.loads(response.text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert content["rules"]
