import json
from pathlib import Path

import pytest

import tlogic
from tests.cli.running import assert_refused, run, run_process
from tlogic.analysis.statistics import statistics


def test_statistics_as_json(world: Path) -> None:
    done = run("stats", world, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == statistics(tlogic.read(world)).to_dict()


def test_statistics_as_tables(world: Path) -> None:
    done = run_process("stats", world, "--quiet", COLUMNS="100")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for words in ("9,392", "facts per step", "seen before", "train", "test", "instruct", "Lantern Pharma"):
        assert words in done.stdout


def test_statistics_of_one_table(world: Path) -> None:
    found = json.loads(run("stats", world / "train.txt", "--json").stdout)
    assert (found["train"], found["valid"], found["test"]) == (9392, 0, 0)
    assert set(found["recurrence"]) == {"train"}


@pytest.mark.parametrize("kind", ["events", "degrees", "recurrence"])
def test_plots_of_data(world: Path, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / "picture.svg"
    done = run("plot", kind, world, "--out", picture)
    assert done.returncode == 0, done.stderr
    assert f"Wrote {picture}" in done.stderr
    assert done.stdout == ""
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_plots_of_rules(rule_file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    done = run("plot", "rules", rule_file, "--out", picture)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stats"], "No data given"),
        (["stats", "nowhere"], "nowhere"),
        (["plot", "events", "nowhere", "--out", "x.pdf"], ".svg or .png"),
        (["plot", "degrees", "nowhere", "--out", "x.svg"], "nowhere"),
        (["plot", "recurrence", "{world}", "--out", "{world}/no/such/x.svg"], "Cannot write"),
        (["plot", "rules", "none.rules", "--out", "x.svg"], "There is no rule file"),
    ],
)
def test_bad_input_ends_with_one_message(world: Path, arguments: list[str], message: str) -> None:
    assert_refused(run(*(argument.format(world=world) for argument in arguments)), message)
