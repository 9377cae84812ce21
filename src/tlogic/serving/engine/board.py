"""Board: what is likely next, surprising, changed and latest, and how good the probabilities were;
computed once for all."""

from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from tlogic.serving import schemas
from tlogic.serving.engine.shared_result import SharedResult
from tlogic.serving.engine.time_limit import TimeLimit

if TYPE_CHECKING:
    from tlogic.serving.engine.service import Service

RECENT_STEPS = 7
"""The surprises and changes of the board are about so many last time steps."""
BACKTEST_STEPS = 30
"""The backtest forecasts from so many last time steps."""
N_EVENTS, N_CHANGES = 8, 4
N_LATEST_EVENTS = 10
_MAX_SECONDS = 60.0
_N_RANKED_ENTITIES = 8
"""With rules, the board ranks the events of so many entities: those with the most recent events."""


class LikelyTriple(NamedTuple):
    """An event, and its probability or, if rules ranked it, its likelihood."""

    subject: str
    relation: str
    object: str
    share: float

    @classmethod
    def of(cls, event: schemas.ExpectedEvent) -> "LikelyTriple":
        """An event that rules ranked."""
        query = event.question
        subject, object_ = (event.candidate if name is None else name for name in (query.subject, query.object))
        return cls(subject, query.relation, object_, event.likelihood)


class LikelyTriples(NamedTuple):
    """The most likely events of the next time step."""

    at: str
    events: list[LikelyTriple]
    has_probabilities: bool


class Overview(NamedTuple):
    """The size of the data, and the number of rules in use."""

    health: schemas.Health
    n_rules: int


class Board:
    """Shared results about the present state of the events.

    Args:
        service: The service whose events and version they are about.

    Attributes:
        overview: The size of the data.
        likely: The most likely events of the next time step. Rules rank the events of the busiest entities only.
        surprises: What was surprising in the last time steps; None if rules are in use.
        changes: What changed in the last time steps.
        backtest: How good the probabilities of the last time steps were. The home view does not show it.
        latest: The latest events.

    Example:
        >>> len(service.board.changes.latest().result().changes)
        12
    """

    def __init__(self, service: "Service") -> None:
        self._service = service
        self.overview = SharedResult(self._overview, self._state)
        self.likely = SharedResult(self._likely, self._state)
        self.surprises = SharedResult(self._surprises, self._state)
        self.changes = SharedResult(self._changes, self._state)
        self.backtest = SharedResult(self._backtest, self._state)
        self.latest = SharedResult(self._latest, self._state)

    def _state(self) -> Hashable:
        return self._service.live_store.version, self._service.versions.predictor.version

    def _overview(self) -> Overview:
        return Overview(self._service.health(), self._service.versions.predictor.n_rules)

    def _likely(self) -> LikelyTriples:
        monitor = self._service.monitor
        if not monitor.has_occurrence:
            return self._ranked()
        outlook = monitor.outlook(top=N_EVENTS, limit=TimeLimit.seconds(_MAX_SECONDS))
        events = [LikelyTriple(each.subject, each.relation, each.object, each.probability) for each in outlook.events]
        return LikelyTriples(outlook.since, events, has_probabilities=True)

    def _ranked(self) -> LikelyTriples:
        """The likely events of the entities with the most recent events, ranked by rules."""
        found: dict[tuple[str, str, str], float] = {}
        at = ""
        for entity in self._busiest_entities():
            expected = self._service.expected_events(entity, limit=N_EVENTS)
            at = expected.at
            for triple in map(LikelyTriple.of, expected.expected):
                # An event is found from its subject and from its object.
                found[triple[:3]] = max(found.get(triple[:3], 0.0), triple.share)
        triples = [LikelyTriple(*names, share) for names, share in found.items()]
        triples.sort(key=lambda triple: (-triple.share, triple))
        return LikelyTriples(at, triples[:N_EVENTS], has_probabilities=False)

    def _busiest_entities(self) -> list[str]:
        with self._service.live_store.reading() as graph:
            recent = graph.facts_between(max(graph.end - RECENT_STEPS, 0), graph.end)
            counts = Counter(recent.subject.tolist()) + Counter(recent.object.tolist())
            names = {graph.entities.name_of(entity): n for entity, n in counts.items()}
        return sorted(names, key=lambda name: (-names[name], name))[:_N_RANKED_ENTITIES]

    def _surprises(self) -> schemas.Surprises | None:
        monitor = self._service.monitor
        if not monitor.has_occurrence:
            return None
        return monitor.surprises(self.recent_date(), top=N_EVENTS, limit=TimeLimit.seconds(_MAX_SECONDS))

    def _changes(self) -> schemas.Changes:
        return self._service.monitor.changes(self.recent_date(), top=N_CHANGES)

    def _backtest(self) -> schemas.Backtest:
        since, limit = self.recent_date(BACKTEST_STEPS), TimeLimit.seconds(_MAX_SECONDS)
        return self._service.monitor.backtest(since, limit=limit)

    def _latest(self) -> schemas.EventPage:
        return self._service.latest_events(N_LATEST_EVENTS)

    def recent_date(self, n_steps: int = RECENT_STEPS) -> str:
        """The first of the last time steps."""
        with self._service.live_store.reading() as graph:
            return graph.timeline.label_of(max(graph.end - n_steps, 1))
