"""Outlooks: the same event has the same probability in all of them, whatever the scope, the graph and the arrival."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import tlogic
from tlogic.evidence.live_evidence import LiveQueryEvidence
from tlogic.explaining.occurrence_explanation import OccurrenceExplanation, OddsFactor
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.live_graph import LiveGraph
from tlogic.models import Model
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.monitoring.outlook import outlook_of, outlook_query, patterns_of

EVENT = ["subject", "relation", "object"]
KITE = "Kite Aviation"


def test_probabilities_are_the_same_in_every_scope(days: TemporalGraph, judge: Model) -> None:
    anywhere = tlogic.outlook(days, judge, top=100_000, horizon="7d").frame
    first = anywhere.row(0, named=True)
    scopes = [
        {"entity": first["subject"]},
        {"entity": first["object"]},
        {"relation": first["relation"]},
        {"entity": first["object"], "other": first["subject"]},
        {"entity": first["subject"], "relation": first["relation"]},
        {"entity": first["subject"], "relation": first["relation"], "other": first["object"]},
    ]
    for scope in scopes:
        found = tlogic.outlook(days, judge, top=100_000, horizon="7d", **scope).frame
        both = found.join(anywhere, on=EVENT, suffix="_again")
        assert both.filter(**{name: first[name] for name in EVENT}).height == 1
        assert both["probability"].to_list() == both["probability_again"].to_list()
        assert found["probability"].is_sorted(descending=True)


def test_the_scope_holds_for_all_events(days: TemporalGraph, judge: Model) -> None:
    of_kite = tlogic.outlook(days, judge, entity=KITE, top=1000).frame
    assert of_kite.filter((pl.col("subject") != KITE) & (pl.col("object") != KITE)).height == 0
    assert of_kite["subject"].n_unique() > 1
    exact = tlogic.outlook(days, judge, entity=KITE, relation="sue", other="Meadow Textiles")
    assert [row[:3] for row in exact] == [(KITE, "sue", "Meadow Textiles")]
    pair = tlogic.outlook(days, judge, entity=KITE, other="Meadow Textiles", top=1000).frame
    assert pair.height == 2 * len(days.relations.base)


def test_new_events_never_happened_before(days: TemporalGraph, judge: Model) -> None:
    found = tlogic.outlook(days, judge, new=True, top=500).frame
    names = days.entities.names, days.relations.base
    past = {
        (names[0][s], names[1][r], names[0][o])
        for s, r, o in zip(*(column.tolist() for column in days.facts[:3]), strict=True)
    }
    assert found.height == 500
    assert not past & set(found.select(EVENT).rows())
    assert found["events"].sum() == 0
    assert set(found["novelty"]) == {"known pair", "new pair"}


def test_what_happened_before_is_counted(days: TemporalGraph, judge: Model) -> None:
    for row in tlogic.outlook(days, judge, top=20):
        ids = days.entities.id_of(row.subject), days.relations.id_of(row.relation), days.entities.id_of(row.object)
        own = np.all([column == i for column, i in zip(days.facts[:3], ids, strict=True)], axis=0)
        assert row.events == own.sum()
        assert row.last == days.timeline.label_of(int(days.facts.time[own].max()))


def test_the_past_is_forecast_from_what_was_known_then(days: TemporalGraph, judge: Model) -> None:
    step = days.end - 20
    then = tlogic.outlook(days, judge, at=days.timeline.label_of(step), top=300)
    alone = replace(days.before(step), valid_from=1, test_from=2)
    assert then.frame.equals(tlogic.outlook(alone, judge, top=300).frame)


@pytest.mark.parametrize("threads", [1, 2])
def test_events_that_arrive_in_any_order_give_the_same_outlook(days: TemporalGraph, judge: Model, threads: int) -> None:
    order = np.random.default_rng(threads).permutation(len(days))
    live = LiveGraph(days.timeline)
    names = {name: number for number, name in enumerate(reversed(days.entities.names))}
    ids = np.array([names[name] for name in days.entities.names])
    facts = Facts(ids[days.facts.subject], days.facts.relation, ids[days.facts.object], days.facts.time)
    live.add(Facts(*(column[order] for column in facts)), list(names), list(days.relations.base))
    forecaster = OccurrenceForecaster(live, judge, LiveQueryEvidence(live, judge.memory_settings))
    for entity, relation in ((KITE, None), (None, "sue"), (None, None)):
        patterns = patterns_of(entity, None, relation)
        query = outlook_query(live, patterns, at=None, horizon="7d", top=200, new=False)
        expected = tlogic.outlook(days, judge, entity=entity, relation=relation, horizon="7d", top=200, threads=threads)
        assert outlook_of(forecaster, query).frame.equals(expected.frame)


def test_curves_rise_to_the_probabilities_of_the_horizons(days: TemporalGraph, judge: Model) -> None:
    likely = tlogic.outlook(days, judge, top=3, horizon=7)
    curve = likely.curve(0)
    assert curve["date"][0] == likely.since
    assert curve["probability"].is_sorted()
    assert curve["probability"][6] == pytest.approx(likely[0].probability)
    wait = likely[0].median_wait
    assert wait is not None
    assert curve["probability"][wait - 1] >= 0.5
    assert wait == 1 or curve["probability"][wait - 2] < 0.5


def test_curves_and_waits_reach_to_the_end_of_long_periods(days: TemporalGraph, judge: Model) -> None:
    likely = tlogic.outlook(days, judge, top=2000, horizon=90)
    index = next(i for i, each in enumerate(likely) if each.median_wait and each.median_wait > 45)
    curve, wait = likely.curve(index)["probability"], likely[index].median_wait
    assert (len(curve), curve[-1]) == (90, pytest.approx(likely[index].probability))
    assert wait is not None
    assert curve[wait - 2] < 0.5 <= curve[wait - 1]
    assert all(each.median_wait is None for each in likely if each.probability < 0.5)
    assert tlogic.outlook(days, judge, top=1, horizon=10**5).curve(0).height == 1000


def test_explanations_multiply_to_the_probability_and_cite_real_facts(days: TemporalGraph, judge: Model) -> None:
    likely = tlogic.outlook(days, judge, top=5)
    facts = {
        (days.entities.name_of(s), days.relations.name_of(r), days.entities.name_of(o), days.timeline.label_of(t))
        for s, r, o, t in zip(*(column.tolist() for column in days.facts), strict=True)
    }
    for index, row in enumerate(likely):
        why = likely.explain(index, facts=3)
        odds = why.base_rate / (1 - why.base_rate) * np.prod([each.factor for each in why.factors])
        assert odds / (1 + odds) == pytest.approx(row.probability)
        cited = [tuple(fact) for each in why.factors for fact in each.facts]
        assert cited
        assert set(cited) <= facts
        assert f"Why {100 * row.probability:.1f}% for {row.subject}" in why.text(2)


def test_an_explanation_without_evidence_gives_the_start_value_alone() -> None:
    why = OccurrenceExplanation("Ann", "calls", "Bo", "new pair", "1 day", 0.25, 0.25, ())
    assert why.text().splitlines() == [
        "Why 25.0% for Ann — calls → Bo within 1 day?",
        "The model starts from 25.0% for an event between two that had no event in common before; "
        "no kind of evidence changes its odds.",
    ]


def test_explanations_do_not_pluralise_one() -> None:
    factors = tuple(OddsFactor(family, 2.0, family, (), 0) for family in ("history", "pair", "rules"))
    why = OccurrenceExplanation("Ann", "calls", "Bo", "known triple", "1 day", 0.25, 0.25, factors)
    assert why.text(2).splitlines()[-1] == "  × 2       1 more kind of evidence"
    assert why.text(1).splitlines()[-1] == "  × 4       2 more kinds of evidence together"


def test_what_happened_once_has_no_last_time(days: TemporalGraph, judge: Model) -> None:
    likely = tlogic.outlook(days, judge, top=3000)
    once = [index for index, row in enumerate(likely) if row.events == 1][:20]
    sentences = [each.sentence for index in once for each in likely.explain(index).factors if each.family == "history"]
    assert len(sentences) > 5
    assert all(re.fullmatch(r"it happened once before, \d+ days? earlier", each) for each in sentences)


def test_rules_that_few_pairs_support_say_so_and_come_last(days: TemporalGraph, judge: Model) -> None:
    """As a plain search through all facts finds it."""
    name, relation = days.entities.name_of, days.relations.name_of
    times: dict[tuple[str, str, str], list[int]] = {}
    for s, r, o, t in zip(*(column.tolist() for column in days.facts), strict=True):
        times.setdefault((name(s), relation(r), name(o)), []).append(t)
    likely = tlogic.outlook(days, judge, top=300)
    n_few = n_many = 0
    for index, (subject, verb, *_) in enumerate(likely):
        factors = likely.explain(index).factors
        sure = [each for each in factors if "pairs of" not in each.sentence and "pair of" not in each.sentence]
        sizes = [abs(np.log(each.factor)) for each in sure]
        assert sizes == sorted(sizes, reverse=True)
        for each in factors:
            if each.family != "rules" or not each.facts:
                continue
            assert f"{subject} does" not in each.sentence
            other, is_inverse = each.facts[0].relation, each.facts[0].subject != subject
            support = [
                (s, o)
                for (s, r, o), own in times.items()
                if r == verb and min(times.get((o, other, s) if is_inverse else (s, other, o), [10**6])) < max(own)
            ]
            is_few = len(support) < 3
            n_few, n_many = n_few + is_few, n_many + (not is_few)
            pairs = "1 pair" if len(support) == 1 else f"{len(support)} pairs"
            seen = f"(seen with {pairs} of entities only)" if support else "(not seen so far)"
            assert each.sentence.endswith(seen) == is_few
            assert not is_few or each is factors[-1] or each.factor < 1
    assert n_few > 3
    assert n_many > 3


@pytest.mark.parametrize(("horizon", "explained"), [(14, 7), (60, 30), (7, None)])
def test_explanations_say_if_the_requested_period_is_not_the_explained_one(
    days: TemporalGraph, judge: Model, horizon: int, explained: int | None
) -> None:
    likely = tlogic.outlook(days, judge, top=2, horizon=horizon)
    for index, row in enumerate(likely):
        why = likely.explain(index)
        if explained is None:
            assert (why.note, why.requested_period, why.requested_probability) == (None, None, None)
            continue
        assert why.period == f"{explained} days from {likely.since}"
        assert why.requested_period == f"{horizon} days from {likely.since}"
        assert why.requested_probability == pytest.approx(row.probability)
        assert why.probability < row.probability
        assert why.note is not None
        assert f"within {why.requested_period}, {100 * row.probability:.1f}%, is derived" in why.note
        assert f"{100 * why.probability:.1f}% within {why.period}, is explained" in why.note
        assert why.text().splitlines()[1] == why.to_dict()["note"] == why.note


def test_a_reason_cites_the_fact_that_its_sentence_names(days: TemporalGraph, judge: Model) -> None:
    """Also if another reason cites it before: the newest event of what the sentence is about."""
    name, relation, label = days.entities.name_of, days.relations.name_of, days.timeline.label_of
    facts = [
        (name(s), relation(r), name(o), label(t))
        for s, r, o, t in zip(*(column.tolist() for column in days.facts), strict=True)
    ]
    likely = tlogic.outlook(days, judge, entity=KITE, top=5)
    n_repeated = 0
    for index, (subject, verb, object_, *_) in enumerate(likely):
        newest = {
            "history": max(t for s, r, o, t in facts if (s, r, o) == (subject, verb, object_)),
            "pair": max(t for s, _, o, t in facts if {s, o} == {subject, object_}),
            "subject": max(t for s, r, _, t in facts if (s, r) == (subject, verb)),
            "object": max(t for _, r, o, t in facts if (r, o) == (verb, object_)),
        }
        why = likely.explain(index)
        cited = {each.family: each.facts for each in why.factors if each.family in newest}
        assert {family: fact.time for family, (fact,) in cited.items()} == {each: newest[each] for each in cited}
        in_order = [fact for each in why.factors for fact in each.facts]
        n_repeated += len(in_order) - len(set(in_order))
        assert {why.text().count(str(fact)) for fact in in_order} == {1}
    assert n_repeated > 0


def test_a_watchlist_gives_one_outlook_per_triple(days: TemporalGraph, judge: Model) -> None:
    triples = [(KITE, "sue", "Meadow Textiles"), (KITE, None, None), (None, "sue", None)]
    watched = tlogic.watch(days, judge, triples, horizon="7d", top=4)
    assert [len(each) for each in watched] == [1, 4, 4]
    assert watched.frame["query"].to_list() == [0, *[1] * 4, *[2] * 4]
    assert watched.frame.filter(query=1)["subject"].unique().to_list() == [KITE]
    exact = tlogic.outlook(days, judge, entity=KITE, relation="sue", other="Meadow Textiles", horizon="7d")
    assert watched[0][0] == exact[0]
    [line, *_] = watched.as_json(explain=True)
    assert '"factors"' in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entity": "Nobody"}, "Nobody"),
        ({"relation": "love"}, "love"),
        ({"other": KITE}, "needs another entity"),
        ({"top": 0}, "1 or more"),
        ({"horizon": "6h"}, "shorter than one time step of 1 day"),
        ({"at": "1999-01-01"}, "no facts before"),
        ({"entity": 5}, "The name of the entity must be text, not 5."),
        ({"entity": ["Fed"]}, "The name of the entity must be text, not "),
        ({"relation": 5}, "The name of the relation must be text, not 5."),
        ({"top": 2.5}, "must be an integer, not 2.5."),
        ({"top": "3"}, "must be an integer, not '3'."),
        ({"top": True}, "must be an integer, not True."),
    ],
)
def test_bad_requests_are_explained(days: TemporalGraph, judge: Model, options: dict[str, Any], message: str) -> None:
    with pytest.raises(tlogic.InputError, match=message):
        tlogic.outlook(days, judge, **options)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([], "nothing to watch"),
        (5, "as a list or a data frame, not as int"),
        (KITE, "as a list or a data frame, not as str"),
        ([("a", "b")], "Triple 1: A watched triple is"),
        ([{"who": "Ann"}], "found who"),
        (["Ann"], "found 'Ann'"),
        ([(KITE, None, None), (None, " ", "?")], "Triple 2: Subject, relation and object are all blank"),
        ([(KITE, None, None), ("Nobody", None, None)], "Triple 2: Unknown entity 'Nobody'"),
    ],
)
def test_bad_watchlists_are_explained(days: TemporalGraph, judge: Model, queries: object, message: str) -> None:
    with pytest.raises(tlogic.InputError, match=re.escape(message)):
        tlogic.watch(days, judge, queries)


@pytest.mark.parametrize(("setting", "value"), [("threads", "x"), ("threads", 2.5), ("every", "x"), ("every", 2.5)])
def test_settings_that_are_no_integers_are_refused(
    days: TemporalGraph, judge: Model, setting: str, value: object
) -> None:
    options: dict[str, Any] = {setting: value}
    with pytest.raises(tlogic.SettingsError, match=f"must be an integer, not {value!r}"):
        tlogic.backtest(days, judge, **options)


def test_rules_give_no_probabilities(days: TemporalGraph) -> None:
    with pytest.raises(tlogic.InputError, match="fit a model"):
        tlogic.outlook(days, tlogic.learn(days, lengths=(1,), relations=["sue"]))  # type: ignore[arg-type]
