"""A rule set made ready for one graph, and the workers that answer queries with it."""

from collections.abc import Callable

import numpy as np

from tlogic.forecasting.application import Queries, Rulebook, Scored, apply_rules, new_workspace
from tlogic.forecasting.candidates import decay_table
from tlogic.forecasting.grounding import UNLIMITED
from tlogic.forecasting.plans import IntegerRule, plan_rules
from tlogic.forecasting.settings import ApplicationSettings
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.rules import Rule, RuleSet

_ALL_TIME = 1 << 40


class Forecaster:
    """Answers queries over one graph with one rule set.

    ``rules`` are those that apply: confident and supported enough, and with relations that the graph knows.
    """

    def __init__(self, graph: TemporalGraph, rules: RuleSet, settings: ApplicationSettings) -> None:
        self.graph = graph
        self.settings = settings
        self.rules, integers = _applicable(graph, rules, settings)
        limited = settings.max_groundings is not None
        self._book = Rulebook(
            plans=plan_rules(integers, len(graph.relations.base), only_chains=limited),
            alpha=settings.alpha,
            decay=decay_table(settings.alpha, settings.decay, graph.end + 1),
            window=settings.window or _ALL_TIME,
            limit=settings.max_groundings or UNLIMITED,
            k=settings.k,
            published_stop=settings.stop == "published",
        )

    def rules_of(self, relation: int) -> list[Rule]:
        """The rules of one head relation, in the order in which they are applied."""
        start, end = self._book.plans.head_start[relation : relation + 2]
        return self.rules[start:end]

    def best_candidate(self, subject: int, relation: int, time: int) -> int | None:
        """The candidate with the highest score for one query, the lowest number among equals; None where no rule
        gives any."""
        answer = self.new_worker()(Queries(*(np.array([value]) for value in (subject, relation, time, time))))
        if len(answer.entity) == 0:
            return None
        return int(answer.entity[np.lexsort((answer.entity, -answer.score))[0]])

    def new_worker(self) -> Callable[[Queries], Scored]:
        """A function that answers queries sorted by time, with scratch memory of its own; a worker serves one
        thread."""
        graph = self.graph
        work = new_workspace(graph.triples, len(graph.entities), len(graph.relations), self._book)

        def answer(queries: Queries) -> Scored:
            return apply_rules(graph.triples, self._book, work, queries)

        return answer


def _applicable(
    graph: TemporalGraph, rules: RuleSet, settings: ApplicationSettings
) -> tuple[list[Rule], list[IntegerRule]]:
    """The rules to apply, with names and in numbers, by head and decreasing confidence; equals keep their order."""
    number = {name: place for place, name in enumerate(graph.relations)}
    kept: list[tuple[Rule, IntegerRule]] = []
    for rule in rules:
        confidence = rule.confidence
        if (
            confidence >= settings.min_confidence
            and rule.body_support >= settings.min_support
            and (settings.lengths is None or len(rule.body) in settings.lengths)
            and rule.head in number
            and all(relation in number for relation in rule.body)
        ):
            body = tuple([number[relation] for relation in rule.body])
            kept.append((rule, IntegerRule(number[rule.head], body, rule.variables, confidence)))
    kept.sort(key=lambda pair: (pair[1].head, -pair[1].confidence))
    return [rule for rule, _ in kept], [integers for _, integers in kept]


def query_chunks(relation: Ints, n_chunks: int = 32) -> list[Ints]:
    """Cut queries that are sorted by time into chunks, each sorted by time.

    Queries of one relation stay together, because they use the same rules and so remember more for each other.
    """
    by_relation = np.argsort(relation, kind="stable")
    return [np.sort(chunk) for chunk in np.array_split(by_relation, min(n_chunks, max(len(relation), 1)))]
