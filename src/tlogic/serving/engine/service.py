"""Service: all that the API, the page and the client can ask for, with names outside and numbers inside."""

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import tlogic
from tlogic.errors import InputError
from tlogic.explaining import Explanation as RuleExplanation
from tlogic.forecasting import Query
from tlogic.forecasting.forecast import Answered, Candidate
from tlogic.forecasting.queries import encode_queries, step_asked
from tlogic.graph.live_graph import LiveGraph
from tlogic.models.scoresheet import Scoresheet
from tlogic.names import INVERSE_MARK
from tlogic.rules import Rule, in_words
from tlogic.rules.selection import Sort
from tlogic.serving import schemas
from tlogic.serving.engine.entity_history import as_facts, count_events, events_of, rates_of
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.name_search import NameSearch
from tlogic.serving.engine.predictors import Predictor, RulePredictor, forecast_each
from tlogic.serving.engine.versions import VersionManager

MAX_STEPS_AHEAD = 100_000
"""How many steps beyond the last event can be asked about."""
_LIKELY_RELATIONS = 12
_LEAST = 1e-16


class Service:
    """Answers from a world with the rules, or the model, of the version in use."""

    def __init__(self, live_store: LiveStore, versions: VersionManager) -> None:
        self.live_store, self.versions = live_store, versions
        self._entity_search, self._relation_search = NameSearch([]), NameSearch([])
        self._counted: tuple[int, Any] = (-1, None)

    # Events

    def add(self, events: Sequence[schemas.Event]) -> schemas.Added:
        """Take in a batch, whole or not at all."""
        added = self.live_store.add(self.live_store.store.check([event.model_dump() for event in events]))
        with self.live_store.reading() as graph:
            return schemas.Added(added=added.added, known=added.known, total=len(graph))

    def events(self, entity: str, other: str | None, offset: int, limit: int) -> schemas.EventPage:
        """The events of an entity, or of a pair, newest first."""
        with self.live_store.reading() as graph:
            number = graph.entities.id_of(entity)
            doings = events_of(graph, number, None if other is None else graph.entities.id_of(other))
            part = type(doings)(*(column[offset : offset + limit] for column in doings))
            facts = [schemas.Fact(**fact._asdict()) for fact in as_facts(graph, number, part)]
            return schemas.EventPage(total=len(doings.time), offset=offset, events=facts)

    # Names

    def entities(self, text: str, limit: int) -> schemas.EntityPage:
        """The entities that a text may mean, or the busiest where it is empty."""
        with self.live_store.reading() as graph:
            counts, last, _ = self._counts(graph)
            self._entity_search.names = graph.entities.names
            found = [
                schemas.Entity(
                    name=graph.entities.name_of(number),
                    events=int(counts[number]),
                    last=graph.timeline.label_of(int(last[number])) if last[number] >= 0 else None,
                )
                for number in self._entity_search.find(text, limit, counts.tolist())
            ]
            return schemas.EntityPage(total=len(graph.entities), entities=found)

    def relations(self, text: str, limit: int) -> schemas.RelationPage:
        """The relations that a text may mean, or the most frequent where it is empty."""
        with self.live_store.reading() as graph:
            _, _, counts = self._counts(graph)
            self._relation_search.names = graph.relations.base
            found = [
                schemas.Relation(name=graph.relations.name_of(number), events=int(counts[number]))
                for number in self._relation_search.find(text, limit, counts.tolist())
            ]
            return schemas.RelationPage(total=len(graph.relations.base), relations=found)

    # Forecasts

    def forecast(self, question: schemas.Question, top: int = 10) -> schemas.Forecast:
        """The best answers to a question."""
        return self.forecasts([question], top)[0]

    def forecasts(self, questions: Sequence[schemas.Question], top: int = 10) -> list[schemas.Forecast]:
        """The best answers to several questions."""
        with self._answering() as (graph, predictor):
            queries = to_queries(graph, questions)
            asked = [(query, question.without) for query, question in zip(queries, questions, strict=True)]
            return [self._told(graph, predictor, *each) for each in forecast_each(predictor, graph, asked, top)]

    def explain(self, question: schemas.Question, candidate: str, n: int = 1) -> schemas.Explanation:
        """Why a candidate has its score and its rank."""
        with self._answering() as (graph, predictor):
            [query] = to_queries(graph, [question])
            return _explained(predictor.explain(graph, query, candidate, question.without, n), predictor)

    def outlook(self, entity: str, at: schemas.Time | None = None, limit: int = 10) -> schemas.Outlook:
        """What is likely next for an entity, over all relations."""
        with self._answering() as (graph, predictor):
            number = graph.entities.id_of(entity)
            name, now = graph.entities.name_of(number), step_asked(graph, at, MAX_STEPS_AHEAD)
            rates = sorted(rates_of(graph, number, now).items(), key=lambda pair: -pair[1])[:_LIKELY_RELATIONS]
            label = graph.timeline.label_of(now)
            queries = [_about(graph, name, relation, label) for relation, rate in rates if rate > 0.0]
            answers = predictor.ask(graph, queries, schemas.MAX_CANDIDATES, ())
            expected = [
                each
                for query, candidates, (_, rate) in zip(queries, answers, rates, strict=False)
                for each in _expected(query, candidates, rate, limit)
            ]
            expected.sort(key=lambda each: -each.likelihood)
            return schemas.Outlook(entity=name, at=label, expected=expected[:limit], version=predictor.version)

    # Rules

    def rules(
        self,
        *,
        head: str | None,
        words: str,
        lengths: Collection[int],
        min_confidence: float,
        sort: Sort,
        offset: int,
        limit: int,
    ) -> schemas.RulePage:
        """The rules of the version in use that fit."""
        predictor = self.versions.predictor
        if not isinstance(predictor, RulePredictor):
            raise InputError("A model is in use, which has kinds of evidence in the place of rules.")
        chosen = predictor.rules.select(
            head=head or None, lengths=lengths, min_confidence=min_confidence, sort=sort
        ).rules
        if words:
            wanted = words.casefold().split()
            chosen = [rule for rule in chosen if _mentions(rule, wanted)]
        part = [rule_schema(predictor, rule) for rule in chosen[offset : offset + limit]]
        return schemas.RulePage(total=len(chosen), offset=offset, rules=part)

    # How it is

    def health(self) -> schemas.Health:
        """How the service is, and what it knows."""
        predictor, reachable = self.versions.predictor, self.live_store.is_store_reachable()
        about: dict[str, Any] = {"events": 0, "entities": 0, "relations": 0, "first": None, "last": None, "next": None}
        if not self.live_store.is_empty:
            with self.live_store.reading() as graph:
                label = graph.timeline.label_of
                about = {
                    "events": len(graph),
                    "entities": len(graph.entities),
                    "relations": len(graph.relations.base),
                    "first": label(0),
                    "last": label(graph.end - 1),
                    "next": label(graph.end),
                }
        return schemas.Health(
            status="ok" if reachable else "store unreachable",
            tlogic=tlogic.__version__,
            version=predictor.version,
            kind=predictor.kind,
            **about,
        )

    @contextmanager
    def _answering(self) -> Iterator[tuple[LiveGraph, Predictor]]:
        with self.live_store.reading() as graph:
            yield graph, self.versions.predictor

    def _counts(self, graph: LiveGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        version, counts = self._counted
        if version != graph.version:
            version, counts = self._counted = (graph.version, count_events(graph))
        return counts

    def _told(self, graph: LiveGraph, predictor: Predictor, answers: Answered, place: int) -> schemas.Forecast:
        question = _asked(answers.queries[place])
        happened = answers.true_answers(place)
        past = graph.timeline.step_of(question.at) < graph.end
        return schemas.Forecast(
            question=question,
            by=answers.by(place),
            candidates=[
                schemas.Candidate(**candidate._asdict(), came_true=candidate.name in happened if past else None)
                for candidate in answers[place]
            ],
            happened=happened,
            version=predictor.version,
        )


def to_queries(graph: LiveGraph, questions: Sequence[schemas.Question]) -> list[Query]:
    """The questions as queries, if all can be answered."""
    queries = [Query(each.subject, each.relation, each.object, each.at) for each in questions]
    encode_queries(graph, queries, MAX_STEPS_AHEAD)
    return queries


def rule_schema(predictor: Predictor, rule: Rule) -> schemas.Rule:
    """A rule with the id by which it can be switched off."""
    number = predictor.id_of[rule] if isinstance(predictor, RulePredictor) else ""
    return schemas.Rule(
        id=number,
        text=str(rule),
        words=in_words(rule),
        head=rule.head,
        length=len(rule.body),
        confidence=rule.confidence,
        rule_support=rule.rule_support,
        body_support=rule.body_support,
    )


def _asked(query: Query) -> schemas.Asked:
    return schemas.Asked(subject=query.subject, relation=query.relation, object=query.object, at=str(query.at))


def _about(graph: LiveGraph, name: str, relation: int, at: str) -> Query:
    half = len(graph.relations.base)
    if relation < half:
        return Query(name, graph.relations.name_of(relation), None, at)
    return Query(None, graph.relations.name_of(relation - half), name, at)


def _expected(query: Query, candidates: Sequence[Candidate], rate: float, limit: int) -> Iterator[schemas.Expected]:
    """The first candidates of a query, each with its share of all that speaks for any of them.

    Scores of rules are 1 minus a product, so what speaks for a candidate is minus the logarithm of that product.
    """
    weights = [-math.log(max(1.0 - candidate.score, _LEAST)) for candidate in candidates]
    for candidate, weight in zip(candidates[:limit], weights, strict=False):
        share = weight / max(sum(weights), _LEAST) if candidate.probability is None else candidate.probability
        yield schemas.Expected(
            question=_asked(query),
            candidate=candidate.name,
            likelihood=rate * share,
            rate=rate,
            score=candidate.score,
            probability=candidate.probability,
        )


def _mentions(rule: Rule, wanted: Sequence[str]) -> bool:
    text = f"{rule} {in_words(rule)}".casefold().replace("_", " ").replace(INVERSE_MARK, " ")
    return all(word in text for word in wanted)


def _explained(why: RuleExplanation | Scoresheet, predictor: Predictor) -> schemas.Explanation:
    about: dict[str, Any] = {"question": _asked(why.query), "candidate": why.candidate, "score": why.score}
    about |= {"rank": why.rank, "candidates": why.n_candidates, "version": predictor.version}
    if isinstance(why, Scoresheet):
        contributions = [
            schemas.Contribution(
                id=each.family,
                weight=each.weight,
                sentence=each.sentence,
                facts=[schemas.Fact(**fact._asdict()) for fact in each.facts],
                facts_in_all=each.n_facts,
            )
            for each in why.contributions
        ]
        return schemas.Explanation(
            **about, probability=why.probability, contributions=contributions, text=why.text(None)
        )
    reasons = [
        schemas.Reason(
            rule=rule_schema(predictor, reason.rule),
            score=reason.score,
            confidence_part=reason.confidence_part,
            recency_part=reason.recency_part,
            age=why.timeline.span_of(reason.age),
            score_without=why.without(reason),
            groundings=[[schemas.Fact(**fact._asdict()) for fact in grounding] for grounding in reason.groundings],
        )
        for reason in why.strongest(None)
    ]
    return schemas.Explanation(**about, reasons=reasons, text=why.text(None))
