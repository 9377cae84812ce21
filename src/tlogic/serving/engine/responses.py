"""Converts forecasts, explanations and rules to the schemas of the HTTP API."""

from typing import Any

from tlogic.explaining import ModelExplanation, RuleExplanation
from tlogic.forecasting import Query
from tlogic.forecasting.forecast import Forecast
from tlogic.graph.live_graph import LiveGraph
from tlogic.rules import Rule, in_words
from tlogic.serving import schemas
from tlogic.serving.engine.predictors import Predictor, RulePredictor


def query_schema(query: Query) -> schemas.ResolvedQuery:
    """A query with names as spelled in the data."""
    return schemas.ResolvedQuery(subject=query.subject, relation=query.relation, object=query.object, at=str(query.at))


def forecast_schema(graph: LiveGraph, version: int, forecast: Forecast[Any], index: int) -> schemas.Forecast:
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
        version=version,
    )


def rule_schema(predictor: Predictor, rule: Rule) -> schemas.Rule:
    """A rule with the id that switches it off."""
    return schemas.Rule(
        id=predictor.id_of[rule] if isinstance(predictor, RulePredictor) else "",
        text=str(rule),
        words=in_words(rule),
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
