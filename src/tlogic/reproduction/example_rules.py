"""Table 2: example rules, and the walks that explain an answer."""

from collections.abc import Sequence

from tlogic.analysis.reports.section import OURS, PUBLISHED, Row, Section, Value
from tlogic.api import forecast, measure
from tlogic.explaining import RuleExplanation
from tlogic.forecasting import Query
from tlogic.graph import TemporalGraph
from tlogic.learning import LearningSettings
from tlogic.reproduction import published_results as published
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.rules import Rule, RuleSet, parse_rule

_MAX_GROUNDINGS = 10_000
_MIN_BODY_SUPPORT = 20
_MEASURE_COMMAND = "tlogic measure icews14 --rules rules.txt --out measured.rules"


def examples(runner: ExperimentRunner) -> Section:
    """The paper's rules and walks; on other data, the most confident rules and the first test query."""
    graph, learned = runner.graph("icews14"), runner.rules("icews14", LearningSettings())
    query, answer = _paper_query() if runner.uses_paper_data else _first_query(graph)
    why = forecast(graph, learned, [query]).explain(
        0, answer, groundings=_MAX_GROUNDINGS if runner.uses_paper_data else 1
    )
    rows = _paper_rows(graph, learned, why) if runner.uses_paper_data else _own_rows(learned, why)
    return Section(
        "examples",
        "Table 2: example rules, and an explained answer",
        "Confidence is estimated from at most 500 sampled bodies. The table also shows whether this run learned the "
        f"rule, and the walks that support {why.candidate} as the answer to {why.query}.",
        ("rule",),
        ("confidence", "support", "learned", "walk"),
        rows,
        remarks=(
            f"{why.candidate} has rank {why.rank} of {why.n_candidates} candidates and a score of {why.score:.4f}; "
            f"{len(why.reasons)} rules predict it.",
        ),
    )


def _paper_query() -> tuple[Query, str]:
    subject, relation, at = published.EXPLAINED_QUERY
    return Query(subject, relation, at=at), published.EXPLAINED_ANSWER


def _first_query(graph: TemporalGraph) -> tuple[Query, str]:
    first = graph.split("test")
    subject, answer = (graph.entities.name_of(column[0]) for column in (first.subject, first.object))
    at = graph.timeline.label_of(int(first.time[0]))
    return Query(subject, graph.relations.name_of(first.relation[0]), at=at), answer


def _paper_rows(graph: TemporalGraph, learned: RuleSet, why: RuleExplanation) -> tuple[Row, ...]:
    """The published rules and walks; a walk counts as found if it is a grounding of a learned rule."""
    learned_ids = {rule.identity for rule in learned}
    walks = {tuple(map(tuple, grounding)) for reason in (*why.reasons, *why.untried) for grounding in reason.groundings}
    given = [(each.rule, each.confidence, ()) for each in published.EXAMPLE_RULES]
    given += [(each.rule, each.confidence, each.facts) for each in published.EXPLANATION_WALKS]  # type: ignore[misc]
    measured = measure(graph, [parse_rule(text) for text, *_ in given])
    rows = []
    for rule, (_, confidence, facts) in zip(measured, given, strict=True):
        theirs: dict[str, Value] = {"confidence": confidence, "walk": _format_walk(facts)}
        found = _format_walk(facts) if facts in walks else None
        rows.append(
            Row(
                (str(rule),),
                {PUBLISHED: theirs, OURS: _ours(rule, rule.identity in learned_ids, found)},
                _MEASURE_COMMAND,
            )
        )
    return tuple(rows)


def _own_rows(learned: RuleSet, why: RuleExplanation) -> tuple[Row, ...]:
    best = learned.select(min_support=_MIN_BODY_SUPPORT, sort="confidence", top=len(published.EXAMPLE_RULES))
    rows = [Row((str(rule),), {OURS: _ours(rule, True)}) for rule in best]
    rows += [
        Row((str(reason.rule),), {OURS: _ours(reason.rule, True, _format_walk(reason.facts))})
        for reason in why.strongest(2)
    ]
    return tuple(rows)


def _ours(rule: Rule, learned: bool, walk: str | None = None) -> dict[str, Value]:
    return {
        "confidence": rule.confidence,
        "support": f"{rule.rule_support} of {rule.body_support}",
        "learned": "yes" if learned else "no",
        "walk": walk,
    }


def _format_walk(facts: Sequence[Sequence[str]]) -> str:
    return "; ".join(f"{time} {subject} {relation} {object_}" for subject, relation, object_, time in facts)
