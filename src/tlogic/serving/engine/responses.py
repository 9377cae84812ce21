"""Converts forecasts, outlooks, explanations and rules to the schemas of the HTTP API."""

from typing import Any

import polars as pl

from tlogic.evaluation import Backtest, Origins
from tlogic.explaining import ModelExplanation, RuleExplanation
from tlogic.explaining.occurrence_explanation import OccurrenceExplanation
from tlogic.forecasting import Query
from tlogic.forecasting.answers import NOT_PROBABILITIES
from tlogic.forecasting.forecast import Forecast
from tlogic.forecasting.forecast_warnings import figure_warnings, forecast_warnings
from tlogic.graph.graph_protocol import Graph
from tlogic.models import CountedRule
from tlogic.monitoring import ChangeExplanation, Changes, Outlook, Surprises
from tlogic.rules import Rule, in_words
from tlogic.serving import schemas
from tlogic.serving.engine.predictors import Predictor, RulePredictor

MAX_FACTS = 3
"""The facts of each kind of evidence in the explanation of an event."""


def query_schema(query: Query) -> schemas.ResolvedQuery:
    """A query with names as spelled in the data."""
    return schemas.ResolvedQuery(subject=query.subject, relation=query.relation, object=query.object, at=str(query.at))


def forecast_schema(graph: Graph, predictor: Predictor, forecast: Forecast[Any], index: int) -> schemas.Forecast:
    """One query of a forecast, with the true answers if the time has passed."""
    query = query_schema(forecast.queries[index])
    true_answers = forecast.true_answers(index)
    is_past = graph.timeline.step_of(query.at) < graph.end
    return schemas.Forecast(
        question=query,
        by=forecast.by(index),
        candidates=[
            schemas.Candidate(**candidate._asdict(), came_true=candidate.name in true_answers if is_past else None)
            for candidate in forecast[index]
        ],
        happened=true_answers,
        note=None if forecast.by(index) == "model" else NOT_PROBABILITIES,
        warnings=forecast_warnings(
            graph, predictor.kind, predictor.data, [forecast.steps[index]], forecast.forecaster.description
        ),
        version=predictor.version,
    )


def words_of(rule: Rule | CountedRule) -> str:
    """A rule as an English sentence."""
    return in_words(rule) if isinstance(rule, Rule) else rule.words


def rule_schema(predictor: Predictor, rule: Rule | CountedRule) -> schemas.Rule:
    """A rule with the id that switches it off; the id of the rule of a model is empty."""
    return schemas.Rule(
        id=predictor.id_of[rule] if isinstance(predictor, RulePredictor) and isinstance(rule, Rule) else "",
        text=str(rule),
        words=words_of(rule),
        head=rule.head,
        length=len(rule.body),
        confidence=rule.confidence,
        rule_support=rule.rule_support,
        body_support=rule.body_support,
    )


def explanation_schema(explanation: RuleExplanation | ModelExplanation, predictor: Predictor) -> schemas.Explanation:
    """An explanation by rules, or by the evidence of a model."""
    fields: dict[str, Any] = {
        "question": query_schema(explanation.query),
        "candidate": explanation.candidate,
        "score": explanation.score,
        "rank": explanation.rank,
        "candidates": explanation.n_candidates,
        "text": explanation.text(None),
        "version": predictor.version,
    }
    if isinstance(explanation, ModelExplanation):
        contributions = [
            schemas.Contribution(
                id=each.family,
                weight=each.weight,
                sentence=each.sentence,
                facts=[schemas.Fact(**fact._asdict()) for fact in each.facts],
                facts_in_all=each.n_facts,
                has_evidence=each.has_evidence,
            )
            for each in explanation.contributions
        ]
        return schemas.Explanation(**fields, probability=explanation.probability, contributions=contributions)
    reasons = [
        schemas.Reason(
            rule=rule_schema(predictor, reason.rule),
            score=reason.score,
            confidence_part=reason.confidence_part,
            recency_part=reason.recency_part,
            age=explanation.timeline.span_of(reason.age),
            score_without=explanation.without(reason),
            groundings=[[schemas.Fact(**fact._asdict()) for fact in grounding] for grounding in reason.groundings],
        )
        for reason in explanation.strongest(None)
    ]
    return schemas.Explanation(**fields, reasons=reasons)


def outlook_schema(outlook: Outlook, predictor: Predictor, *, when: bool, explain: bool) -> schemas.Outlook:
    """An outlook, with the probability by date and the reasons of each event if wanted."""
    return schemas.Outlook(
        since=outlook.since,
        until=outlook.until,
        horizon=outlook.horizon,
        events=[
            schemas.LikelyEvent(
                **event._asdict(),
                curve=[schemas.CurvePoint(**point) for point in outlook.curve(index).to_dicts()] if when else [],
                explanation=_occurrence_schema(outlook.explain(index, MAX_FACTS)) if explain else None,
            )
            for index, event in enumerate(outlook)
        ],
        warnings=forecast_warnings(outlook.graph, predictor.kind, predictor.data, [outlook.step]),
        version=predictor.version,
    )


def surprises_schema(
    surprises: Surprises,
    explanations: tuple[list[OccurrenceExplanation], list[OccurrenceExplanation]] | None,
    predictor: Predictor,
    graph: Graph,
    first: int,
) -> schemas.Surprises:
    """Improbable events, and likely events that failed to happen, from a time step of a graph on."""
    happened, missing = explanations or (None, None)
    return schemas.Surprises(
        since=surprises.since,
        until=surprises.until,
        events=_judged(surprises.events, happened),
        missing=_judged(surprises.missing, missing),
        warnings=forecast_warnings(graph, predictor.kind, predictor.data, [first]),
        version=predictor.version,
    )


def backtest_schema(backtest: Backtest, predictor: Predictor, graph: Graph, origins: Origins) -> schemas.Backtest:
    """How good the probabilities of events were, forecast from some time steps of a graph."""
    misses = backtest.misses
    return schemas.Backtest(
        since=backtest.since,
        until=backtest.until,
        time_steps=backtest.n_steps,
        figures=[schemas.BacktestFigures(**row) for row in backtest.frame.to_dicts()],
        reliability=[schemas.ReliabilityGroup(**row) for row in backtest.reliability.to_dicts()],
        misses=schemas.Misses(events=_judged(misses.events), missing=_judged(misses.missing)),
        warnings=figure_warnings(graph, predictor.kind, predictor.data, origins.facts, origins.first),
        version=predictor.version,
    )


def changes_schema(
    changes: Changes, explanations: list[ChangeExplanation] | None, warnings: list[str]
) -> schemas.Changes:
    """The changes between two periods, with the events behind each if wanted."""
    before, after = (schemas.Period(since=since, until=until) for since, until in (changes.before, changes.after))
    rows = changes.frame.rename({"with": "other"}).to_dicts()
    reasons = [None] * len(rows) if explanations is None else [_change_schema(each) for each in explanations]
    return schemas.Changes(
        before=before,
        after=after,
        horizon=changes.horizon,
        changes=[schemas.Change(**row, explanation=why) for row, why in zip(rows, reasons, strict=True)],
        warnings=warnings,
    )


def _change_schema(explanation: ChangeExplanation) -> schemas.ChangeExplanation:
    return schemas.ChangeExplanation(
        summary=explanation.summary,
        triples=[schemas.ChangedTriple(**each._asdict()) for each in explanation.triples],
        triples_in_all=explanation.n_triples,
        probability_summary=explanation.probability_summary,
        likely=[schemas.ChangedTriple(**each._asdict()) for each in explanation.likely],
        likely_in_all=explanation.n_likely,
        text=explanation.text(),
    )


def _judged(events: pl.DataFrame, explanations: list[OccurrenceExplanation] | None = None) -> list[schemas.JudgedEvent]:
    reasons = [None] * events.height if explanations is None else [_occurrence_schema(each) for each in explanations]
    return [
        schemas.JudgedEvent(**row, explanation=why)
        for row, why in zip(events.iter_rows(named=True), reasons, strict=True)
    ]


def _occurrence_schema(explanation: OccurrenceExplanation) -> schemas.OccurrenceExplanation:
    factors = [
        schemas.OddsFactor(
            family=each.family,
            factor=each.factor,
            sentence=each.sentence,
            facts=[schemas.Fact(**fact._asdict()) for fact in each.facts],
            facts_in_all=each.n_facts,
        )
        for each in explanation.factors
    ]
    return schemas.OccurrenceExplanation(
        period=explanation.period,
        probability=explanation.probability,
        base_rate=explanation.base_rate,
        note=explanation.note,
        factors=factors,
        text=explanation.text(),
    )
