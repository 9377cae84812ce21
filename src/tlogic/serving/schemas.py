"""Schemas of the HTTP API: request and response bodies, shared by service, page and client."""

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError


def _not_boolean(value: object) -> object:
    """Refuse true and false, which pydantic would read as 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("boolean", "Input should be text or a number, not true or false")
    return value


NotBoolean = BeforeValidator(_not_boolean)
Name = Annotated[str, Field(min_length=1, max_length=10_000)]
Time = Annotated[str | int, NotBoolean]
MAX_EVENTS = 10_000
MAX_QUERIES = 1000
MAX_CANDIDATES = 1000
MAX_WATCHED_TRIPLES = 1000
MAX_OUTLOOK_EVENTS = 1000
MAX_WATCHED_EVENTS = 20_000
"""The events of all outlooks of a watchlist."""
MAX_EXPLAINED_EVENTS = 100
Horizon = Annotated[Annotated[str, Field(min_length=1, max_length=100)] | Annotated[int, Field(ge=1)], NotBoolean]


class Schema(BaseModel):
    """Base of all schemas. Unknown fields are an error, so that typing mistakes are noticed."""

    model_config = ConfigDict(extra="forbid")


class Batch(Schema):
    """Base of requests with many items, which are parsed within limits."""

    items_field: ClassVar[str]
    max_items: ClassVar[int]

    @classmethod
    def item_schema(cls) -> type[Schema]:
        """The schema of one item."""
        return get_args(cls.model_fields[cls.items_field].annotation)[0]


class Event(Schema):
    """An event: subject, relation, object and time."""

    subject: str
    relation: str
    object: str
    time: Time


class EventBatch(Batch):
    """A batch of events. Either all of them are added or none."""

    items_field = "events"
    max_items = MAX_EVENTS
    events: Annotated[list[Event], Field(min_length=1, max_length=MAX_EVENTS)]


class AddResult(Schema):
    """The result of adding events."""

    added: int
    """New events."""
    known: int
    """Events that were already in the store."""
    total: int
    """All events in the store."""


class Query(Schema):
    """A query for the missing object or subject. Without a time, it is about the time step after the last event.

    `without` switches off rules, or kinds of evidence of a model, by their ids.
    """

    subject: Name | None = None
    relation: Name
    object: Name | None = None
    at: Time | None = None
    without: Annotated[list[str], Field(max_length=1000)] = []


class QueryBatch(Batch):
    """Several queries, and the number of candidates to return for each."""

    items_field = "questions"
    max_items = MAX_QUERIES
    questions: Annotated[list[Query], Field(min_length=1, max_length=MAX_QUERIES)]
    top: Annotated[int, NotBoolean, Field(ge=1, le=MAX_CANDIDATES)] = 10


class ResolvedQuery(Schema):
    """A query with names as spelled in the data and its time filled in. The missing subject or object is null."""

    subject: str | None
    relation: str
    object: str | None
    at: str


class Candidate(Schema):
    """One candidate of a forecast. Candidates with equal scores share their rank."""

    rank: int
    name: str
    score: float
    probability: float | None = None
    """The probability that it comes true, if a model made the forecast."""
    came_true: bool | None = None
    """Whether it came true. Null if the time is after the last event."""


class Forecast(Schema):
    """The best candidates for a query, and the true answers if the time has passed."""

    question: ResolvedQuery
    by: Literal["rules", "fallback", "model"]
    candidates: list[Candidate]
    happened: list[str]
    note: str | None = None
    """That scores are not probabilities, if rules made the forecast."""
    warnings: list[str] = []
    """Reasons to doubt the forecast, such as a model of other data, or a time far after the last event."""
    version: int


class Fact(Schema):
    """A fact as it is in the data, with its date."""

    subject: str
    relation: str
    object: str
    time: str


class Rule(Schema):
    """A rule of the version in use."""

    id: str
    """Switches it off; empty if it is a rule of a model, where only a whole kind of evidence can be switched off."""
    text: str
    words: str
    head: str
    length: int
    confidence: float
    rule_support: int
    body_support: int


class Reason(Schema):
    """A rule that predicts a candidate. Its score is the sum of a confidence part and a recency part."""

    rule: Rule
    score: float
    confidence_part: float
    recency_part: float
    age: str
    """The time between its first fact and the query."""
    score_without: float
    """The score of the candidate without this rule."""
    groundings: list[list[Fact]]


class Contribution(Schema):
    """The contribution of one kind of evidence to the score of a candidate."""

    id: str
    weight: float
    sentence: str
    facts: list[Fact]
    facts_in_all: int
    has_evidence: bool = True
    """False if this kind of evidence found nothing that speaks for the candidate."""


class Explanation(Schema):
    """The reasons for the score and rank of a candidate: rules, or the evidence of a model."""

    question: ResolvedQuery
    candidate: str
    score: float
    probability: float | None = None
    rank: int | None
    candidates: int
    reasons: list[Reason] = []
    contributions: list[Contribution] = []
    text: str
    """The explanation as text."""
    version: int


class RulePage(Schema):
    """One page of rules, and the total number of matching rules."""

    total: int
    offset: int
    rules: list[Rule]


class Entity(Schema):
    """An entity, its number of events, and the time of the last one."""

    name: str
    events: int
    last: str | None


class Relation(Schema):
    """A relation and its number of events."""

    name: str
    events: int


class EntityPage(Schema):
    """Entities, best matches first."""

    total: int
    entities: list[Entity]


class RelationPage(Schema):
    """Relations, best matches first."""

    total: int
    relations: list[Relation]


class EventPage(Schema):
    """One page of events, newest first, and the total number of matching events."""

    total: int
    offset: int
    events: list[Fact]


class ExpectedEvent(Schema):
    """A likely next event: a query about an entity, and a candidate for it."""

    question: ResolvedQuery
    candidate: str
    likelihood: float
    """The rate times the candidate's share of the evidence, or times its probability if a model is in use."""
    rate: float
    """The share of time steps with an event of this relation and entity. Recent time steps weigh more."""
    score: float
    probability: float | None = None


class ExpectedEvents(Schema):
    """Likely next events of an entity, ranked by rules, over all relations."""

    entity: str
    at: str
    expected: list[ExpectedEvent]
    version: int


class CurvePoint(Schema):
    """The probability that an event has happened by the end of a date."""

    date: str
    probability: float


class OddsFactor(Schema):
    """What one kind of evidence does to the odds of an event."""

    family: str
    factor: float
    """What it multiplies the odds by."""
    sentence: str
    facts: list[Fact]
    facts_in_all: int


class OccurrenceExplanation(Schema):
    """Why an event has its probability: the odds that the model starts from, times the factors of the evidence."""

    period: str
    """The period of the explained probability: that of the horizons of the model which is next to the requested one."""
    probability: float
    base_rate: float
    """The probability that the model starts from, for events of this novelty."""
    note: str | None
    """That another horizon is explained than the requested one; null if it is the same."""
    factors: list[OddsFactor]
    text: str
    """The explanation as text."""


Novelty = Literal["known triple", "known pair", "new pair"]
EventKind = Literal["recurring", "new"]
"""Whether events happened before."""


class LikelyEvent(Schema):
    """An event, and the probability that it happens at least once within a period."""

    subject: str
    relation: str
    object: str
    probability: float
    novelty: Novelty
    """Whether it happened before ("known triple"), or only other events of the two did ("known pair")."""
    events: int
    """How often it happened before."""
    last: str | None
    """The date of the last time."""
    median_wait: int | None
    """The number of time steps within which it is as likely as not; null if it is more than the model covers."""
    curve: list[CurvePoint] = []
    """The probability by date, if requested."""
    explanation: OccurrenceExplanation | None = None
    """The reasons, if requested."""


class Outlook(Schema):
    """The most likely events within a period, the most probable first."""

    since: str
    """The first date of the period."""
    until: str
    """The last date of the period."""
    horizon: int
    """The number of time steps of the period."""
    events: list[LikelyEvent]
    warnings: list[str] = []
    """Reasons to doubt the probabilities, such as a model of other data, or a time far after the last event."""
    version: int


class WatchedTriple(Schema):
    """A triple of which parts may be open (null)."""

    subject: Name | None = None
    relation: Name | None = None
    object: Name | None = None


class Watchlist(Batch):
    """Several triples, and the period of their outlooks."""

    items_field = "triples"
    max_items = MAX_WATCHED_TRIPLES
    triples: Annotated[list[WatchedTriple], Field(min_length=1, max_length=MAX_WATCHED_TRIPLES)]
    at: Time | None = None
    horizon: Horizon = 1
    top: Annotated[int, NotBoolean, Field(ge=1, le=MAX_OUTLOOK_EVENTS)] = 20
    new: bool = False
    when: bool = False
    explain: bool = False


class JudgedEvent(Schema):
    """An event of the past, or one that failed to happen, with the probability that it had on that date."""

    date: str
    subject: str
    relation: str
    object: str
    probability: float
    novelty: Novelty
    explanation: OccurrenceExplanation | None = None
    """The reasons for the probability, if requested."""


class Surprises(Schema):
    """What was surprising in a period, the most surprising first."""

    since: str
    until: str
    events: list[JudgedEvent]
    """Events that were improbable beforehand."""
    missing: list[JudgedEvent]
    """Likely events that failed to happen."""
    warnings: list[str] = []
    """Reasons to doubt the probabilities, such as a model that was fitted to events of the period."""
    version: int


class BacktestFigures(Schema):
    """How good the probabilities of one kind of events were within one horizon."""

    horizon: int
    """In time steps."""
    kind: EventKind
    triples: int
    """The number of judged triples."""
    events: int
    """The number of events, of which some may not have been judged."""
    average_precision: float | None
    """Null if there are no events."""
    best_count: float | None
    """The average precision of the best decayed count; null for new events, which have no counts."""
    precision_at_100: float
    """Of the 100 most probable triples per time step."""
    brier_skill: float | None
    """Against the base rate; null if none of the triples happened, or all of them."""
    brier_skill_over_counts: float | None
    """Against the best decayed count."""
    calibration_error: float | None
    """Weighted by events; null if none of the triples happened."""


class ReliabilityGroup(Schema):
    """Triples with neighbouring probabilities: how probable they were, and how many of them happened."""

    horizon: int
    kind: EventKind
    triples: int
    predicted: float
    """The mean probability."""
    observed: float
    """The share that happened."""
    standard_error: float
    """Of that share."""


class Misses(Schema):
    """The largest misses, the largest first."""

    events: list[JudgedEvent]
    """Events that were improbable beforehand."""
    missing: list[JudgedEvent]
    """Likely events that failed to happen."""


class Backtest(Schema):
    """How good the probabilities of events were in a period, each from the events before it."""

    since: str
    """The first date that was forecast from."""
    until: str
    """The last one."""
    time_steps: int
    """The number of time steps that were forecast from."""
    figures: list[BacktestFigures]
    """By horizon and kind of events."""
    reliability: list[ReliabilityGroup]
    """By horizon, kind of events and group of probabilities, the lowest first."""
    misses: Misses
    warnings: list[str] = []
    """Reasons to doubt the figures, such as a model that was fitted to events of the period."""
    version: int


class ChangedTriple(Schema):
    """An event of a changed entity, pair or relation, and how often or how likely it was before and is now."""

    subject: str
    relation: str
    object: str
    events_before: int
    """How often it happened in the period before."""
    events_after: int
    """How often it happened since."""
    before: float
    """Its events per time step in the period before."""
    after: float
    """Its events per time step since."""
    first: str | None
    """The date of its first event since; null if there is none."""
    latest: str | None
    """The date of its latest event, since or before; null if it never happened."""
    probability_before: float | None
    """The probability of at least one such event within the horizon, from the first date of the period on.

    It is null if no probabilities were requested, or if an outlook of that date does not consider the event.
    """
    probability_after: float | None
    """The same from the time step after the last event on."""
    movement: str
    """What it did, in short, such as "new", "none since", "× 2.50", "up" or "down"."""
    sentence: str
    """The same in words, with dates."""


class ChangeExplanation(Schema):
    """The events behind a change."""

    summary: str
    """How many events there were in both periods."""
    triples: list[ChangedTriple]
    """The events whose number per time step moved most, first those that moved as the change did."""
    triples_in_all: int
    """How many events have another number per time step than before."""
    probability_summary: str | None
    """The probability of at least one event before and now; null if none was requested."""
    likely: list[ChangedTriple]
    """The events whose probability moved most, in the same order."""
    likely_in_all: int
    """How many events have another probability than before."""
    text: str
    """The explanation as text."""


class Change(Schema):
    """An entity, a pair or a relation whose rate of events, or probability, changed."""

    kind: Literal["entity", "pair", "relation"]
    name: str
    other: str | None
    """The second entity of a pair."""
    before: float
    """Events per time step in the period before."""
    after: float
    """Events per time step since."""
    factor: float | None
    """After divided by before; null if there were no events before."""
    significance: float
    """The difference of rates in standard deviations, with its sign."""
    probability_before: float | None = None
    """The probability of at least one event within the horizon, from the first date of the period on."""
    probability_after: float | None = None
    """The same from the time step after the last event on."""
    explanation: ChangeExplanation | None = None
    """The events behind the change, if requested."""


class Period(Schema):
    """The first and the last date of a period."""

    since: str
    until: str


class Changes(Schema):
    """What changed between two periods: the largest changes of each kind first."""

    before: Period
    after: Period
    horizon: int | None = None
    """The number of time steps of the probabilities; null if none were requested."""
    changes: list[Change]
    warnings: list[str] = []
    """Reasons to doubt the probabilities, such as a model that was fitted to events of the period."""


class Version(Schema):
    """A stored version of rules or a model."""

    version: int
    kind: Literal["rules", "model"]
    made: str
    about: dict[str, object]
    in_use: bool


class Versions(Schema):
    """All stored versions, newest first."""

    versions: list[Version]


class LearningStatus(Schema):
    """The status of learning."""

    state: Literal["idle", "running", "done", "failed"]
    version: int | None = None
    seconds: float | None = None
    problem: str | None = None


class Health(Schema):
    """The status of the service and the size of its data."""

    status: Literal["ok", "store unreachable"]
    tlogic: str
    events: int
    entities: int
    relations: int
    first: str | None
    last: str | None
    next: str | None
    """The time step after the last event, which is the default time of queries."""
    version: int
    kind: Literal["rules", "model"]
    late_events: int
    """Events older than the newest time step that forecasts do not use yet: the model's memory is being built anew."""


class Liveness(Schema):
    """The status of the service, for requests without a token."""

    status: str


class Problem(Schema):
    """An error. For a batch of events, `positions` and `reasons` list the first invalid events and what is wrong."""

    problem: str
    positions: list[int] = []
    reasons: list[str] = []
