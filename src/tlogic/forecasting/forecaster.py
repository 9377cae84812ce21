"""A rule set made ready for one graph, and the workers that answer queries with it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from tlogic.forecasting.application import QueryBatch, Rulebook, Scored, apply_rules, new_workspace
from tlogic.forecasting.candidates import decay_table
from tlogic.forecasting.fallback import Fallback, StaticFallback
from tlogic.forecasting.grounding.rule_plans import EncodedRule, plan_rules
from tlogic.forecasting.grounding.visible_facts import VisibleFacts
from tlogic.forecasting.queries import EncodedQuery, query_batch
from tlogic.forecasting.rescoring import Scoring, score_groundings
from tlogic.forecasting.rule_groundings import RuleGroundings, ground_rules
from tlogic.forecasting.settings import UNLIMITED, ApplicationSettings
from tlogic.graph.arrays import Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.triples import TripleIndex
from tlogic.parallel import in_chunks
from tlogic.rules import Rule, RuleSet

_ALL_TIME = 1 << 40
QUERIES_PER_CHUNK = 4000  # each chunk begins at an earlier time, for which a worker forgets what it remembers


class LeadingRules(NamedTuple):
    """The rules of a query's relation that lead to one candidate, whether they were tried or not."""

    place: Ints
    """The place of the rule among those of its head, ascending."""
    age: Ints
    """How many steps before the query the rule's best grounding for the candidate begins."""


class RuleForecaster(ABC):
    """Answers queries over one graph with one rule set, up to the step ``until``.

    ``rules`` are those that apply: confident and supported enough, and with relations that the graph knows, be their
    names spelled with other case, spaces or underscores. ``n_foreign`` counts those with relations it does not know.
    """

    def __init__(
        self, graph: Graph, rules: RuleSet, settings: ApplicationSettings, fallback: Fallback, until: int
    ) -> None:
        self.graph = graph
        self.settings = settings
        self.fallback = fallback
        self._idle: list[Worker] = []
        names = {name for rule in rules for name in (rule.head, *rule.body)}
        number = {name: graph.relations.match(name) for name in names}
        native = [rule for rule in rules if _is_native(rule, number)]
        self.n_foreign = len(rules) - len(native)
        self.rules, integers = _in_order([rule for rule in native if settings.admit(rule)], number)
        limit = settings.limit_for(len(graph))
        self.book = Rulebook(
            plans=plan_rules(integers, len(graph.relations.base), only_chains=limit < UNLIMITED),
            alpha=settings.alpha,
            decay=decay_table(settings.alpha, settings.decay, until + 1),
            window=settings.window or _ALL_TIME,
            limit=limit,
            k=settings.k,
            published_stop=settings.stop == "published",
        )

    def chunks(self, relation: Ints, size: int = QUERIES_PER_CHUNK) -> list[Ints]:
        """Cut queries that are sorted by time into chunks, each sorted by time.

        Queries of one relation stay together, because they use the same rules and so remember more for each other. But
        where the newest facts alone are followed, what is remembered is which these are: then queries of one time do.
        """
        of_all = np.arange(len(relation)) if self.book.limit < UNLIMITED else np.argsort(relation, kind="stable")
        return [np.sort(chunk) for chunk in in_chunks(of_all, size)]

    def rules_of(self, relation: int) -> list[Rule]:
        """The rules of one head relation, in the order in which they are applied."""
        start, end = self.book.plans.head_start[relation : relation + 2]
        return self.rules[start:end]

    def scoring(self, settings: ApplicationSettings) -> Scoring:
        """How groundings of these rules are scored under other settings, which may admit fewer of them."""
        return Scoring(
            admitted=np.array([settings.admit(rule) for rule in self.rules], np.bool_),
            confidence=self.book.plans.confidence,
            alpha=settings.alpha,
            decay=decay_table(settings.alpha, settings.decay, len(self.book.decay)),
            window=settings.window or _ALL_TIME,
            k=settings.k,
            published_stop=settings.stop == "published",
        )

    @abstractmethod
    def new_worker(self) -> "Worker":
        """A worker with scratch memory of its own; it serves one thread."""

    @contextmanager
    def worker(self) -> Iterator["Worker"]:
        """A worker for a moment: one that is idle, with what it knows, or a new one."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self.new_worker()
        worker.book = self.book
        try:
            yield worker
        finally:
            self._idle.append(worker)


class Forecaster(RuleForecaster):
    """Answers queries over a graph that stays as it is, by default up to the step after the last fact."""

    graph: TemporalGraph

    def __init__(
        self, graph: TemporalGraph, rules: RuleSet, settings: ApplicationSettings, until: int | None = None
    ) -> None:
        super().__init__(graph, rules, settings, StaticFallback(graph), max(graph.end, until or 0))

    def new_worker(self) -> "Worker":
        """A worker with scratch memory of its own; it serves one thread."""
        return Worker(self.graph.triples, self)


class Worker:
    """Answers queries with its own scratch memory, so a thread has one for itself."""

    def __init__(self, triples: TripleIndex, forecaster: RuleForecaster) -> None:
        graph = forecaster.graph
        self._triples, self.book, self._n_entities = triples, forecaster.book, len(graph.entities)
        self._work = new_workspace(triples, self._n_entities, len(graph.relations), self.book)

    def score(self, groundings: RuleGroundings, scoring: Scoring, queries: QueryBatch) -> Scored:
        """The scored candidates of queries whose rules were grounded before."""
        candidates = self._work.candidates
        if scoring.k != len(candidates.top):
            candidates = candidates._replace(top=np.empty(scoring.k, np.int32))
        return score_groundings(groundings, scoring, queries, candidates, self._work.frontier)

    @property
    def visible(self) -> VisibleFacts:
        """The facts before the last query that was answered."""
        return self._work.grounding.visible

    def __call__(self, queries: QueryBatch) -> Scored:
        """The scored candidates of queries that are sorted by time."""
        return apply_rules(self._triples, self.book, self._work, queries)

    def leading_to(self, candidate: int, query: EncodedQuery) -> LeadingRules:
        """The rules that lead from a query to a candidate, and how old the best grounding of each is."""
        groundings = self.ground(query_batch([query]))
        own = np.flatnonzero(groundings.candidate == candidate)
        return LeadingRules(np.searchsorted(groundings.start, own, side="right") - 1, groundings.age[own])

    def ground(self, queries: QueryBatch) -> RuleGroundings:
        """The groundings of each rule of each query, for queries that are sorted by time."""
        return ground_rules(self._triples, self.book, self._work, queries)


def _is_native(rule: Rule, number: dict[str, int | None]) -> bool:
    return number[rule.head] is not None and not any(number[name] is None for name in rule.body)


def _in_order(rules: list[Rule], number: dict[str, Any]) -> tuple[list[Rule], list[EncodedRule]]:
    """Rules by head and decreasing confidence, with names and in numbers; equals keep their order.

    Of rules that are one and the same in this graph, only spelled differently, the most confident counts.
    """
    ordered: dict[tuple[Any, ...], tuple[Rule, EncodedRule]] = {}
    for rule in sorted(rules, key=lambda rule: (number[rule.head], -rule.confidence)):
        same = number[rule.head], tuple([number[name] for name in rule.body]), rule.variables
        ordered.setdefault(same, (rule, EncodedRule(*same, rule.confidence)))
    return [rule for rule, _ in ordered.values()], [integers for _, integers in ordered.values()]
