"""What the service takes and gives: the words of its API."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=10_000)]
Time = str | int
MAX_EVENTS = 10_000
MAX_QUERIES = 1000
MAX_CANDIDATES = 1000


class Message(BaseModel):
    """Nothing is taken that is not known, so that typing errors do not go unnoticed."""

    model_config = ConfigDict(extra="forbid")


class Event(Message):
    """Who did what to whom, and when."""

    subject: str
    relation: str
    object: str
    time: Time


class Events(Message):
    """A batch of events, which is taken whole or not at all."""

    events: Annotated[list[Event], Field(min_length=1, max_length=MAX_EVENTS)]


class Added(Message):
    """What became of a batch."""

    added: int
    known: int
    """Events that were there before."""
    total: int
    """All events that the service knows now."""


class Question(Message):
    """Who comes in the place of what is not given: the object, or the subject? Without a time, the next step is
    meant. Rules, or kinds of evidence of a model, can be switched off by their ids."""

    subject: Name | None = None
    relation: Name
    object: Name | None = None
    at: Time | None = None
    without: Annotated[list[str], Field(max_length=1000)] = []


class SplitQueries(Message):
    """Several questions at once."""

    questions: Annotated[list[Question], Field(min_length=1, max_length=MAX_QUERIES)]
    top: Annotated[int, Field(ge=1, le=MAX_CANDIDATES)] = 10


class Asked(Message):
    """A question with the names and the date that the data has for it; what is asked is null."""

    subject: str | None
    relation: str
    object: str | None
    at: str


class Candidate(Message):
    """One answer. Candidates with equal scores share their rank."""

    rank: int
    name: str
    score: float
    probability: float | None = None
    """By a model: how likely it is to come true."""
    came_true: bool | None = None
    """Did it happen? Null where nothing is known of that time."""


class Forecast(Message):
    """The best answers to a question, and what really happened where that is known."""

    question: Asked
    by: Literal["rules", "fallback", "model"]
    candidates: list[Candidate]
    happened: list[str]
    version: int


class Fact(Message):
    """A dated fact as it stands in the data."""

    subject: str
    relation: str
    object: str
    time: str


class Rule(Message):
    """A rule of the version in use."""

    id: str
    text: str
    words: str
    head: str
    length: int
    confidence: float
    rule_support: int
    body_support: int


class Reason(Message):
    """A rule that leads to a candidate. Its score is a part from its confidence and a part from how recent it is."""

    rule: Rule
    score: float
    confidence_part: float
    recency_part: float
    age: str
    """How long before the question its first fact was."""
    score_without: float
    """What the candidate's score would be without it."""
    groundings: list[list[Fact]]


class Contribution(Message):
    """What a kind of evidence adds to a candidate's score."""

    id: str
    weight: float
    sentence: str
    facts: list[Fact]
    facts_in_all: int


class Explanation(Message):
    """Why a candidate has its score and its rank: by rules, or as a sum of evidence where a model forecasts."""

    question: Asked
    candidate: str
    score: float
    probability: float | None = None
    rank: int | None
    candidates: int
    reasons: list[Reason] = []
    contributions: list[Contribution] = []
    text: str
    """All of it in words."""
    version: int


class RulePage(Message):
    """Some of the rules, and how many there are in all."""

    total: int
    offset: int
    rules: list[Rule]


class Entity(Message):
    """An entity, with the number of its events and the time of the last one."""

    name: str
    events: int
    last: str | None


class Relation(Message):
    """A relation, with the number of its events."""

    name: str
    events: int


class EntityPage(Message):
    """Some entities, best matches first."""

    total: int
    entities: list[Entity]


class RelationPage(Message):
    """Some relations, best matches first."""

    total: int
    relations: list[Relation]


class EventPage(Message):
    """Some events, newest first, and how many there are in all."""

    total: int
    offset: int
    events: list[Fact]


class Expected(Message):
    """What is likely next: a question about an entity, and a candidate for it."""

    question: Asked
    candidate: str
    likelihood: float
    """The rate times the candidate's share of the evidence, or times its probability where a model forecasts."""
    rate: float
    """On what share of steps the relation happened to the entity, recent ones counting more."""
    score: float
    probability: float | None = None


class Outlook(Message):
    """What is likely next for an entity, over all relations."""

    entity: str
    at: str
    expected: list[Expected]
    version: int


class Version(Message):
    """Rules, or a model, as they were at some time."""

    version: int
    kind: Literal["rules", "model"]
    made: str
    about: dict[str, object]
    in_use: bool


class Versions(Message):
    """All versions that were kept, newest first."""

    versions: list[Version]


class Learning(Message):
    """How learning anew stands."""

    state: Literal["idle", "running", "done", "failed"]
    version: int | None = None
    seconds: float | None = None
    problem: str | None = None


class Health(Message):
    """Is the service well, and what does it know?"""

    status: Literal["ok", "store unreachable"]
    tlogic: str
    events: int
    entities: int
    relations: int
    first: str | None
    last: str | None
    next: str | None
    """The step that questions without a time are about."""
    version: int
    kind: Literal["rules", "model"]


class Alive(Message):
    """What those are told who have no token: whether the service runs, and can keep events."""

    status: str


class Problem(Message):
    """What is wrong with a request; of a batch of events, with which of them."""

    problem: str
    positions: list[int] = []
    reasons: list[str] = []
