"""Forecasts for people: the same answers as evaluation ranks, from the past alone, asked in many ways."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tlogic
from tests.strategies import LAST_TIME, World, fact_sets, query_streams, rule_lists, worlds
from tests.worlds import as_graph, as_rules, entity, relation
from tlogic import Query
from tlogic.forecasting import settings as settings_module
from tlogic.forecasting.query_files import read_queries, write_answers
from tlogic.graph import TemporalGraph
from tlogic.name_search import NameIndex


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample()


@pytest.fixture(scope="module")
def rules(graph: TemporalGraph) -> tlogic.RuleSet:
    return tlogic.learn(graph, walks=50, lengths=(1, 2))


def asked_of_test(graph: TemporalGraph, n: int = 60) -> list[Query]:
    """Test facts asked in both directions, in no order of time."""
    facts, queries = graph.split("test"), []
    for i in np.random.default_rng(3).permutation(len(facts.time))[:n]:
        names = graph.entities.name_of(facts.subject[i]), graph.relations.name_of(facts.relation[i])
        at = graph.timeline.label_of(facts.time[i])
        queries += [Query(*names, at=at), Query(None, names[1], graph.entities.name_of(facts.object[i]), at)]
    return queries


def test_forecasts_rank_true_answers_as_evaluation_does(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    facts = graph.split("test")
    name, label = graph.entities.name_of, graph.timeline.label_of
    queries, truths = [], []
    for s, r, o, t in zip(*(column.tolist() for column in facts), strict=True):
        queries.append(Query(name(s), graph.relations.name_of(r), at=label(t)))
        queries.append(Query(None, graph.relations.name_of(r), name(o), label(t)))
        truths += [name(o), name(s)]
    answers = tlogic.forecast(graph, rules, queries, top=None)
    ranks = [
        next((candidate.rank for candidate in answers[place] if candidate.name == truth), len(graph.entities))
        for place, truth in enumerate(truths)
    ]
    evaluation = tlogic.evaluate(graph, rules, filter="raw")
    assert sorted(ranks) == sorted(evaluation.ranks.optimistic.tolist())
    assert sum(answers.by(place) == "fallback" for place in range(len(answers))) == evaluation.fell_back.sum()


def test_a_default_query_follows_the_last_date_that_facts_can_have(rules: tlogic.RuleSet) -> None:
    dates = ["2014-08-09", "2014-08-10", "9998-12-31"]
    facts = pl.DataFrame({"subject": "Ann", "relation": "sue", "object": ["Bo", "Cy", "Di"], "time": dates})
    forecast = tlogic.forecast(tlogic.read(facts), rules, Query("Ann", "sue"))
    assert forecast.queries[0].at == "9999-01-01"
    assert "for (Ann, sue, ?, 9999-01-01)" in forecast.explain(0, "Di").text()


def test_huge_graphs_are_followed_by_their_newest_facts(
    graph: TemporalGraph, rules: tlogic.RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = asked_of_test(graph)
    limited = tlogic.forecast(graph, rules, queries, max_groundings=2)
    monkeypatch.setattr(settings_module, "LARGE_GRAPH_FACTS", 100)
    monkeypatch.setattr(settings_module, "LARGE_GRAPH_MAX_GROUNDINGS", 2)
    assert tlogic.forecast(graph, rules, queries).frame.equals(limited.frame)
    whole = tlogic.forecast(graph, rules, queries, max_groundings=settings_module.UNLIMITED_GROUNDINGS)
    assert not whole.frame.equals(limited.frame)


def test_order_and_threads_and_company_do_not_matter(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    queries = asked_of_test(graph)
    together = tlogic.forecast(graph, rules, queries, threads=2)
    backwards = tlogic.forecast(graph, rules, queries[::-1], threads=1)
    assert [together[place] for place in range(len(queries))] == [
        backwards[-1 - place] for place in range(len(queries))
    ]
    for place in range(0, len(queries), 7):
        assert tlogic.forecast(graph, rules, [queries[place]])[0] == together[place]


@settings(max_examples=100)
@given(st.data(), worlds(), st.integers(2, LAST_TIME))
def test_nothing_from_the_time_of_a_query_on_matters(data: st.DataObject, world: World, cut: int) -> None:
    """Not for rules, and not for the fallback, although all facts are training facts here."""
    past = World(frozenset(fact for fact in world.facts if fact[3] < cut), world.n_entities, world.n_base)
    future = data.draw(fact_sets(world.n_entities, world.n_base, first=cut))
    graphs = [as_graph(part) for part in (past, world, World(past.facts | future, world.n_entities, world.n_base))]
    rules = as_rules(data.draw(rule_lists(world)), world, graphs[0])
    queries = [
        Query(entity(query.subject), relation(query.relation, world.n_base), at=query.time)
        for query in data.draw(query_streams(world, last=cut))
        if query.time > 0
        and entity(query.subject) in graphs[0].entities
        and relation(query.relation, world.n_base) in graphs[0].relations
    ]
    assume(queries)
    answers = [tlogic.forecast(graph, rules, queries, top=None, min_support=1) for graph in graphs]
    for place in range(len(queries)):
        expected, *others = (answer[place] for answer in answers)
        assert all(other == expected for other in others)


def test_further_ahead_the_same_facts_are_older(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    near, far = tlogic.forecast(
        graph, rules, [("Kite Aviation", "sue", None, at) for at in ("2031-03-27", "2032-01-01")]
    )
    assert max(candidate.score for candidate in near) > max(candidate.score for candidate in far)
    answers = tlogic.forecast(graph, rules, [("Kite Aviation", "sue", None, "2032-01-01")])
    reasons = answers.explain(0, answers[0][0].name).reasons
    assert reasons
    for reason in reasons:
        assert max(fact.time for fact in reason.facts) <= "2031-03-26"


def test_without_a_time_the_step_after_the_last_fact_is_meant(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    assert tlogic.forecast(graph, rules, [("Kite Aviation", "sue")]).queries[0].at == "2031-03-27"


def test_the_subject_is_asked_by_the_inverse_relation(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    by_object, by_inverse = tlogic.forecast(
        graph, rules, [Query(None, "sue", "Kite Aviation"), Query("Kite Aviation", "sue^-1")]
    )
    assert by_object == by_inverse


@pytest.mark.parametrize(
    "queries",
    [
        [("Kite Aviation", "sue", None, "2031-02-10"), (None, "fine", "Lighthouse Trust", None)],
        [
            {"subject": "Kite Aviation", "relation": "sue", "at": "2031-02-10"},
            {"target": "Lighthouse Trust", "relation": "fine"},
        ],
        pl.DataFrame(
            {
                "head": ["Kite Aviation", "?"],
                "predicate": ["sue", "fine"],
                "tail": ["", "Lighthouse Trust"],
                "date": ["2031-02-10", None],
            }
        ),
        pd.DataFrame(
            {
                "subject": ["Kite Aviation", None],
                "relation": ["sue", "fine"],
                "object": [None, "Lighthouse Trust"],
                "at": ["2031-02-10", None],
            }
        ),
    ],
)
def test_queries_are_taken_in_many_forms(graph: TemporalGraph, rules: tlogic.RuleSet, queries: object) -> None:
    asked = tlogic.forecast(graph, rules, queries).queries
    assert asked == [
        Query("Kite Aviation", "sue", None, "2031-02-10"),
        Query(None, "fine", "Lighthouse Trust", "2031-03-27"),
    ]


def test_names_may_differ_in_case_spaces_and_underscores(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    answers = tlogic.forecast(graph, rules, [("kite_aviation", "Seek credit from")])
    assert answers.queries[0][:2] == ("Kite Aviation", "seek_credit_from")


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([("Kite Aviaton", "sue")], "Unknown entity 'Kite Aviaton'; did you mean 'Kite Aviation'"),
        ([("Kite Aviation", "sues")], "Unknown relation 'sues'; did you mean 'sue'"),
        ([("Kite Aviation", "sue", "Orchard Foods")], "either a subject or an object"),
        ([(None, "sue")], "either a subject or an object"),
        ([("Kite Aviation", None)], "needs a relation"),
        ([(5, "sue")], "The name of the entity must be text, not 5"),
        ([("Kite Aviation",)], "with None for the end that is asked for"),
        (["Kite Aviation"], "with None for the end that is asked for"),
        ("Kite Aviation", "a list or a data frame"),
        (7, "a list or a data frame"),
        ([{"who": "Kite Aviation"}], "found the columns who"),
        ([{"subject": "Kite Aviation", "relation": "sue", "when": "2031-02-10"}], "when cannot be used"),
        ([("Kite Aviation", "sue", None, "2030-01-01")], "There are no facts before 2030-01-01"),
        ([("Kite Aviation", "sue", None, "tomorrow")], "'tomorrow' is not understood"),
        ([("Ann", "sue"), ("Kite Aviation", "sue"), ("Bo", "sue")], r"(?s)Query 1, \(Ann.*Query 3, \(Bo"),
        ([("Ann", "sue")] * 9, "and 4 more"),
    ],
)
def test_queries_that_cannot_be_understood(
    graph: TemporalGraph, rules: tlogic.RuleSet, queries: object, message: str
) -> None:
    with pytest.raises(tlogic.InputError, match=message):
        tlogic.forecast(graph, rules, queries)


def test_rules_without_a_confidence_are_refused(graph: TemporalGraph) -> None:
    written = tlogic.RuleSet([tlogic.Rule("sue", ("bid_for^-1",), (0, 1))])
    with pytest.raises(tlogic.InputError, match=r"confidence of sue.* is unknown"):
        tlogic.forecast(graph, written, [("Kite Aviation", "sue")])


def test_the_frame_holds_all_candidates(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    answers = tlogic.forecast(graph, rules, asked_of_test(graph, 5), top=3)
    frame = answers.frame
    assert frame.columns == ["query", "subject", "relation", "object", "at", "rank", "candidate", "score", "by"]
    for place in range(len(answers)):
        rows = frame.filter(query=place).select("rank", "candidate", "score").rows()
        assert rows == [(candidate.rank, candidate.name, candidate.score) for candidate in answers[place]]
        assert all(candidate.probability is None for candidate in answers[place])


def test_no_queries_give_an_empty_frame(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    answers = tlogic.forecast(graph, rules, [])
    assert answers.frame.height == 0
    assert answers.frame.columns[0] == "query"


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "arrow", "jsonl"])
def test_queries_are_read_from_files(tmp_path: Path, kind: str) -> None:
    frame = pl.DataFrame({"subject": ["Ann", None], "relation": ["calls", "calls"], "object": [None, "Bo"]})
    path = tmp_path / f"queries.{kind}"
    if kind in ("csv", "tsv"):
        frame.write_csv(path, separator="," if kind == "csv" else "\t")
    else:
        {"parquet": frame.write_parquet, "arrow": frame.write_ipc, "jsonl": frame.write_ndjson}[kind](path)  # type: ignore[operator]
    assert list(read_queries(path).values()) == [Query("Ann", "calls"), Query(None, "calls", "Bo")]


def test_queries_may_stand_between_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text('subject;"relation";at\n"Ann, Bo";calls;2014\n')
    assert read_queries(path) == {f"{path} line 2": Query("Ann, Bo", "calls", None, "2014")}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("queries.xlsx", "", "Queries are read from"),
        ("none.csv", None, "There is no file"),
        ("empty.csv", "subject,relation\n", "holds no queries"),
        ("nothing.csv", "", "is empty"),
        ("broken.parquet", "PAR?", "cannot be read: it is damaged, or not a .parquet file"),
        ("broken.arrow", "ARROW", "cannot be read: it is damaged, or not a .arrow file"),
        ("binary.csv", "\0\1", r"binary.csv is not text"),
        ("latin.csv", b"subject,relation\nJos\xe9,sue\n", "latin.csv line 2 is not UTF-8 text"),
        ("long.csv", "subject,relation\nAnn,sue\n\nAnn,sue,Bo\n", "long.csv line 4 has 3 cells, but the header has 2"),
        ("twice.csv", "subject,subject\nAnn,Bo\n", "line 1 names the column 'subject' more than once"),
        ("nameless.csv", "subject,relation,\nAnn,sue,\n", "line 1 has a column without a name"),
        ("quote.csv", 'subject,relation\nAnn,"sue\nBo,sue\n', "quote.csv line 2 has a quote that is not closed"),
        ("odd.jsonl", '{"subject": "Ann", "relation": "sue"}\n\n{oh\n', "odd.jsonl line 3 is not a JSON object"),
        ("list.jsonl", "[1]\n", "list.jsonl line 1 is not a JSON object"),
        ("nested.jsonl", '{"subject": ["Ann"], "relation": "sue"}\n', r'line 1: subject is \["Ann"\]; expected text'),
        ("odd.csv", "a,b\n1,2\n", "found the columns a, b"),
    ],
)
def test_files_that_hold_no_queries(tmp_path: Path, name: str, content: str | bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(tlogic.InputError, match=message):
        read_queries(path)


def test_answers_are_written_to_files(graph: TemporalGraph, rules: tlogic.RuleSet, tmp_path: Path) -> None:
    answers = tlogic.forecast(graph, rules, asked_of_test(graph, 3), top=2)
    for kind in ("csv", "parquet", "jsonl"):
        write_answers(answers, tmp_path / f"answers.{kind}")
    assert pl.read_parquet(tmp_path / "answers.parquet").equals(answers.frame)
    again = pl.read_csv(tmp_path / "answers.csv", null_values="?")
    assert again["candidate"].equals(answers.frame["candidate"])
    lines = pl.read_ndjson(tmp_path / "answers.jsonl")
    assert lines.height == len(answers)
    with pytest.raises(tlogic.InputError, match=r"\.jsonl files, not to 'answers\.xml'"):
        write_answers(answers, tmp_path / "answers.xml")


def test_true_answers_are_those_of_the_time(graph: TemporalGraph, rules: tlogic.RuleSet) -> None:
    answers = tlogic.forecast(
        graph, rules, [("Kite Aviation", "sue", None, "2031-02-10"), (None, "sue", "Northlight Energy", "2031-02-10")]
    )
    assert "Northlight Energy" in answers.true_answers(0)
    assert "Kite Aviation" in answers.true_answers(1)
    assert tlogic.forecast(graph, rules, [("Kite Aviation", "sue")]).true_answers(0) == []


def test_a_rule_counts_once_however_it_is_spelled(graph: TemporalGraph) -> None:
    rule = tlogic.Rule("sue", ("bid_for^-1",), (0, 1), 1, 3)
    twice = [rule, tlogic.Rule("SUE", ("Bid For^-1",), (0, 1), 1, 4)]
    query = [("Kite Aviation", "sue", None, "2031-02-10")]
    assert (
        tlogic.forecast(graph, tlogic.RuleSet(twice), query)[0]
        == tlogic.forecast(graph, tlogic.RuleSet([rule]), query)[0]
    )


def test_few_unknown_names_get_suggestions_and_none_after_some_time(
    graph: TemporalGraph, rules: tlogic.RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, now = [], [0.0]

    def similar_to(_index: NameIndex, name: str, _counts: object) -> list[str]:
        searched.append(name)
        now[0] += 0.2
        return ["Ann"]

    monkeypatch.setattr(NameIndex, "similar_to", similar_to)
    monkeypatch.setattr("tlogic.forecasting.queries.monotonic", lambda: now[0])
    with pytest.raises(tlogic.InputError) as caught:
        tlogic.forecast(graph, rules, [(f"Nobody {number}", "sue") for number in range(150)])
    *lines, last = str(caught.value).splitlines()
    assert lines[0] == "Query 1, (Nobody 0, sue, ?, next): Unknown entity 'Nobody 0'; did you mean 'Ann'?"
    assert lines[4] == "Query 5, (Nobody 4, sue, ?, next): Unknown entity 'Nobody 4'."
    assert (len(lines), last) == (5, "and 145 more.")
    assert searched == ["Nobody 0", "Nobody 1", "Nobody 2"]
