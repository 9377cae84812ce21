"""Surprises: judged from the facts before their time step, the least expected first."""

import pytest

import tlogic
from tlogic.graph import TemporalGraph
from tlogic.models import Model

SINCE = "2030-05-24"


@pytest.fixture(scope="module")
def found(days: TemporalGraph, judge: Model) -> tlogic.monitoring.Surprises:
    return tlogic.surprises(days, judge, since=SINCE, top=8)


def test_events_happened_and_have_the_probability_of_the_day_before(
    days: TemporalGraph, judge: Model, found: tlogic.monitoring.Surprises
) -> None:
    assert found.events["probability"].is_sorted()
    for date, subject, relation, object_, probability, _ in found.events.rows():
        step = days.timeline.step_of(date)
        ids = days.entities.id_of(subject), days.relations.id_of(relation)
        assert days.entities.id_of(object_) in days.answers_at(*ids, step)
        exact = tlogic.outlook(days, judge, entity=subject, relation=relation, other=object_, at=date)
        assert exact[0].probability == pytest.approx(probability)


def test_missing_events_were_likely_and_did_not_happen(
    days: TemporalGraph, judge: Model, found: tlogic.monitoring.Surprises
) -> None:
    assert found.missing["probability"].is_sorted(descending=True)
    assert found.missing.select("subject", "relation", "object").is_unique().all()
    for date, subject, relation, object_, probability, _ in found.missing.rows():
        ids = days.entities.id_of(subject), days.relations.id_of(relation)
        assert days.entities.id_of(object_) not in days.answers_at(*ids, days.timeline.step_of(date))
        exact = tlogic.outlook(days, judge, entity=subject, relation=relation, other=object_, at=date)
        assert exact[0].probability == pytest.approx(probability)
    assert found.missing["probability"][0] > found.events["probability"][0]


def test_surprises_are_explained(found: tlogic.monitoring.Surprises) -> None:
    for missing in (False, True):
        frame = found.missing if missing else found.events
        why = found.explain(0, missing=missing)
        assert why.probability == pytest.approx(frame["probability"][0])
        assert (why.subject, why.object) == (frame["subject"][0], frame["object"][0])


def test_all_explanations_are_those_of_each_event(found: tlogic.monitoring.Surprises) -> None:
    happened, missing = found.explain_all(facts=2)
    assert happened == [found.explain(index, facts=2) for index in range(found.events.height)]
    assert missing == [found.explain(index, missing=True, facts=2) for index in range(found.missing.height)]


@pytest.mark.parametrize("since", ["2030-01-01", "2031-01-01", "1999-01-01"])
def test_periods_without_a_past_or_without_facts_are_refused(days: TemporalGraph, judge: Model, since: str) -> None:
    with pytest.raises(tlogic.InputError, match="facts before and in the period"):
        tlogic.surprises(days, judge, since=since)
