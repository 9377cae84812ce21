import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.strategies import names, rules
from tlogic import InputError, Rule, RuleSet
from tlogic.graph import vocabulary
from tlogic.names import INVERSE_MARK, inverse_of
from tlogic.rules import parse_rule
from tlogic.rules.quoted_names import quote_name
from tlogic.rules.text_format import rule_line


@given(rules())
def test_a_rule_is_restored_from_its_text(rule: Rule) -> None:
    assert parse_rule(str(rule)) == rule._replace(rule_support=0, body_support=0)
    assert parse_rule(rule_line(rule)) == rule


@given(st.lists(rules(), max_size=5, unique_by=lambda rule: rule[:3]))
def test_rules_are_restored_from_a_text_file(tmp_path_factory: pytest.TempPathFactory, found: list[Rule]) -> None:
    path = tmp_path_factory.mktemp("rules") / "some.txt"
    RuleSet(tuple(found)).save(path)
    assert RuleSet.load(path) == RuleSet(tuple(found))
    assert len(path.read_text(encoding="utf-8").split("\n")) == 2 + len(found) + 1


@given(names, names)
def test_different_names_never_look_the_same(one: str, other: str) -> None:
    assert (quote_name(one) == quote_name(other)) == (one == other)


def test_the_mark_of_inverse_relations_is_that_of_graphs() -> None:
    assert INVERSE_MARK == vocabulary.INVERSE_MARK
    assert inverse_of(inverse_of("visit")) == "visit"


@pytest.mark.parametrize(
    "name",
    [
        *("consult", "visit^-1", "Appeal_for_diplomatic_cooperation_(such_as_policy_support)", "<wasBornIn>", "P39"),
        *("Impose_embargo,_boycott,_or_sanctions", "Return,_release_person(s)", "Meet_at_a_'third'_location", "042"),
        *("fight_with_small_arms_and_light_weapons", "http://dbpedia.org/ontology/capital", "会见", "de-escalate"),
    ],
)
def test_ordinary_names_are_not_quoted(name: str) -> None:
    assert str(Rule(name, (name,), (0, 1))) == f"{name}(X, Y, T2) <- {name}(X, Y, T1)"


@pytest.mark.parametrize("name", ["has relation", "a#b", 'say "hi"', "a<-b", "two\nlines", "f(a,b)", "", ",", "{}"])
def test_ambiguous_names_are_quoted(name: str) -> None:
    assert str(Rule(name, (name,), (0, 1))).startswith('"')


@pytest.mark.parametrize(
    "text",
    [
        "consult(X, Z, T3) <- meet(X, Y, T1), visit^-1(Y, Z, T2)",
        "consult(X,Z,T3)<-meet(X,Y,T1),visit^-1(Y,Z,T2)",
        "  consult ( X , Z , T3 )  :-  meet( X,Y , T1 ) ,visit^-1 (Y, Z,T2)  ",
        "consult(X, Z, T3) ← meet(X, Y, T1), visit^-1(Y, Z, T2)  # as seen on television",
        "consult(who, whom, t9) <- meet(who, someone, t2), visit^-1(someone, whom, t5)",
        "consult(X, Z, T3) <- meet(X, Y, T1), visit(Z, Y, T2)",
        "consult(X, Z, T3) <- meet^-1(Y, X, T1), visit(Z, Y, T2)",
        '"consult"(X, Z, T3) <- meet(X, Y, T1), "visit"^-1(Y, Z, T2)',
        '"consult"(X, Z, T3) <- meet(X, Y, T1), "visit^-1"(Y, Z, T2)',
    ],
)
def test_many_ways_to_write_one_rule(text: str) -> None:
    assert parse_rule(text) == Rule("consult", ("meet", "visit^-1"), (0, 1, 2))


def test_repeated_variables_are_numbered_by_first_appearance() -> None:
    rule = parse_rule("a(E3, X, T4) <- b(E3, X, T1), c(X, E3, T2), d(E3, X, T3)")
    assert rule.variables == (0, 1, 0, 1)
    assert parse_rule("a(Y, X, T2) <- b(X, Y, T1)").body == ("b^-1",)
    assert parse_rule("a(X, X, T2) <- b(X, X, T1)").variables == (0, 0)


@pytest.mark.parametrize(
    ("front", "supports"),
    [
        *[("57/100", (57, 100)), ("57 / 100", (57, 100)), ("0/3", (0, 3)), ("0.57", (57, 100)), (".5", (50, 100))],
        *[("1", (100, 100)), ("1.", (100, 100)), ("0.125", (125, 1000)), ("0", (0, 100)), ("", (0, 0))],
    ],
)
def test_supports_or_a_confidence_before_a_rule(front: str, supports: tuple[int, int]) -> None:
    assert parse_rule(f"{front} a(X, Y, T2) <- b(X, Y, T1)")[3:] == supports


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expected an atom such as meet(X, Y, T1) at column 1; found the end"),
        ("nonsense", "Expected an atom such as meet(X, Y, T1) at column 1; found 'nonsense'"),
        ("has relation(X, Y, T2) <- b(X, Y, T1)", "a name with spaces or punctuation needs double quotes"),
        ("a(X, Y, T2) b(X, Y, T1)", "Expected '<-' after the head at column 13; found 'b(X, Y, T1)'"),
        ("a(X, Y, T2) <- ", "Expected an atom such as meet(X, Y, T1) at column 16; found the end"),
        ("a(X, Y, T2) <- b(X, Y)", "at column 16; found 'b(X, Y)'"),
        ("a(X, Y, T3) <- b(X,Z),c(Z,Y,T2)", 'Expected a name in double quotes, "b(X,Z),c"'),
        ("a(X, Y, T2) <- b(X, Y, when)", "at column 16"),
        ("a(X, Y, T2) <- b(X, Y, T1),", "at column 28; found the end"),
        (
            "a(X, Y, T2) <- b(X, Y, T1) c(X, Y, T1)",
            "Expected ',' and another atom, or the end of the rule at column 28",
        ),
        ('"a\\x"(X, Y, T2) <- b(X, Y, T1)', "Expected a name quoted like a JSON string at column 1"),
        ("a(X, Y, T1) <- b(X, Y, T1)", "Expected times that increase from atom to atom"),
        ("a(X, Z, T3) <- b(X, Y, T2), c(Y, Z, T1)", "found T2, T1 in the body and T3 in the head"),
        ("a(X, Z, T3) <- b(Y, Z, T1), c(X, Y, T2)", "so atom 1 must start or end at X; found b(Y, Z, T1)"),
        ("a(X, Z, T3) <- b(X, Y, T1), c(W, Z, T2)", "so atom 2 must start or end at Y; found c(W, Z, T2)"),
        ("a(X, Z, T2) <- b(X, Y, T1)", "a chain from X to Z; it ends at Y"),
        ("7/5 a(X, Y, T2) <- b(X, Y, T1)", "Expected supports such as 57/100"),
        ("0/0 a(X, Y, T2) <- b(X, Y, T1)", "Omit them if they are unknown"),
        ("57 a(X, Y, T2) <- b(X, Y, T1)", "Expected a confidence between 0 and 1 or supports such as 57/100; found 57"),
    ],
)
def test_invalid_rules_are_rejected(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_rule(text)


def test_a_text_file_has_comments_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.rules"  # recognised as text by its content
    path.write_text(
        "\ufeff# mine\r\n\r\n 0.5 a(X, Y, T2) <- b(X, Y, T1) # why not\r\na(X, Y, T2) <- c(X, Y, T1)\r\n", "utf-8"
    )
    assert RuleSet.load(path).rules == (Rule("a", ("b",), (0, 1), 50, 100), Rule("a", ("c",), (0, 1)))


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_file_is_damaged_and_not_without_rules(tmp_path: Path, content: str) -> None:
    path = tmp_path / "some.rules"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"some\.rules is empty"):
        RuleSet.load(path)
    RuleSet([]).save(tmp_path / "none.txt")
    assert len(RuleSet.load(tmp_path / "none.txt")) == 0


def test_errors_in_a_text_file_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# mine\na(X, Y, T2) <- b(X, Y, T1)\na(X, Y, T2)\n", "utf-8")
    with pytest.raises(InputError, match=r"mine.txt line 3: Expected '<-' after the head at column 12; found the end"):
        RuleSet.load(path)
    path.write_text("a(X, Y, T2) <- b(X, Y, T1)\n0.5 a(U, V, T2) <- b(U, V, T1)\n", "utf-8")
    with pytest.raises(InputError, match=r"mine.txt line 2 repeats the rule of line 1; delete one: a\(X, Y, T2\)"):
        RuleSet.load(path)


def test_the_confidence_of_an_unmeasured_rule_is_refused() -> None:
    rule = parse_rule("a(X, Y, T2) <- b(X, Y, T1)")
    assert not rule.is_measured
    with pytest.raises(InputError, match="is unknown; `tlogic measure DATA --rules RULES --out NEW` computes it"):
        _ = rule.confidence
