"""RuleForecaster: a rule set that is ready to answer queries over one graph, and the workers that do so."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tlogic.execution import Execution
from tlogic.forecasting.answers import Answers, ScoredQueries, best_answers
from tlogic.forecasting.application import QueryBatch, Rulebook, Scored, apply_rules, new_workspace
from tlogic.forecasting.candidates import decay_table
from tlogic.forecasting.fallback import Fallback, StaticFallback
from tlogic.forecasting.grounding.rule_plans import EncodedRule, plan_rules
from tlogic.forecasting.grounding.visible_facts import VisibleFacts
from tlogic.forecasting.queries import EncodedQuery, distinct_in_time, part_of, query_batch
from tlogic.forecasting.rescoring import Scoring, score_groundings
from tlogic.forecasting.rule_groundings import RuleGroundings, ground_rules
from tlogic.forecasting.settings import UNLIMITED_GROUNDINGS, ApplicationSettings
from tlogic.graph.arrays import Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.triples import TripleIndex
from tlogic.parallel import in_chunks
from tlogic.rules import Rule, RuleSet

Result = TypeVar("Result")

_ALL_TIME = 1 << 40
QUERIES_PER_CHUNK = 4000
"""Chunks are large, because each new chunk goes back in time and so empties the caches of a worker."""


class LeadingRules(NamedTuple):
    """The rules of a query's relation that lead to one candidate, whether they were tried or not."""

    position: Ints
    """The position of the rule among those of its head relation, ascending."""
    age: Ints
    """How many steps before the query the rule's best grounding for the candidate begins."""


class BaseRuleForecaster(ABC):
    """Answers queries over one graph with one rule set.

    ``rules`` are the rules above the thresholds of the settings whose relations the graph has; case, spaces and
    underscores are ignored. ``n_foreign`` counts the rules with relations that the graph does not have.
    """

    def __init__(self, graph: Graph, rules: RuleSet, settings: ApplicationSettings, fallback: Fallback) -> None:
        self.graph = graph
        self.settings = settings
        self.fallback = fallback
        self.n_given = len(rules)
        self._idle: list[Worker] = []
        names = {name for rule in rules for name in (rule.head, *rule.body)}
        number = {name: graph.relations.match(name) for name in names}
        native = [rule for rule in rules if _is_native(rule, number)]
        self.n_foreign = len(rules) - len(native)
        self.rules, integers = _in_order([rule for rule in native if settings.admit(rule)], number)
        limit = settings.limit_for(len(graph))
        self.book = Rulebook(
            plans=plan_rules(integers, len(graph.relations.base), only_chains=limit < UNLIMITED_GROUNDINGS),
            alpha=settings.alpha,
            decay=decay_table(settings.alpha, settings.decay),
            window=settings.window or _ALL_TIME,
            limit=limit,
            k=settings.k,
            published_stop=settings.stop == "published",
        )

    @property
    def description(self) -> dict[str, Any]:
        """The settings, and how many rules apply."""
        n_rules = {"rules": len(self.rules), "rules_given": self.n_given, "rules_foreign": self.n_foreign}
        return asdict(self.settings) | n_rules

    def answer(
        self, queries: Sequence[EncodedQuery], top: int | None, execution: Execution = Execution()
    ) -> list[Answers]:
        """The best candidates of each query; those of the fallback if no rule leads to a candidate."""
        distinct, batch = distinct_in_time(queries)
        found: dict[EncodedQuery, Answers] = {}
        for answers in self.map_scored(batch, partial(_best, top, self.graph.entity_rank), execution):
            found.update((distinct[index], own) for index, own in answers)
        return [found[query] if len(found[query].entity) else self._fallback_answers(query, top) for query in queries]

    def prepare(self, queries: Sequence[EncodedQuery]) -> None:  # noqa: B027
        """Rules are always ready to explain candidates."""

    def map_scored(
        self, queries: QueryBatch, function: Callable[[ScoredQueries], Result], execution: Execution = Execution()
    ) -> Iterator[Result]:
        """Score a batch that is sorted by time, in chunks, and apply a function to each of them."""
        return execution.run(partial(self._new_scorer, queries, function), self.chunks(queries.relation), "queries")

    def _new_scorer(self, queries: QueryBatch, function: Callable[[ScoredQueries], Result]) -> Callable[[Ints], Result]:
        worker = self.new_worker()
        return lambda chunk: function(ScoredQueries(chunk, worker(part_of(queries, chunk))))

    def _fallback_answers(self, query: EncodedQuery, top: int | None) -> Answers:
        fallback, rank = self.fallback.of(query.relation, query.time), self.graph.entity_rank
        return best_answers(*fallback, top, by="fallback", rank=rank)

    def chunks(self, relation: Ints, size: int = QUERIES_PER_CHUNK) -> list[Ints]:
        """Cut queries that are sorted by time into chunks, each sorted by time.

        Queries of one relation stay together, because they apply the same rules and so share cached joins. With a limit
        on groundings, the caches hold the newest triples at one time, so queries of the same time stay together.
        """
        of_all = (
            np.arange(len(relation)) if self.book.limit < UNLIMITED_GROUNDINGS else np.argsort(relation, kind="stable")
        )
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
            decay=decay_table(settings.alpha, settings.decay),
            window=settings.window or _ALL_TIME,
            k=settings.k,
            published_stop=settings.stop == "published",
        )

    @abstractmethod
    def new_worker(self) -> "Worker":
        """A worker with scratch memory of its own; it serves one thread."""

    @contextmanager
    def worker(self) -> Iterator["Worker"]:
        """An idle worker with its caches, or a new one."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self.new_worker()
        worker.book = self.book  # a forecaster with fewer rules shares the idle workers of another one
        try:
            yield worker
        finally:
            self._idle.append(worker)


class RuleForecaster(BaseRuleForecaster):
    """Answers queries over a graph that does not change."""

    graph: TemporalGraph

    def __init__(self, graph: TemporalGraph, rules: RuleSet, settings: ApplicationSettings) -> None:
        super().__init__(graph, rules, settings, StaticFallback(graph))

    def new_worker(self) -> "Worker":
        """A worker with scratch memory of its own; it serves one thread."""
        return Worker(self.graph.triples, self)


class Worker:
    """Answers queries with its own scratch memory, so a thread has one for itself."""

    def __init__(self, triples: TripleIndex, forecaster: BaseRuleForecaster) -> None:
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
        """The facts that were visible to the last query."""
        return self._work.grounding.visible

    def __call__(self, queries: QueryBatch) -> Scored:
        """The scored candidates of queries that are sorted by time."""
        return apply_rules(self._triples, self.book, self._work, queries)

    def leading_to(self, candidate: int, query: EncodedQuery) -> LeadingRules:
        """The rules that lead from a query to a candidate, and the age of the best grounding of each."""
        groundings = self.ground(query_batch([query]))
        own = np.flatnonzero(groundings.candidate == candidate)
        return LeadingRules(np.searchsorted(groundings.start, own, side="right") - 1, groundings.age[own])

    def ground(self, queries: QueryBatch) -> RuleGroundings:
        """The groundings of each rule of each query, for queries that are sorted by time."""
        return ground_rules(self._triples, self.book, self._work, queries)


def _best(top: int | None, rank: Ints, scored: ScoredQueries) -> list[tuple[int, Answers]]:
    return scored.best(top, by="rules", rank=rank)


def _is_native(rule: Rule, number: dict[str, int | None]) -> bool:
    return number[rule.head] is not None and not any(number[name] is None for name in rule.body)


def _in_order(rules: list[Rule], number: dict[str, Any]) -> tuple[list[Rule], list[EncodedRule]]:
    """Rules by head and decreasing confidence, with names and with ids; ties keep their order.

    Of rules that differ only in the spelling of names, the most confident one is kept.
    """
    ordered: dict[tuple[Any, ...], tuple[Rule, EncodedRule]] = {}
    for rule in sorted(rules, key=lambda rule: (number[rule.head], -rule.confidence)):
        same = number[rule.head], tuple([number[name] for name in rule.body]), rule.variables
        ordered.setdefault(same, (rule, EncodedRule(*same, rule.confidence)))
    return [rule for rule, _ in ordered.values()], [integers for _, integers in ordered.values()]
