import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tests.cli.running import COMMAND, assert_refused, run, run_process
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def small_world(new_world: Callable[..., Path]) -> Path:
    return new_world("small world", "--days", 60)


def test_a_search_ends_with_a_report_and_commands(small_world: Path, tmp_path: Path) -> None:
    tune = ["tune", small_world, "--quiet", "--out", tmp_path]
    done = run_process(*tune, "--trials", 3, "--seed", 5, COLUMNS="100")
    assert done.returncode == 0, done.stderr
    assert "The best of 3 trials" in done.stdout
    assert "importance" in done.stdout
    assert f"3 trials; wrote the report to {tmp_path / 'report.html'}" in done.stderr
    assert (tmp_path / "report.html").exists()
    assert len(pl.read_csv(tmp_path / "trials.csv")) == 3
    assert (tmp_path / "figures" / "history.svg").exists()
    measured = (tmp_path / "results.jsonl").read_text("utf-8").splitlines()

    more = json.loads(run(*tune, "--trials", 4, "--seed", 5, "--json").stdout)
    assert len(more["trials"]) == 4
    assert more["best"] == max(more["trials"], key=lambda trial: trial["mrr"])
    assert more["defaults"] == more["trials"][0]
    assert sum(more["importance"].values()) == pytest.approx(1)
    assert (tmp_path / "results.jsonl").read_text("utf-8").splitlines()[: len(measured)] == measured

    for command in more["commands"]:
        assert "--split" not in command
        used = run(*shlex.split(command)[1:], *(["--split", "valid", "--json"] if " evaluate " in command else []))
        assert used.returncode == 0, used.stderr
    assert json.loads(used.stdout)["realistic"]["mrr"] == more["best"]["mrr"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no interrupts to other processes")
def test_an_interrupted_run_prints_how_to_resume(small_world: Path, tmp_path: Path) -> None:
    tune = ["tune", small_world, "--grid", "paper", "--out", tmp_path]
    process = subprocess.Popen([*COMMAND, *map(str, tune)], stderr=subprocess.PIPE, text=True, encoding="utf-8")
    results = tmp_path / "results.jsonl"
    wait_until(lambda: process.poll() is not None or (results.exists() and results.read_bytes().count(b"\n") > 60))
    process.send_signal(signal.SIGINT)
    messages = process.communicate()[1]
    assert process.returncode == 130, messages
    assert f"Results are cached in {tmp_path}: the same command resumes the run." in messages
    assert "Traceback" not in messages


def test_bad_input_ends_with_one_message(small_world: Path, tmp_path: Path) -> None:
    tune = ["tune", small_world, "--quiet", "--out", tmp_path]
    assert_refused(run(*tune, "--grid", "paper", "--trials", 3), "Both grid and trials are given")
    assert_refused(run("tune", small_world / "train.txt", "--quiet", "--out", tmp_path), "no validation facts")
    (tmp_path / "file").touch()
    assert_refused(run("tune", small_world, "--quiet", "--out", tmp_path / "file"), "is not a folder")
