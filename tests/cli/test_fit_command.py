import json
from pathlib import Path

from tests.cli.running import assert_refused, run


def test_a_model_is_fitted_and_evaluated(world: Path, rule_file: Path, model_file: Path) -> None:
    figures = json.loads(run("evaluate", world, "--model", model_file, "--json").stdout)
    by_rules = json.loads(run("evaluate", world, "--rules", rule_file, "--json").stdout)
    assert figures["queries"] == by_rules["queries"]
    assert figures["realistic"]["mrr"] > by_rules["realistic"]["mrr"]
    assert "by a model" in run("evaluate", world, "--model", model_file).stdout


def test_only_one_of_rules_and_model_is_used(world: Path, rule_file: Path) -> None:
    both = ["--rules", rule_file, "--model", rule_file]
    for command in ("evaluate", "forecast"):
        assert_refused(run(command, world, *both), "Found both --rules and --model; give only one of them.")


def test_a_file_of_the_other_kind_is_refused(world: Path, rule_file: Path, model_file: Path, tmp_path: Path) -> None:
    text = tmp_path / "some.txt"
    text.write_text("3/4 sue(X, Y, T2) <- bid_for^-1(X, Y, T1)\n")
    for path in (rule_file, text):
        refused = run("evaluate", world, "--model", path)
        assert_refused(refused, f"{path} is a rule file, not a model file; give it as --rules {path}.")
    refused = run("evaluate", world, "--rules", model_file)
    assert_refused(refused, f"{model_file} is a model file, not a rule file; give it as --model {model_file}.")
    assert_refused(run("evaluate", world, "--model", world / "README.txt"), "is not a model file")
    assert_refused(run("evaluate", world, "--model", "none.model"), "There is no model file none.model")


def test_an_evaluation_shows_how_far_probabilities_come_true(world: Path, model_file: Path, rule_file: Path) -> None:
    table = "Do the probabilities come true?"
    assert table in run("evaluate", world, "--model", model_file, "--quiet").stdout
    assert table not in run("evaluate", world, "--rules", rule_file, "--quiet").stdout


def test_a_model_forecasts_and_explains(world: Path, rule_file: Path, model_file: Path, tmp_path: Path) -> None:
    query = ["--subject", "Kite Aviation", "--relation", "sue", "--at", "2031-02-10"]
    command = ["forecast", world, "--model", model_file, *query]
    text = run(*command, "--explain", "--quiet")
    assert text.returncode == 0, text.stderr
    assert "Northlight Energy ✓" in text.stdout
    assert "is the sum of:" in text.stdout
    found = json.loads(run(*command, "--explain", "--json").stdout)
    assert found["by"] == "model"
    assert found["explanations"][0]["contributions"]
    assert run(*command, "--picture", tmp_path / "why.svg").returncode == 0
    picture = (tmp_path / "why.svg").read_text("utf-8")
    facts = [fact for part in found["explanations"][0]["contributions"][:1] for fact in part["facts"]]
    assert facts
    assert all(fact["time"] in picture for fact in facts)
    assert "probability" in picture
    assert_refused(run(*command, "--rules", rule_file), "Found both --rules and --model")
