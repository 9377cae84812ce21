import json
from pathlib import Path

from tests.cli.running import assert_refused, run


def test_a_model_is_fitted_and_evaluated(world: Path, rule_file: Path, model_file: Path) -> None:
    figures = json.loads(run("evaluate", world, "--model", model_file, "--json").stdout)
    by_rules = json.loads(run("evaluate", world, "--rules", rule_file, "--json").stdout)
    assert figures["queries"] == by_rules["queries"]
    assert figures["realistic"]["mrr"] > by_rules["realistic"]["mrr"]
    assert "by a model" in run("evaluate", world, "--model", model_file).stdout


def test_one_of_rules_and_model_is_needed(world: Path, rule_file: Path) -> None:
    for options in ([], ["--rules", rule_file, "--model", rule_file]):
        assert_refused(run("evaluate", world, *options), "one of --rules RULES and --model MODEL")
    assert_refused(run("evaluate", world, "--model", rule_file), "is not a model file")


def test_a_model_forecasts_and_tells_why(world: Path, rule_file: Path, model_file: Path) -> None:
    query = ["--subject", "Kite Aviation", "--relation", "sue", "--at", "2031-02-10"]
    asked = ["forecast", world, "--model", model_file, *query]
    text = run(*asked, "--explain", "--quiet")
    assert text.returncode == 0, text.stderr
    assert "Northlight Energy ✓" in text.stdout
    assert "is the sum of:" in text.stdout
    told = json.loads(run(*asked, "--explain", "--json").stdout)
    assert told["by"] == "model"
    assert told["explanations"][0]["contributions"]
    assert_refused(run(*asked, "--picture", "why.svg"), "a model has sums")
    assert_refused(run(*asked, "--rules", rule_file), "one of --rules RULES and --model MODEL")
