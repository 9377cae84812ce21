from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run


@pytest.mark.parametrize(
    "arguments",
    [
        ["ages", "{model}", "--head", "sue"],
        ["ages", "{model}", "--kind", "chains", "--top", "2"],
        ["weights", "{model}", "--top", "5"],
        ["reliability", "{world}", "--model", "{model}", "--split", "valid", "--quiet"],
    ],
)
def test_plots_of_models(world: Path, model_file: Path, tmp_path: Path, arguments: list[str]) -> None:
    picture = tmp_path / "picture.svg"
    given = [argument.format(model=model_file, world=world) for argument in arguments]
    done = run("plot", *given, "--out", picture)
    assert done.returncode == 0, done.stderr
    assert f"Wrote {picture}" in done.stderr
    assert "<svg" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ages", "none.model", "--out", "x.pdf"], ".svg or .png"),
        (["ages", "none.model", "--out", "x.svg"], "There is no model file"),
        (["ages", "{rules}", "--out", "x.svg"], "is not a model file"),
        (["ages", "{model}", "--head", "seu", "--out", "x.svg"], "No rule has the relation 'seu'"),
        (["ages", "{model}", "--kind", "long", "--out", "x.svg"], "one of rules, chains, acyclic"),
        (["weights", "{rules}", "--out", "x.svg"], "is not a model file"),
        (["reliability", "{world}", "--model", "{rules}", "--out", "x.svg"], "is not a model file"),
        (["rules", "{model}", "--out", "x.svg"], "is not a rule file"),
    ],
)
def test_bad_input_ends_with_one_message(
    world: Path, rule_file: Path, model_file: Path, arguments: list[str], message: str
) -> None:
    given = (argument.format(world=world, rules=rule_file, model=model_file) for argument in arguments)
    assert_refused(run("plot", *given), message)
