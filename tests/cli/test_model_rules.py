"""`tlogic rules MODEL`: the counted rules of a model are browsed like those of a rule file."""

import json
from pathlib import Path

import pytest
from rich.console import Console

import tlogic
from tests.cli.running import assert_refused, run
from tlogic.rules import parse_rule
from tlogic.sealing import seal

SUED = "sue(X, Y, T2) <- bid_for^-1(X, Y, T1)"


def show(*arguments: object) -> str:
    done = run("rules", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rules_are_shown_with_their_probability_by_age(model_file: Path) -> None:
    [line] = show(model_file, "--head", "sue", "--top", 1).splitlines()
    [rule] = [rule for rule in tlogic.Model.load(model_file).rules if str(rule) == SUED]
    by_age = ", ".join(f"{age}: {rule.at(age):.1%}" for age in (1, 7, 30, 120))
    assert line.split()[0] == f"{rule.rule_support}/{rule.body_support}"
    assert line.endswith(f" {SUED}  # by age in days {by_age}; X sues Y after Y bids for X")
    parsed = parse_rule(line)
    assert (parsed.rule_support, parsed.body_support) == (rule.rule_support, rule.body_support)
    assert show(model_file, "--head", "sue", "--top", 1, "--logic").endswith(f" {SUED}\n")
    words = show(model_file, "--head", "sue", "--top", 1, "--words")
    assert words.startswith(f"{rule.confidence:.3f}    X sues Y after Y bids for X; by age in days 1: ")


def test_rules_are_selected_and_sorted(model_file: Path) -> None:
    rules = tlogic.Model.load(model_file).rules
    assert show(model_file, "--logic").count("\n") == len(rules)
    chains = [rule for rule in rules if rule.kind == "chains"]
    assert show(model_file, "--logic", "--length", 2).count("\n") == len(chains)
    assert show(model_file, "--logic", "--kind", "chains").count("\n") == len(chains)
    assert "<- bid_for(Y, Z, T1)" in show(model_file, "--logic", "--kind", "acyclic", "--head", "sue", "--top", 1)
    assert SUED in show(model_file, "--logic", "--body", "bid_for^-1", "--head", "sue", "--min-confidence", 0.5)
    assert show(model_file, "--logic", "--min-support", 10**9) == ""
    most = show(model_file, "--logic", "--sort", "support", "--top", 1)
    assert most.startswith(f"{max(rule.rule_support for rule in rules)}/")


def test_rules_as_json(model_file: Path) -> None:
    found = json.loads(show(model_file, "--json", "--head", "sue", "--top", 1))
    assert found["step"] == "1 day"
    assert found["total"] > found["selected"] > 1
    [rule] = found["rules"]
    assert (rule["rule"], rule["kind"], rule["length"]) == (SUED, "rules", 1)
    assert rule["by_age"][0]["ages"] == [[1, 1]]
    assert rule["by_age"][-1]["ages"] == [[731, None]]
    assert sum(bucket["hits"] for bucket in rule["by_age"]) == rule["rule_support"]


def test_a_terminal_gets_a_table(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tlogic.cli.console.console", Console(force_terminal=True, no_color=True, width=150))
    done = run("rules", model_file, "--head", "sue", "--top", 3)
    assert "by age in days" in done.stdout
    assert SUED in done.stdout
    assert "3 of" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--head", "seu"], "No rule has the relation 'seu'; did you mean"),
        (["--kind", "long"], "one of rules, chains, acyclic, not 'long'"),
        (["--out", "some.txt"], "is a model; --compare, --merge, --out and --ids are for rule files"),
        (["--logic", "--words"], "Found both --logic and --words"),
        (["--length", "one"], "Expected integers"),
    ],
)
def test_bad_input_ends_with_one_message(model_file: Path, options: list[str], message: str) -> None:
    assert_refused(run("rules", model_file, *options), message)


def test_files_of_the_other_kind(rule_file: Path, tmp_path: Path) -> None:
    assert_refused(run("rules", rule_file, "--kind", "chains"), "--kind is for the rules of a model")
    damaged = tmp_path / "some.model"
    damaged.write_text(seal('{\n "format": "tlogic model", "version": 5}'))
    assert_refused(run("rules", damaged), "is a damaged model file")
