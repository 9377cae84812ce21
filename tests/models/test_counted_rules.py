"""Counted rules: the counts are those of plain loops over all facts, and they are kept with the model."""

import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import polars as pl
import pytest

import tlogic
from tests.naive import Edge, add_inverses
from tlogic.models import counted_rules
from tlogic.models.counted_rules import CountedRule, rule_kind, rule_kinds
from tlogic.rules import parse_rule
from tlogic.sealing import seal

Key = tuple[str, int, tuple[int, ...], int]
"""The kind, the head, the body, and the bucket of age."""


@pytest.fixture(scope="module")
def graph() -> tlogic.TemporalGraph:
    return tlogic.sample()


@pytest.fixture(scope="module")
def model(graph: tlogic.TemporalGraph) -> tlogic.Model:
    return tlogic.fit(graph)


def some_graph() -> tlogic.TemporalGraph:
    """A world so small that no entity has more events than chains look at."""
    drawn = random.Random(3)
    rows = {
        (f"e{drawn.randrange(6)}", f"r{drawn.randrange(3)}", f"e{drawn.randrange(6)}", drawn.randrange(30))
        for _ in range(60)
    }
    frame = pl.DataFrame(sorted(rows), ["subject", "relation", "object", "time"], orient="row")
    return tlogic.read(frame, valid_from=24, test_from=27)


def bucket(kind: str, *ages: int) -> int:
    for place, spans in enumerate(rule_kind(kind).ages):
        if all(first <= age <= (last or age) for age, (first, last) in zip(ages, spans, strict=True)):
            return place
    raise AssertionError(ages)


def firings(edges: list[Edge], head: int, asked: dict[tuple[int, int], set[int]], now: int) -> list[tuple[Key, bool]]:
    """What fires at one time for queries of one relation: the rule and bucket, and whether it hits."""
    found: list[tuple[Key, bool]] = []
    past = [edge for edge in edges if edge[3] < now]
    for (s, t), answers in asked.items():
        if t != now:
            continue
        last = {(b, c): when for a, b, c, when in sorted(past, key=lambda edge: edge[3]) if a == s}
        for (b, c), when in last.items():
            found.append((("rules", head, (b,), bucket("rules", now - when)), c in answers))
        for a, b1, x, first in past:
            for y, b2, c, second in past:
                if a == s and y == x and c != s:
                    place = bucket("chains", now - first, now - second)
                    found.append((("chains", head, (b1, b2), place), c in answers))
    all_answers = {c for (_, t), answers in asked.items() if t == now for c in answers}
    for c, b, _, when in past:
        if all_answers and now - when <= 7:
            found.append((("acyclic", head, (b,), bucket("acyclic", now - when)), c in all_answers))
    return found


def test_counts_are_those_of_plain_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_rules, "MIN_HITS", 1)
    graph = some_graph()
    known = graph.before(graph.test_from)
    name = known.relations.name_of
    facts = list(zip(*(column.tolist() for column in known.facts), strict=True))
    edges = list(add_inverses(facts, len(known.relations.base)))
    fires: Counter[Key] = Counter()
    hits: Counter[Key] = Counter()
    for head in range(len(known.relations)):
        asked: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for s, r, o, t in edges:
            if r == head:
                asked[s, t].add(o)
        since: dict[
            tuple[str, int, tuple[int, ...]], int
        ] = {}  # a rule of two steps is counted from the step on at which it first hits
        for now in range(known.end):
            found = firings(edges, head, asked, now)
            since = {key[:3]: now for key, hit in found if hit and key[0] == "chains"} | since
            for key, hit in found:
                if key[0] != "chains" or since.get(key[:3], now) < now or hit:
                    fires[key] += 1
                    hits[key] += hit
    expected = {(kind, head, body) for (kind, head, body, _), n in hits.items() if n}
    rules = {(rule.kind, rule.head, rule.body): rule for rule in tlogic.fit(graph).rules}
    assert rules.keys() == {(kind, name(head), tuple(map(name, body))) for kind, head, body in expected}
    for kind, head, body in expected:
        rule = rules[kind, name(head), tuple(map(name, body))]
        places = range(len(rule_kind(kind).ages))
        assert rule.fires == tuple(fires[kind, head, body, place] for place in places)
        assert rule.hits == tuple(hits[kind, head, body, place] for place in places)


def test_probabilities_are_those_of_the_evidence(graph: tlogic.TemporalGraph, model: tlogic.Model) -> None:
    [rule] = [each for each in model.rules if str(each) == "sue(X, Y, T2) <- bid_for^-1(X, Y, T1)"]
    forecast = tlogic.forecast(graph, model, [("Kite Aviation", "sue", None, "2031-02-10")])
    [told] = [each for each in forecast.explain(0, "Northlight Energy").contributions if each.family == "rules"]
    assert f"in {rule.at(1):.1%} of such cases" in told.sentence
    assert rule.confidence == max(rule.probabilities)
    assert rule.mean < rule.confidence / 5


def test_rules_read_in_logic_and_in_words(model: tlogic.Model) -> None:
    by_kind = {kind: next(rule for rule in model.rules if rule.kind == kind) for kind in rule_kinds()}
    assert {kind: len(rule.body) for kind, rule in by_kind.items()} == {"rules": 1, "chains": 2, "acyclic": 1}
    for kind in ("rules", "chains"):
        parsed = parse_rule(str(by_kind[kind]))
        assert (parsed.head, parsed.body) == (by_kind[kind].head, by_kind[kind].body)
    chain = CountedRule("chains", "sue", ("fine", "warn^-1"), (1,) * 9, (1,) * 9, (0.5,) * 9, 0.4)
    assert str(chain) == "sue(X, Z, T3) <- fine(X, Y, T1), warn^-1(Y, Z, T2)"
    assert chain.words == "X sues Z after X fines Y and Z warns Y"
    assert [span for span, _ in chain.by_age] == [(1, 3), (4, 14), (15, None)]


def test_the_strongest_come_first_and_the_rare_are_left_out(model: tlogic.Model) -> None:
    confidences = [rule.confidence for rule in model.rules]
    assert confidences == sorted(confidences, reverse=True)
    assert min(rule.rule_support for rule in model.rules) == counted_rules.MIN_HITS
    groups = Counter((rule.kind, rule.head) for rule in model.rules)
    assert max(groups.values()) == counted_rules.MAX_RULES
    for rule in model.rules:
        assert all(0 <= hits <= fires for hits, fires in zip(rule.hits, rule.fires, strict=True))
        assert all(0 < p < 1 for p in (*rule.probabilities, rule.mean))


def test_rules_are_kept_in_the_model_file(model: tlogic.Model, tmp_path: Path) -> None:
    path = tmp_path / "world.model"
    model.save(path)
    again = tlogic.Model.load(path)
    assert again.rules == model.rules
    again.save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == path.read_bytes()
    assert path.stat().st_size < 1_000_000
    lines = path.read_text("utf-8").splitlines()
    assert sum(line.startswith('{"body":') for line in lines) == len(model.rules)


@pytest.mark.parametrize(
    ("name", "value"),
    [("fires", [1, 2]), ("hits", [10**9] * 19), ("hits", [-1] * 19), ("body", [5]), ("body", ["a", "b"])],
)
def test_damaged_rules_are_refused(model: tlogic.Model, tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "world.model"
    model.save(path)
    content = json.loads(path.read_text("utf-8"))
    content["rules"][0]["rules"][0][name] = value
    path.write_text(seal(json.dumps(content)), "utf-8")
    with pytest.raises(tlogic.InputError, match="damaged model file"):
        tlogic.Model.load(path)


def test_rules_are_read_when_they_are_needed(model: tlogic.Model, tmp_path: Path) -> None:
    """Forecasts do not wait for them. Sealing an edited file reads all of it, so that only a wrong seal gets here."""
    path = tmp_path / "world.model"
    before, after = model.to_json().split('"hits":[', 1)
    path.write_text(seal(f'{before}"hits":[null,{after}'), "utf-8")
    loaded = tlogic.Model.load(path)
    assert loaded.families == model.families
    line = before.count("\n") + 1
    with pytest.raises(tlogic.InputError, match=rf"damaged model file, line {line}: rules\[0\]\.hits\[0\] is null"):
        _ = loaded.rules
    with pytest.raises(tlogic.InputError, match="damaged model file"):
        tlogic.seal(path)


def test_fields_may_be_in_any_order(model: tlogic.Model, tmp_path: Path) -> None:
    path = tmp_path / "sorted.model"
    content = json.loads(model.to_json())
    del content["checksum"]
    fields = {"format": content.pop("format"), "version": content.pop("version"), **dict(sorted(content.items()))}
    path.write_text(seal(json.dumps(fields, indent=1)), "utf-8")
    assert tlogic.Model.load(path).rules == model.rules


def test_a_model_without_rules_in_its_evidence_has_none() -> None:
    assert tlogic.fit(tlogic.sample(days=60), evidence=("recurrence", "popularity")).rules == ()
