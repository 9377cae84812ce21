"""`tlogic forecast --over`: why a model ranks one candidate above another."""

import json
from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run

QUERY = ["--subject", "Kite Aviation", "--relation", "sue", "--at", "2031-02-10", "--quiet"]
ONE, OTHER = "Northlight Energy", "Corvan Railways"


def test_a_candidate_is_compared_with_another(world: Path, model_file: Path) -> None:
    command = ["forecast", world, "--model", model_file, *QUERY, "--explain", "--candidate", ONE, "--over", OTHER]
    done = run(*command, "--reasons", 2)
    assert done.returncode == 0, done.stderr
    assert f"Why {ONE} over {OTHER} for (Kite Aviation, sue, ?, 2031-02-10)?" in done.stdout
    assert "The difference of scores +" in done.stdout
    assert done.stdout.count("against: ") == 2
    assert "other kinds of evidence" in done.stdout
    [compared] = json.loads(run(*command, "--json", "--groundings", 2).stdout)["comparisons"]
    assert (compared["one"]["candidate"], compared["other"]["candidate"]) == (ONE, OTHER)
    weights = [each["weight"] for each in compared["differences"]]
    assert sum(weights) == pytest.approx(compared["difference"])
    assert compared["difference"] == pytest.approx(compared["one"]["score"] - compared["other"]["score"])
    assert max(len(each["facts"]) for each in compared["one"]["contributions"]) == 2


def test_a_candidate_in_two_spellings_is_compared_once(world: Path, model_file: Path) -> None:
    both = ["--candidate", ONE, "--candidate", ONE.lower().replace(" ", "_")]
    done = run("forecast", world, "--model", model_file, *QUERY, *both, "--over", OTHER)
    assert done.stdout.count(f"Why {ONE} over {OTHER}") == 1, done.stderr


def test_one_that_is_no_candidate_has_no_difference(world: Path, model_file: Path) -> None:
    found = json.loads(run("forecast", world, "--model", model_file, *QUERY, "--top", 1000, "--json").stdout)
    entities = {
        name for line in (world / "train.txt").read_text("utf-8").splitlines() for name in line.split("\t")[:3:2]
    }
    nobody = sorted(entities - {each["name"] for each in found["candidates"]})[0]
    command = ["forecast", world, "--model", model_file, *QUERY, "--candidate", ONE, "--over", nobody]
    assert f"{nobody} is not among the" in run(*command).stdout
    assert json.loads(run(*command, "--json").stdout)["comparisons"][0]["difference"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rules", "{rules}", "--candidate", ONE, "--over", OTHER], "a model instead of --rules"),
        (["--model", "{model}", "--explain", "--over", OTHER], "--over NAME needs a --candidate NAME"),
        (["--model", "{model}", "--candidate", ONE, "--over", "Nobody Known"], "Unknown entity 'Nobody Known'"),
    ],
)
def test_bad_input_ends_with_one_message(
    world: Path, rule_file: Path, model_file: Path, options: list[str], message: str
) -> None:
    given = [option.format(rules=rule_file, model=model_file) for option in options]
    assert_refused(run("forecast", world, *QUERY, *given), message)
