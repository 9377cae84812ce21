import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run, run_process


def test_learning_twice_and_with_other_threads_gives_the_same_bytes(world: Path, rule_file: Path) -> None:
    again = world.parent / "again.rules"
    assert run_process("learn", world, "--out", again, "--walks", 50, "--threads", 1).returncode == 0
    assert again.read_bytes() == rule_file.read_bytes()


def test_evaluation_prints_one_json_object(world: Path, rule_file: Path) -> None:
    done = run_process("evaluate", world, "--rules", rule_file, "--json")
    figures = json.loads(done.stdout)
    assert set(figures) == {
        *("queries", "no_candidates", "optimistic", "realistic", "pessimistic"),
        *("splits", "settings", "seconds", "peak_mb"),
    }
    assert set(figures["realistic"]) == {"mrr", "hits@1", "hits@3", "hits@10"}
    assert figures["queries"] == 2 * figures["splits"]["test"]
    assert figures["pessimistic"]["mrr"] <= figures["realistic"]["mrr"] <= figures["optimistic"]["mrr"]


def test_a_dataset_is_found_by_name(world: Path, rule_file: Path) -> None:
    options = ["--split", "valid", "--window", 30, "--lengths", "1,3", "--stop", "text", "--filter", "static"]
    done = run("evaluate", "world", "--rules", rule_file, *options, "--multi-step", TLOGIC_DATA=str(world.parent))
    assert done.returncode == 0, done.stderr
    assert "realistic" in done.stdout


def test_one_file_is_split_by_date(world: Path, rule_file: Path) -> None:
    single = world.parent / "all.tsv"
    single.write_text(
        "".join((world / f"{name}.txt").read_text(encoding="utf-8") for name in ("train", "valid", "test"))
    )
    split = ["--valid-from", "2030-12-27", "--test-from", "2031-02-10"]
    parts = [
        run("evaluate", data, "--rules", rule_file, "--json", *more) for data, more in ((single, split), (world, []))
    ]
    figures = [json.loads(part.stdout) for part in parts]
    assert figures[0]["splits"] == figures[1]["splits"]
    assert figures[0]["realistic"] == figures[1]["realistic"]


def test_rules_for_one_relation_are_those_of_the_full_run(world: Path, rule_file: Path) -> None:
    path = world.parent / "fine.rules"
    assert (
        run("learn", world, "--out", path, "--walks", 50, "--relation", "fine", "--relation", "sue^-1").returncode == 0
    )
    some, every = (json.loads(file.read_text(encoding="utf-8"))["rules"] for file in (path, rule_file))
    assert some == [rule for rule in every if rule["head"] in ("fine", "sue^-1")]
    assert some


def test_longer_rules_are_learned_and_applied(world: Path) -> None:
    path = world.parent / "long.rules"
    assert run("learn", world, "--out", path, "--walks", 30, "--lengths", "1,4,5", "--relation", "fine").returncode == 0
    lengths = {len(rule["body"]) for rule in json.loads(path.read_text(encoding="utf-8"))["rules"]}
    assert lengths == {1, 4, 5}
    assert run("evaluate", world, "--rules", path, "--json", "--max-groundings", 20).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "nowhere", "--out", "x.rules"], "nowhere"),
        (["learn", "{world}", "--out", "x.rules", "--lengths", "one"], "integers separated"),
        (["learn", "{world}", "--out", "x.rules", "--lengths", "0"], "1 or more"),
        (["learn", "{world}", "--out", "x.rules", "--relation", "fines"], "did you mean 'fine'"),
        (["learn", "{world}", "--out", "{world}/no/such/x.rules", "--walks", "1"], "Cannot write"),
        (["evaluate", "{world}", "--rules", "none.rules"], "There is no rule file"),
        (["evaluate", "{world}", "--rules", "{rules}", "--window", "some"], "number of time steps or 'all'"),
        (["evaluate", "{world}", "--rules", "{rules}", "--alpha", "2"], "between 0 and 1"),
        (["evaluate", "{world}/train.txt", "--rules", "{rules}"], "no test facts"),
    ],
)
def test_bad_input_ends_with_one_message(world: Path, rule_file: Path, arguments: list[str], message: str) -> None:
    assert_refused(run(*(argument.format(world=world, rules=rule_file) for argument in arguments)), message)


@pytest.mark.parametrize("command", [["sample"], ["rules", "{rules}"], ["tune", "{world}", "--trials", "1"]])
def test_an_empty_output_path_is_refused(
    world: Path, rule_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(run(*(word.format(world=world, rules=rule_file) for word in command), "--out", ""), "--out is empty")
    assert not list(tmp_path.iterdir())


def test_a_loop_of_links_is_refused(world: Path, rule_file: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert_refused(run("stats", loop), f"{loop} is a link that leads to no file or folder")
    assert_refused(run("sample", "--out", loop), f"Cannot create the folder {loop}")
    assert_refused(run("index", world, "--out", loop), f"Cannot write {loop}: Too many levels")
    assert_refused(run("rules", rule_file, "--out", loop), f"Cannot write {loop}: Too many levels")
    assert_refused(run("rules", loop), f"{loop} is not a rule file")


def test_a_process_ends_with_the_code_and_the_message(world: Path) -> None:
    assert_refused(run_process("learn", world, "--out", "x.rules", "--relation", "fines"), "did you mean 'fine'")


def test_the_demo_recovers_every_planted_rule() -> None:
    done = run_process("demo", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "8 of 8 planted rules" in done.stdout
    assert "not found" not in done.stdout
    rows = {row.split("│")[1].strip(): row.split("│")[2] for row in done.stdout.splitlines() if row.count("│") > 5}
    assert float(rows["model"]) > float(rows["rules"]) > float(rows["fallback alone"])
    assert "Why " in done.stdout
    assert "tlogic demo --serve" in done.stderr


def test_help_does_not_load_the_engine() -> None:
    code = "import sys, tlogic, tlogic.cli.app; sys.exit(not {'numba', 'numpy', 'polars'}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("command", [[], ["evaluate"], ["plot"], ["plot", "ages"], ["events", "remove"]])
def test_help_shows_no_type_for_flags(command: list[str]) -> None:
    page = run(*command, "--help").stdout
    assert "--help" in page
    assert "bool" not in page.lower()


def test_experiments_run_on_other_data(world: Path, tmp_path: Path) -> None:
    done = run("reproduce", "--on", world, "--only", "lengths", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert "Wrote the report to" in done.stderr
    assert "## Rule lengths" in done.stdout
    assert "tlogic learn icews14 --out icews14.rules" in done.stdout
    assert "Rule lengths" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert_refused(run("reproduce", "--only", "length", "--out", tmp_path), "did you mean 'lengths'")


def test_statistics_of_other_data_need_no_test_facts(world: Path, tmp_path: Path) -> None:
    done = run("reproduce", "--on", world / "train.txt", "--only", "statistics", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert "Dataset statistics" in done.stdout
