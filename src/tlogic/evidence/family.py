"""The protocol that every family of evidence implements, and a base class with its defaults."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from tlogic.evidence.candidate_selection import Proposals, QueryContext, StepQueries
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.rates import Tally, new_tally, with_more_heads, with_more_rules
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Bools, Floats, Ints


class StepEvents(NamedTuple):
    """Edges of one time step, in both directions, sorted by source: each answers the query of its source.

    The source and the relation of an edge are a query, and its target is an answer to it.
    """

    now: int
    source: Ints
    relation: Ints
    target: Ints
    new_query: Bools
    """Is it the first answer to its query at this time step?"""
    new_answer: Bools
    """Is its target an answer to its relation for the first time at this step, whatever the source?"""
    new_relation: Bools
    """Is it the first edge of its relation at this step?"""
    draw: Floats
    """A random number per query, from 0 to the number of earlier facts of its relation. Costly families learn only from
    queries whose number is below a limit: from all until a relation has so many facts, and then from about that many
    while the number of facts grows by a factor of e."""


class Family(Protocol):
    """One family of evidence: some columns of numbers per (query, candidate), and a sentence about them.

    An instance goes through all events in order of time. It may keep what it learns from them in ``state``.

    To add a family, write a module in ``tlogic.evidence.families`` with a subclass of ``BaseFamily``, and list it in
    ``tlogic.evidence.registry``.
    """

    columns: ClassVar[tuple[str, ...]]
    """The names of its columns, which model files hold."""
    claim: ClassVar[str]
    """What its evidence shows, as a clause that "how often" or "how recently" can precede.

    It may hold "{subject}" and "{candidate}", which stand for the names of the two."""
    by_default: ClassVar[bool]
    """Do models use it unless told otherwise?"""
    rule_kind: ClassVar[RuleKind | None]
    """The form of the rules that it counts; None if it counts none."""
    learning_cost: ClassVar[int]
    """How long it takes to learn, relative to other families; the slowest begin first, so that threads end together."""
    state: Any
    """A named tuple of arrays, and of such tuples, with all that it learned; None if it learns nothing."""

    def observe(self, memory: EventMemory, names: Sequence[str], events: StepEvents) -> None:
        """Take in the names of new entities, and events, which the memory has already."""

    def learn(self, memory: EventMemory, events: StepEvents, times: int) -> None:
        """Learn from queries and their answers, given the memory of what was before them.

        Args:
            memory: All events until the time step of the queries; only earlier ones may be used.
            events: The queries with their answers.
            times: 1 to learn from them, or -1 to undo it.
        """

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the evidence of queries.

        Args:
            memory: All events until the time step of the queries; only earlier ones may be used.
            context: The queries and their candidates.
            out: One row per candidate and one column per name; nan where there is no evidence.
        """

    def describe(self, case: Case) -> Statement:
        """The evidence for one candidate as a sentence for analysts, with the facts it is based on."""

    def propose(self, memory: EventMemory, queries: StepQueries) -> Proposals | None:
        """Further candidates of queries, the best first; None if it proposes none."""

    def rule_counts(self) -> Iterator[RuleCounts]:
        """The rules that it counted so far, by head relation."""


class BaseFamily(Family):
    """A family that learns nothing, proposes no candidates and counts no rules."""

    claim: ClassVar[str] = "the evidence speaks for {candidate}"
    by_default: ClassVar[bool] = True
    rule_kind: ClassVar[RuleKind | None] = None
    learning_cost: ClassVar[int] = 0
    state: Any = None

    def observe(self, memory: EventMemory, names: Sequence[str], events: StepEvents) -> None:
        """Nothing is taken in."""

    def learn(self, memory: EventMemory, events: StepEvents, times: int) -> None:
        """Nothing is learned."""

    def propose(self, memory: EventMemory, queries: StepQueries) -> Proposals | None:  # noqa: ARG002
        """No candidates."""
        return None

    def rule_counts(self) -> Iterator[RuleCounts]:
        """No rules."""
        return iter(())


class CountingFamily(BaseFamily):
    """A family that counts at every query with answers.

    Arrays cannot grow inside a kernel, so the kernel stops where they are full, and goes on with larger ones.
    """

    def learn(self, memory: EventMemory, events: StepEvents, times: int) -> None:
        """Count, or undo it."""
        self._make_room_for_relations(len(memory.relation_key))
        done = 0
        while done < len(events.source):
            done = self._count(memory, events, done, times)
            if done < len(events.source):
                self._make_room(memory)

    def _make_room_for_relations(self, n: int) -> None:
        """Make room for so many relations, in both directions."""

    @abstractmethod
    def _count(self, memory: EventMemory, events: StepEvents, first: int, times: int) -> int:
        """Count from an event on until there is no room; return the index of the next event."""

    @abstractmethod
    def _make_room(self, memory: EventMemory) -> None:
        """Make room for at least one more event."""


class TallyFamily(CountingFamily):
    """A family that counts rules with one body relation in a tally."""

    n_buckets: ClassVar[int]
    """The number of buckets of the tally."""
    state: Tally

    def __init__(self) -> None:
        self.state = new_tally(self.n_buckets)

    def _make_room_for_relations(self, n: int) -> None:
        self.state = with_more_heads(self.state, n)

    def _make_room(self, memory: EventMemory) -> None:
        self.state = with_more_rules(self.state, len(memory.relation_key))
