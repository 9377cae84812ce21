"""Explanations of models: the sum is the score, the facts are in the data, and the sentences tell what they count."""

import json
import re
from collections.abc import Iterator

import pytest

import tlogic
from tests.models.conftest import asked_of_test
from tlogic.explaining import Fact
from tlogic.explaining.model_explanation import Contribution, ModelExplanation, signed
from tlogic.forecasting import Candidate, Forecast
from tlogic.graph import TemporalGraph

ALL = 100_000


@pytest.fixture(scope="module")
def answers(world: TemporalGraph, model: tlogic.Model) -> Forecast[ModelExplanation]:
    return tlogic.forecast(world, model, asked_of_test(world, 12)[0], top=None)


@pytest.fixture(scope="module")
def sheets(answers: Forecast[ModelExplanation]) -> list[tuple[int, Candidate, ModelExplanation]]:
    """The best candidates of some queries, one in the middle, the last one and the one asked about, with all facts."""
    explained = []
    for place, (query, found) in enumerate(zip(answers.queries, answers, strict=True)):
        itself = [shown for shown in found if shown.name in (query.subject, query.object)]
        for shown in dict.fromkeys([*found[:2], found[len(found) // 2], found[-1], *itself]):
            explained.append((place, shown, answers.explain(place, shown.name, groundings=ALL)))
    return explained


@pytest.fixture(scope="module")
def known(world: TemporalGraph) -> list[tuple[int, Fact]]:
    """All facts in words, with their times in numbers."""
    name, relation, label = world.entities.name_of, world.relations.name_of, world.timeline.label_of
    rows = zip(*(column.tolist() for column in world.facts), strict=True)
    return [(t, Fact(name(s), relation(r), name(o), label(t))) for s, r, o, t in rows]


def now_of(world: TemporalGraph, sheet: ModelExplanation) -> int:
    return world.timeline.step_of(str(sheet.query.at))


def by_family(sheet: ModelExplanation) -> dict[str, Contribution]:
    return {each.family: each for each in sheet.contributions}


def the_other_way(query: tlogic.Query, subject: str, object: str) -> tuple[str, str]:
    """Who does it to whom: a query for the subject asks by the inverse relation."""
    return (subject, object) if query.object is None else (object, subject)


def test_contributions_add_up_to_the_score(
    model: tlogic.Model, answers: Forecast[ModelExplanation], sheets: list[tuple[int, Candidate, ModelExplanation]]
) -> None:
    for place, shown, why in sheets:
        assert (why.rank, why.candidate, why.score, why.probability) == shown
        assert why.n_candidates == len(answers[place])
        assert sum(each.weight for each in why.contributions) == pytest.approx(why.score, abs=1e-9)
        for each in why.contributions:
            assert sum(weight for _, weight in each.columns.values()) == pytest.approx(each.weight, abs=1e-9)
        assert tuple(by_family(why)) == tuple(each.family for each in why.contributions)
        assert set(by_family(why)) == set(model.families) | ({"combinations"} if len(model.pairs.column) else set())
        sizes = [abs(each.weight) for each in why.contributions]
        assert sizes == sorted(sizes, reverse=True)


def test_cited_facts_are_in_the_data_and_lie_before_the_query(
    world: TemporalGraph, sheets: list[tuple[int, Candidate, ModelExplanation]], known: list[tuple[int, Fact]]
) -> None:
    time = {fact: t for t, fact in known}
    cited = 0
    for _, _, why in sheets:
        now = now_of(world, why)
        for each in why.contributions:
            assert all(time[fact] < now for fact in each.facts)
            assert len(set(each.facts)) == len(each.facts) == each.n_facts, each.family
            cited += each.n_facts
    assert cited > 1000


def test_facts_are_counted_right(
    world: TemporalGraph, sheets: list[tuple[int, Candidate, ModelExplanation]], known: list[tuple[int, Fact]]
) -> None:
    for _, _, why in sheets:
        now = now_of(world, why)
        for family, expected in _counted(why, now, [(t, fact) for t, fact in known if t < now]).items():
            assert set(by_family(why)[family].facts) == set(expected), family


def _counted(why: ModelExplanation, now: int, past: list[tuple[int, Fact]]) -> dict[str, list[Fact]]:
    """What families say that they count, by plain search."""
    subject, candidate = str(why.query.subject or why.query.object), why.candidate
    place = 2 if why.query.object is None else 0  # of the answer, within a fact
    of_relation = [fact for _, fact in past if fact.relation == why.query.relation]
    by_subject = [fact for fact in of_relation if fact[2 - place] == subject]
    to_candidate = [fact for fact in of_relation if fact[place] == candidate]
    of_candidate = [(t, fact) for t, fact in past if candidate in fact[:3:2]]
    return {
        "recurrence": [fact for fact in by_subject if fact[place] == candidate],
        "pair": [fact for _, fact in past if fact[:3:2] in ((subject, candidate), (candidate, subject))],
        "popularity": to_candidate or [fact for _, fact in of_candidate],
        "habits": by_subject,
        "acyclic": [fact for t, fact in of_candidate if now - t <= 7],
        "names": to_candidate,
    }


def test_as_many_facts_are_shown_as_are_asked_for(
    answers: Forecast[ModelExplanation], sheets: list[tuple[int, Candidate, ModelExplanation]]
) -> None:
    for place, shown, why in sheets[::5]:
        for few, every in zip(
            answers.explain(place, shown.name, groundings=2).contributions, why.contributions, strict=True
        ):
            assert few.facts == every.facts[:2]
            assert few.n_facts == every.n_facts


def test_sentences_tell_what_the_data_holds(
    world: TemporalGraph, sheets: list[tuple[int, Candidate, ModelExplanation]], known: list[tuple[int, Fact]]
) -> None:
    seen = 0
    for _, _, why in sheets:
        s, o = the_other_way(why.query, str(why.query.subject or why.query.object), why.candidate)
        now, sentence = now_of(world, why), by_family(why)["recurrence"].sentence
        times = [t for t, fact in known if fact[:3] == (s, why.query.relation, o) and t < now]
        assert sentence.startswith(f"{s} — {why.query.relation} → {o} ")
        if times:
            often = "once" if len(times) == 1 else f"{len(times)} times"
            latest = f"{'the latest ' * (len(times) > 1)}{world.timeline.span_of(now - max(times))} earlier"
            assert f"happened {often} before, {latest}" in sentence
            seen += 1
        else:
            assert sentence.endswith("never happened before")
    assert seen > 10


def test_sentences_tell_the_probability_of_the_best_rule(sheets: list[tuple[int, Candidate, ModelExplanation]]) -> None:
    """And that there is none where evidence says so."""
    columns = {"rules": "probability 0", "chains": "largest", "acyclic": "largest", "constants": "largest"}
    told = dict.fromkeys(columns, 0)
    for _, _, why in sheets:
        for family, column in columns.items():
            value, sentence = by_family(why)[family].columns[column][0], by_family(why)[family].sentence
            if value:
                bound, number = re.findall(r"(less than |more than )?([\d.]+)%", sentence)[-1]
                shown = float(number) + {"less than ": -0.1, "more than ": 0.1}.get(bound, 0.0)
                assert shown == pytest.approx(100 * value, abs=0.051), family
                told[family] += 1
            else:
                assert sentence.startswith(("no rule", "no close partner", "no event")), (family, why, sentence)
                assert by_family(why)[family].n_facts == 0
    assert min(told.values()) > 5


def comparisons(answers: Forecast[ModelExplanation]) -> Iterator[tuple[ModelExplanation, ModelExplanation]]:
    for place, found in list(enumerate(answers))[::4]:
        one, other, last = (answers.explain(place, found[rank].name) for rank in (0, 1, -1))
        yield from ((one, other), (last, one))


def test_why_one_over_another_is_the_difference_of_their_sums(answers: Forecast[ModelExplanation]) -> None:
    for one, other in comparisons(answers):
        why = one.over(other)
        assert sum(weight for weight, _, _ in why.differences) == pytest.approx(one.score - other.score, abs=1e-9)
        for weight, first, second in why.differences:
            assert weight == first.weight - second.weight
            assert first.family == second.family
        assert why.text().startswith(f"Why {one.candidate} over {other.candidate} for")
        assert signed(one.score - other.score) in str(why)
        assert "other kinds of evidence" in why.text(n_reasons=2)
        assert json.loads(json.dumps(why.to_dict()))["difference"] == one.score - other.score


def test_who_is_no_candidate_has_no_sum(world: TemporalGraph, model: tlogic.Model) -> None:
    query = asked_of_test(world, 1)[0][0]._replace(at=world.timeline.label_of(1))
    answers = tlogic.forecast(world, model, [query], top=None)
    names = {candidate.name for candidate in answers[0]}
    outsider = answers.explain(0, next(name for name in world.entities if name not in names))
    assert outsider.rank is None
    assert outsider.contributions == ()
    assert "not among the" in outsider.text()
    insider = answers.explain(0, answers[0][0].name)
    for why in (insider.over(outsider), outsider.over(insider)):
        assert "not among the" in why.text()
        assert why.differences == []
        assert why.to_dict()["difference"] is None


def test_text_and_json_say_the_same(sheets: list[tuple[int, Candidate, ModelExplanation]]) -> None:
    for _, _, why in sheets[::4]:
        told = json.loads(json.dumps(why.to_dict()))
        assert told == why.to_dict()
        for each, contribution in zip(told["contributions"], why.contributions, strict=True):
            assert each["facts_in_all"] == contribution.n_facts
            assert [Fact(**fact) for fact in each["facts"]] == list(contribution.facts)
            line = f"{signed(each['weight'])}  {each['sentence']}"
            assert (line in why.text()) == each["has_evidence"]
        assert f"Rank {told['rank']:,} of {told['candidates']:,} candidates" in why.text(n_reasons=1)
        assert f"from {len(why.contributions) - 1} other kinds of evidence" in why.text(n_reasons=1)


def test_texts_leave_out_families_that_found_nothing(
    sheets: list[tuple[int, Candidate, ModelExplanation]],
) -> None:
    n_silent = 0
    for _, _, why in sheets:
        silent = [each for each in why.contributions if not each.has_evidence]
        n_silent += len(silent)
        for each in silent:
            assert each.facts == ()
            assert each.sentence not in why.text()
        if silent:
            kinds = "1 other kind" if len(silent) == 1 else f"{len(silent)} other kinds"
            total = sum(each.weight for each in silent)
            assert why.text().splitlines()[-1] == f"  {signed(total):>7}  from {kinds} of evidence"
    assert n_silent > 10


def test_no_fact_is_listed_twice(answers: Forecast[ModelExplanation]) -> None:
    n_listed = 0
    for index in range(5):
        why = answers.explain(index, answers[index][0].name, groundings=4)
        lines = why.text().splitlines()
        listed = [line for line in lines if line.startswith(" " * 13) and not line.endswith("(see above)")]
        assert len(set(listed)) == len(listed)
        for each in why.contributions:
            assert all(str(fact) in why.text() or f"({fact.time})" in why.text() for fact in each.facts)
        n_listed += len(listed)
    assert n_listed > 10


def test_weights_that_round_to_zero_have_no_sign_and_one_candidate_is_no_plural() -> None:
    parts = tuple(Contribution(family, -0.00001, family, (), 0, {}) for family in ("pair", "habits"))
    query = tlogic.Query("Ann", "calls", None, "2030-01-04")
    why = ModelExplanation(query, "Bo", -0.00002, 0.5, 1, 1, parts, tlogic.sample(days=10).timeline)
    assert why.text(1).splitlines()[1:] == [
        "Rank 1 of 1 candidate, with a probability of 50.0%; the score 0.0000 is the sum of:",
        "   0.0000  pair",
        "   0.0000  from 1 other kind of evidence",
    ]
    assert "-0.0000" not in why.over(why).text()


def test_what_happened_once_has_no_latest_and_no_share_is_zero(
    sheets: list[tuple[int, Candidate, ModelExplanation]],
) -> None:
    sentences = [each.sentence for _, _, why in sheets for each in why.contributions]
    once = [each for each in sentences if "happened once before" in each or " 1 earlier event in common" in each]
    assert len(once) > 5
    assert not any("latest" in each for each in once)
    assert not any(" 0% of their" in each for each in sentences)
