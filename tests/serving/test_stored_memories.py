"""A service with a model logs that it learns from events, unless it starts with a stored memory of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import tlogic
from tests.serving.services import DAYS, sample_graph
from tlogic.events.sample.simulation import sample_events
from tlogic.graph.graph_cache import FOLDER_VARIABLE
from tlogic.serving import schemas
from tlogic.serving.engine import stored_memories
from tlogic.serving.engine.service import Service
from tlogic.serving.startup import open_service
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore

QUERY = schemas.Query(subject="Kite Aviation", relation="sue")
MESSAGE = "learning from events"


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    tlogic.fit(sample_graph(), evidence=["pair", "rules"]).save(tmp_path / "sample.model")
    return tmp_path / "sample.model"


@contextmanager
def started(folder: Path, model: Path) -> Iterator[Service]:
    with EventStore.open(folder / "events.db") as store:
        store.add(EncodedEvents.from_table(sample_events(days=DAYS)))
        yield open_service(store, model=model)


def test_a_service_logs_that_it_learns(
    tmp_path: Path, model_file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(stored_memories, "MIN_FACTS", 100)
    answers, messages = [], []
    for _ in range(2):
        with caplog.at_level("INFO", "tlogic.serving"), started(tmp_path, model_file) as service:
            answers.append(service.forecast(QUERY).candidates)
            service.versions.save_memory()
        messages.append([record.message for record in caplog.records])
        caplog.clear()
    assert messages == [[MESSAGE], []]
    assert answers[0] == answers[1]
