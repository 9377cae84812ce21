"""Stored versions of rules or models: learning in the background, and switching the version in use."""

from dataclasses import fields
from hashlib import blake2b
from threading import Lock, Thread
from time import perf_counter
from typing import Any

from tlogic.api import fit, learn
from tlogic.errors import InputError, TLogicError
from tlogic.forecasting import ApplicationSettings
from tlogic.learning import LearningSettings
from tlogic.models import Model
from tlogic.progress import no_progress
from tlogic.rules import RuleSet
from tlogic.serving import schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.predictors import Kind, ModelPredictor, Predictor, RulePredictor
from tlogic.serving.engine.stored_memories import StoredMemories
from tlogic.serving.logs import log
from tlogic.serving.store.event_store import Version
from tlogic.serving.store.store_errors import DamagedVersionError, StoreError


class VersionManager:
    """The version in use, the earlier versions in the store, and learning a new one."""

    def __init__(self, live_store: LiveStore, settings: ApplicationSettings, threads: int | None = None) -> None:
        self._live_store, self._settings, self._threads = live_store, settings, threads
        self._memories = StoredMemories(live_store.store.name)
        self._switch_lock, self._learn_lock = Lock(), Lock()
        self._predictor: Predictor | None = None
        self.learning = schemas.LearningStatus(state="idle")

    @property
    def predictor(self) -> Predictor:
        """The predictor of the version in use."""
        if self._predictor is None:
            raise InputError("There are no rules yet; learn some with POST /api/learn.")
        return self._predictor

    def catch_up(self) -> int:
        """Let the version in use learn from new events; returns how many late ones forecasts do not use yet."""
        if self._predictor is None or self._live_store.is_empty:
            return 0
        with self._live_store.reading() as graph:
            return self._predictor.catch_up(graph)

    def save_memory(self) -> None:
        """Store what the version in use learned from events, for the next start."""
        if self._predictor is not None and not self._live_store.is_empty:
            with self._live_store.reading():
                self._predictor.save_memory()

    def use(self, content: RuleSet | Model) -> int:
        """Store rules or a model as a new version and use it; returns its number."""
        kind: Kind = "rules" if isinstance(content, RuleSet) else "model"
        with self._switch_lock:
            text = content.to_json()
            about = {"repr": repr(content), "digest": _digest(text), **content.data}
            number = self._live_store.store.save_version(kind, text, about)
            self._switch_to(content, number)
        return number

    def has_version(self, content: RuleSet | Model) -> bool:
        """True if any stored version has exactly this content."""
        digest = _digest(content.to_json())
        return any(each.about.get("digest") == digest for each in self._live_store.store.versions())

    def use_latest(self) -> bool:
        """Use the newest stored version, which another process may have added; False if there is none."""
        newest = next(iter(self._live_store.store.versions()), None)
        if newest is None:
            return False
        with self._switch_lock:
            if self._predictor is None or newest.version > self._predictor.version:
                self._switch_to(_parse(self._live_store.store.version(newest.version)), newest.version)
        return True

    def restore(self, number: int) -> int:
        """Store an earlier version again as the newest and use it; returns its new number."""
        return self.use(_parse(self._live_store.store.version(number)))

    def list_all(self) -> schemas.Versions:
        """All stored versions, newest first."""
        in_use = self._predictor.version if self._predictor else None
        return schemas.Versions(
            versions=[
                schemas.Version(
                    version=each.version,
                    kind=each.kind,
                    made=each.made,
                    about=dict(each.about),
                    in_use=each.version == in_use,
                )
                for each in self._live_store.store.versions()
            ]
        )

    def learn(self) -> schemas.LearningStatus:
        """Start learning in the background from all events, with the settings of the version in use.

        If learning is already running, only its status is returned.
        """
        if not self._learn_lock.acquire(blocking=False):
            return self.learning
        self.learning = schemas.LearningStatus(state="running")
        Thread(target=self._learn, name="learning", daemon=True).start()
        return self.learning

    def _learn(self) -> None:
        started = perf_counter()
        try:
            number = self.use(self._learned())
            seconds = round(perf_counter() - started, 3)
            self.learning = schemas.LearningStatus(state="done", version=number, seconds=seconds)
        except TLogicError as error:
            log.warning("learning failed: %s", error)
            problem = error.public if isinstance(error, StoreError) else str(error)
            self.learning = schemas.LearningStatus(state="failed", problem=problem)
        except Exception:
            problem = "an unexpected error; see the log of the service"
            self.learning = schemas.LearningStatus(state="failed", problem=problem)
            raise
        finally:
            self._learn_lock.release()

    def _learned(self) -> RuleSet | Model:
        graph = self._live_store.snapshot().graph()
        if isinstance(self._predictor, ModelPredictor):
            return fit(
                graph, threads=self._threads, progress=no_progress, **_fit_settings(self._predictor.model.settings)
            )
        settings = self._predictor.rules.settings if isinstance(self._predictor, RulePredictor) else {}
        return learn(graph, threads=self._threads, **_learning_settings(settings))

    def _switch_to(self, content: RuleSet | Model, number: int) -> None:
        self._predictor = (
            RulePredictor(content, self._settings, number)
            if isinstance(content, RuleSet)
            else ModelPredictor(content, number, self._memories)
        )


def _digest(content: str) -> str:
    return blake2b(content.encode(), digest_size=16).hexdigest()


def _learning_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The learning settings that a rule file contains."""
    names = {field.name for field in fields(LearningSettings)}
    return {name: tuple(value) if name == "lengths" else value for name, value in settings.items() if name in names}


def _fit_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("model", "names", "seed") if name in settings}


def _parse(stored: Version) -> RuleSet | Model:
    """The content of a stored version. Raises `DamagedVersionError` if it is not what was stored."""
    expected = stored.about.get("digest")
    if expected is not None and _digest(stored.content) != expected:
        raise DamagedVersionError(stored.version, "its checksum is wrong")
    try:
        return RuleSet.from_json(stored.content) if stored.kind == "rules" else Model.from_json(stored.content)
    except TLogicError as error:
        raise DamagedVersionError(stored.version, str(error)) from None
