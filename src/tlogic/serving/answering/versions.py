"""Versions of rules, or of a model: kept in the store, learned anew while forecasts go on, and swapped in whole."""

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
from tlogic.serving import messages as say
from tlogic.serving.answering.oracles import Kind, ModelOracle, Oracle, RuleOracle
from tlogic.serving.answering.world import World


class Versions:
    """The version in use, and those before it."""

    def __init__(self, world: World, settings: ApplicationSettings, threads: int | None = None) -> None:
        self._world, self._settings, self._threads = world, settings, threads
        self._swapping, self._learning = Lock(), Lock()
        self._oracle: Oracle | None = None
        self.learning = say.Learning(state="idle")

    @property
    def oracle(self) -> Oracle:
        """What answers questions now."""
        if self._oracle is None:
            raise InputError("There are no rules yet; learn some with POST /api/learn.")
        return self._oracle

    def use(self, what: RuleSet | Model) -> int:
        """Keep rules, or a model, as a new version, and answer by them from now on."""
        kind: Kind = "rules" if isinstance(what, RuleSet) else "model"
        with self._swapping:
            content = what.to_json()
            about = {"repr": repr(what), "digest": _digest(content), **what.data}
            number = self._world.store.save_version(kind, content, about)
            self._take(what, number)
        return number

    def is_kept(self, what: RuleSet | Model) -> bool:
        """Is there a version with just this content, be it an old one?"""
        digest = _digest(what.to_json())
        return any(each.about.get("digest") == digest for each in self._world.store.versions())

    def use_latest(self) -> bool:
        """Answer by the newest version that is kept, be it another's; False where there is none."""
        newest = next(iter(self._world.store.versions()), None)
        if newest is None:
            return False
        with self._swapping:
            if self._oracle is None or newest.version > self._oracle.version:
                kept = self._world.store.version(newest.version)
                self._take(_read(kept.kind, kept.content), newest.version)
        return True

    def use_again(self, number: int) -> int:
        """Go back to an earlier version, which is kept once more as the newest."""
        kept = self._world.store.version(number)
        return self.use(_read(kept.kind, kept.content))

    def kept(self) -> say.Versions:
        """All versions, newest first."""
        in_use = self._oracle.version if self._oracle else None
        return say.Versions(
            versions=[
                say.Version(
                    version=each.version,
                    kind=each.kind,
                    made=each.made,
                    about=dict(each.about),
                    in_use=each.version == in_use,
                )
                for each in self._world.store.versions()
            ]
        )

    def learn(self) -> say.Learning:
        """Begin to learn anew from all that is known, with the settings of what is in use, unless somebody does."""
        if not self._learning.acquire(blocking=False):
            return self.learning
        self.learning = say.Learning(state="running")
        Thread(target=self._learn, name="learning", daemon=True).start()
        return self.learning

    def _learn(self) -> None:
        began = perf_counter()
        try:
            graph = self._world.snapshot().graph()
            if isinstance(self._oracle, ModelOracle):
                settings = self._oracle.model.settings
                found: RuleSet | Model = tlogic.fit(graph, threads=self._threads, **_fit_settings(settings))
            else:
                settings = self._oracle.rules.settings if isinstance(self._oracle, RuleOracle) else {}
                found = tlogic.learn(graph, threads=self._threads, **_learn_settings(settings))
            number = self.use(found)
            self.learning = say.Learning(state="done", version=number, seconds=round(perf_counter() - began, 3))
        except TLogicError as error:
            self.learning = say.Learning(state="failed", problem=str(error))
        except Exception:
            self.learning = say.Learning(state="failed", problem="an unexpected error; see the log of the service")
            raise
        finally:
            self._learning.release()

    def _take(self, what: RuleSet | Model, number: int) -> None:
        self._oracle = (
            RuleOracle(what, self._settings, number) if isinstance(what, RuleSet) else ModelOracle(what, number)
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
