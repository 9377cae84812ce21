"""Versions of rules, or of a model: kept in the store, and swapped in whole."""

from dataclasses import fields
from hashlib import blake2b
from threading import Lock, Thread
from time import perf_counter
from typing import Any

import tlogic
from tlogic.errors import InputError, TLogicError
from tlogic.forecasting import ApplicationSettings
from tlogic.models import Model
from tlogic.rules import RuleSet
from tlogic.serving import schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.predictors import Kind, ModelPredictor, Predictor, RulePredictor


class VersionManager:
    """The version in use, and those before it."""

    def __init__(self, live_store: LiveStore, settings: ApplicationSettings, threads: int | None = None) -> None:
        self._live_store, self._settings, self._threads = live_store, settings, threads
        self._swapping, self._learning = Lock(), Lock()
        self._predictor: Predictor | None = None
        self.learning = schemas.Learning(state="idle")

    @property
    def predictor(self) -> Predictor:
        """What answers questions now."""
        if self._predictor is None:
            raise InputError("There are no rules yet; learn some with POST /api/learn.")
        return self._predictor

    def use(self, what: RuleSet | Model) -> int:
        """Keep rules, or a model, as a new version, and answer by them from now on."""
        kind: Kind = "rules" if isinstance(what, RuleSet) else "model"
        with self._swapping:
            content = what.to_json()
            about = {"repr": repr(what), "digest": _digest(content), **what.data}
            number = self._live_store.store.save_version(kind, content, about)
            self._take(what, number)
        return number

    def has_version(self, what: RuleSet | Model) -> bool:
        """Is there a version with just this content, be it an old one?"""
        digest = _digest(what.to_json())
        return any(each.about.get("digest") == digest for each in self._live_store.store.versions())

    def use_latest(self) -> bool:
        """Answer by the newest version that is kept, be it another's; False where there is none."""
        newest = next(iter(self._live_store.store.versions()), None)
        if newest is None:
            return False
        with self._swapping:
            if self._predictor is None or newest.version > self._predictor.version:
                kept = self._live_store.store.version(newest.version)
                self._take(_read(kept.kind, kept.content), newest.version)
        return True

    def restore(self, number: int) -> int:
        """Go back to an earlier version, which is kept once more as the newest."""
        kept = self._live_store.store.version(number)
        return self.use(_read(kept.kind, kept.content))

    def kept(self) -> schemas.Versions:
        """All versions, newest first."""
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

    def learn(self) -> schemas.Learning:
        """Begin to learn anew from all that is known, with the settings of what is in use, unless somebody does."""
        if not self._learning.acquire(blocking=False):
            return self.learning
        self.learning = schemas.Learning(state="running")
        Thread(target=self._learn, name="learning", daemon=True).start()
        return self.learning

    def _learn(self) -> None:
        began = perf_counter()
        try:
            graph = self._live_store.snapshot().graph()
            if isinstance(self._predictor, ModelPredictor):
                settings = self._predictor.model.settings
                found: RuleSet | Model = tlogic.fit(graph, threads=self._threads, **_fit_settings(settings))
            else:
                settings = self._predictor.rules.settings if isinstance(self._predictor, RulePredictor) else {}
                found = tlogic.learn(graph, threads=self._threads, **_learn_settings(settings))
            number = self.use(found)
            self.learning = schemas.Learning(state="done", version=number, seconds=round(perf_counter() - began, 3))
        except TLogicError as error:
            self.learning = schemas.Learning(state="failed", problem=str(error))
        except Exception:
            self.learning = schemas.Learning(state="failed", problem="an unexpected error; see the log of the service")
            raise
        finally:
            self._learning.release()

    def _take(self, what: RuleSet | Model, number: int) -> None:
        self._predictor = (
            RulePredictor(what, self._settings, number) if isinstance(what, RuleSet) else ModelPredictor(what, number)
        )


def _digest(content: str) -> str:
    return blake2b(content.encode(), digest_size=16).hexdigest()


def _learn_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """What rules were learned by, as far as they say it."""
    known = {field.name for field in fields(tlogic.LearningSettings)}
    return {name: tuple(value) if name == "lengths" else value for name, value in settings.items() if name in known}


def _fit_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("model", "names", "seed") if name in settings}


def _read(kind: str, content: str) -> RuleSet | Model:
    return RuleSet.from_json(content) if kind == "rules" else Model.from_json(content)
