"""Opens a service over a store, and compiles its kernels before the first request."""

from pathlib import Path

from tlogic.api import fit, learn
from tlogic.errors import InputError, SettingsError
from tlogic.forecasting import ApplicationSettings
from tlogic.forecasting.live_forecaster import LiveFallback
from tlogic.graph import TemporalGraph
from tlogic.models import Model
from tlogic.rules import RuleSet
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.logs import log
from tlogic.serving.schemas import Query
from tlogic.serving.store.event_store import EventStore, is_new
from tlogic.serving.store.store_errors import DamagedVersionError


def open_service(
    store: str | Path | EventStore,
    *,
    rules: Path | None = None,
    model: Path | None = None,
    settings: ApplicationSettings | None = None,
    threads: int | None = None,
) -> Service:
    """Open a service over a store of events.

    The service answers by the given rules or model, otherwise by the newest version in the store. If the store has no
    version, a model is fitted to its events; rules are learned if there are too few events for a model.

    Args:
        store: The path of a file, a database URL, or an open store.
        rules: A rule file. It becomes the newest version, unless the store already has a version with the same rules.
        model: A model file, used like a rule file.
        settings: How rules are applied; by default, `ApplicationSettings()`.
        threads: The number of threads for fitting; by default, one per core.

    Returns:
        The service. Close its store with ``service.live_store.store.close()`` unless you passed an open one.

    Raises:
        SettingsError: If both rules and a model are given.
        InputError: If a file or the store cannot be opened, or if there is neither a version nor an event.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, EventStore.open(f"{folder}/events.db") as calls:
        ...     rows = [("Ann", "calls", "Bob", day) for day in range(20)] + [("Bob", "calls", "Ann", 20)]
        ...     _ = calls.add(calls.check(rows))
        ...     service = open_service(calls)
        >>> service.health().events
        21
    """
    if rules is not None and model is not None:
        raise SettingsError("Give either --rules RULES or --model MODEL, not both.")
    if rules is None and model is None and not isinstance(store, EventStore) and is_new(store):
        raise _no_events(str(store))  # before a mistyped path creates a file
    events = store if isinstance(store, EventStore) else EventStore.open(store)
    try:
        live_store = LiveStore(events)
        versions = VersionManager(live_store, settings or ApplicationSettings(), threads)
        _choose_version(live_store, versions, _load(rules, model), threads)
    except BaseException:
        if events is not store:
            events.close()
        raise
    return Service(live_store, versions)


def warm_up(service: Service) -> None:
    """Call each kind of request once, so that the first user does not wait for the kernels to compile.

    A failure is logged: it must not keep a service from starting, which other requests may not need.
    """
    try:
        _warm_up(service)
    except Exception:
        log.exception("a first request failed")


def _warm_up(service: Service) -> None:
    if service.live_store.is_empty:
        return
    entity = service.entities("", 1).entities[0].name
    query = Query(subject=entity, relation=service.relations("", 1).relations[0].name)
    candidates = service.forecast(query, 1).candidates
    if candidates:
        service.explain(query, candidates[0].name)
    if service.monitor.has_occurrence:
        service.monitor.outlook(entity, top=1, explain=True)
    else:
        service.expected_events(entity)
    if service.versions.predictor.kind == "rules":
        with service.live_store.reading() as graph:
            LiveFallback(graph).of(relation=0, time=graph.end)
    service.events(entity, None, 0, 1)


def _load(rules: Path | None, model: Path | None) -> RuleSet | Model | None:
    if rules is not None:
        return RuleSet.load(rules)
    return None if model is None else Model.load(model)


def _choose_version(
    live_store: LiveStore, versions: VersionManager, given: RuleSet | Model | None, threads: int | None
) -> None:
    """Use what was given, unless the store has it already: then later versions stay in use after a restart."""
    if given is not None and (not versions.has_version(given) or not _can_use_latest(versions)):
        versions.use(given)
    elif not versions.use_latest():
        if live_store.is_empty:
            raise _no_events(live_store.store.name)
        versions.use(_learned(live_store.snapshot().graph(), threads))


def _can_use_latest(versions: VersionManager) -> bool:
    """Whether the newest version is not damaged; then it is in use."""
    try:
        return versions.use_latest()
    except DamagedVersionError as error:
        log.warning(str(error))
        return False


def _learned(graph: TemporalGraph, threads: int | None) -> RuleSet | Model:
    """A model, or rules if no model can be fitted to the few facts."""
    try:
        return fit(graph, threads=threads)
    except InputError:
        return learn(graph, threads=threads)


def _no_events(name: str) -> InputError:
    return InputError(f"The store {name} has no events; add some with `tlogic ingest DATA --store {name}`.")
