from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.strategies import rules
from tlogic import InputError, Rule, RuleSet

RULE = Rule("consult", ("meet", "visit^-1"), (0, 1, 2), 57, 100)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@given(found=st.lists(rules(), max_size=5))
def test_rules_are_restored_from_a_table(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, found: list[Rule]
) -> None:
    path = tmp_path_factory.mktemp("rules") / f"some{suffix}"
    RuleSet(tuple(found)).save(path)
    assert RuleSet.load(path) == RuleSet(tuple(found))


def test_columns_of_a_table(tmp_path: Path) -> None:
    RuleSet((RULE, RULE._replace(rule_support=0, body_support=0))).save(tmp_path / "rules.parquet")
    first, second = pl.read_parquet(tmp_path / "rules.parquet").to_dicts()
    assert first == {
        "rule": "consult(X, Z, T3) <- meet(X, Y, T1), visit^-1(Y, Z, T2)",
        "words": "X consults Z after X meets Y and then Z visits Y",
        "head": "consult",
        "body": ["meet", "visit^-1"],
        "variables": [0, 1, 2],
        "length": 2,
        "confidence": 0.57,
        "rule_support": 57,
        "body_support": 100,
    }
    assert second["confidence"] is None


def test_a_csv_table_holds_lists_as_json(tmp_path: Path) -> None:
    RuleSet((RULE,)).save(tmp_path / "rules.csv")
    (row,) = pl.read_csv(tmp_path / "rules.csv").to_dicts()
    assert (row["body"], row["variables"]) == ('["meet", "visit^-1"]', "[0, 1, 2]")


def test_supports_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('rule\n"a(X, Y, T2) <- b(X, Y, T1)"\n"0.5 a(X, Y, T2) <- c(X, Y, T1)"\n', "utf-8")
    assert [rule[3:] for rule in RuleSet.load(path)] == [(0, 0), (50, 100)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("head,body\na,b\n", "needs a column named rule; found the columns head, body"),
        ('rule\n"a(X, Y, T2)"\n', "row 1: Expected '<-' after the head"),
        (
            'rule,rule_support,body_support\n"a(X, Y, T2) <- b(X, Y, T1)",NaN,5\n',
            "row 1: expected an integer as rule_support; found 'NaN'",
        ),
        ('rule,rule_support\n"a(X, Y, T2) <- b(X, Y, T1)",5\n', "row 1: expected 0 <= rule_support <= body_support"),
        ("", "is not a table of rules"),
    ],
)
def test_broken_tables_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "broken.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        RuleSet.load(path)


def test_other_tables_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("no", "utf-8")
    with pytest.raises(InputError, match="is not a table of rules"):
        RuleSet.load(tmp_path / "broken.parquet")
    with pytest.raises(InputError, match="There is no rule file"):
        RuleSet.load(tmp_path / "none.csv")
