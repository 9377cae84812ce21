"""Starting a service: its store, what it answers by, and the thread that keeps both up to date."""

from pathlib import Path
from threading import Event, Thread
from time import monotonic

import tlogic
from tlogic.errors import InputError, SettingsError, TLogicError
from tlogic.forecasting import ApplicationSettings
from tlogic.models import Model
from tlogic.rules import RuleSet
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.logs import log
from tlogic.serving.schemas import Question
from tlogic.serving.store.event_store import EventStore, is_new

POLL_SECONDS = 0.5


def open_service(
    store: str | Path | EventStore,
    *,
    rules: Path | None = None,
    model: Path | None = None,
    settings: ApplicationSettings | None = None,
    threads: int | None = None,
) -> Service:
    """A service over a store, which answers by a file of rules or a model, or else by the newest version it keeps.

    Where the store keeps none, rules are learned from its events.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     open_service(f"{folder}/events.db")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    tlogic.errors.InputError: .../events.db has no events to learn from; add some with `tlogic ingest DATA --store ...`.
    """
    if rules is not None and model is not None:
        raise SettingsError("A service answers by one of --rules RULES and --model MODEL, not by both.")
    if rules is None and model is None and not isinstance(store, EventStore) and is_new(store):
        raise _no_events(str(store))  # and a name that was mistyped leaves no file behind
    kept = store if isinstance(store, EventStore) else EventStore.open(store)
    try:
        live_store = LiveStore(kept)
        versions = VersionManager(live_store, settings or ApplicationSettings(), threads)
        _choose_version(live_store, versions, _given(rules, model), threads)
    except BaseException:
        if kept is not store:
            kept.close()
        raise
    return Service(live_store, versions)


def warm_up(service: Service) -> None:
    """Ask one question of each kind, so that the first people to ask do not wait for kernels to be compiled."""
    if service.live_store.is_empty:
        return
    entity = service.entities("", 1).entities[0].name
    question = Question(subject=entity, relation=service.relations("", 1).relations[0].name)
    candidates = service.forecast(question, 1).candidates
    if candidates:
        service.explain(question, candidates[0].name)
    service.outlook(entity)
    service.events(entity, None, 0, 1)


class Follower:
    """A thread that takes in what others add to the store, and learns anew on a schedule.

    It goes on when the database fails, and catches up once that is back.
    """

    def __init__(self, service: Service, learn_every: float | None = None, poll: float = POLL_SECONDS) -> None:
        self._service, self._learn_every, self._poll = service, learn_every, poll
        self._stop = Event()
        self._thread = Thread(target=self._run, name="follower", daemon=True)
        self._fails = False

    def start(self) -> None:
        """Begin to follow the store."""
        self._thread.start()

    def stop(self) -> None:
        """End after what is under way."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        learned = monotonic()
        while not self._stop.wait(self._poll):
            self._catch_up()
            if self._learn_every is not None and monotonic() - learned >= self._learn_every:
                learned = monotonic()
                self._service.versions.learn()

    def _catch_up(self) -> None:
        try:
            self._service.live_store.catch_up()
            self._service.versions.use_latest()
        except Exception as error:
            # Twice a second the same would fill the log.
            if not self._fails:
                log.warning(str(error), exc_info=not isinstance(error, TLogicError))
            self._fails = True
        else:
            if self._fails:
                log.info("the store is back")
            self._fails = False


def _given(rules: Path | None, model: Path | None) -> RuleSet | Model | None:
    if rules is not None:
        return RuleSet.load(rules)
    return None if model is None else Model.load(model)


def _choose_version(
    live_store: LiveStore, versions: VersionManager, given: RuleSet | Model | None, threads: int | None
) -> None:
    """What was given is used unless it was kept before: then what was learned since goes on to answer."""
    if given is not None and not versions.has_version(given):
        versions.use(given)
    elif not versions.use_latest():
        if live_store.is_empty:
            raise _no_events(live_store.store.name)
        versions.use(tlogic.learn(live_store.snapshot().graph(), threads=threads))


def _no_events(name: str) -> InputError:
    return InputError(f"{name} has no events to learn from; add some with `tlogic ingest DATA --store {name}`.")
