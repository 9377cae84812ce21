"""`tlogic learn` resumes after it is killed, with the same bytes as an uninterrupted run."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, run, run_process
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def long_world(new_world: Callable[..., Path]) -> Path:
    return new_world("world", "--days", 900)


def partial_of(rules: Path) -> Path:
    return rules.with_name(f"{rules.name}.partial")


def stop_midway(arguments: list[object], rules: Path, how: int) -> str | None:
    """Run a command, stop it once it has stored another chunk, and return its messages; None if it ended first."""
    partial = partial_of(rules)
    before = partial.stat().st_size if partial.exists() else 2000  # no first line is that long
    process = subprocess.Popen([*COMMAND, *map(str, arguments)], stderr=subprocess.PIPE, text=True, encoding="utf-8")
    wait_until(
        lambda: process.poll() is not None or (partial.exists() and partial.stat().st_size > before), pause=0.002
    )
    process.send_signal(how)
    messages = process.communicate()[1]
    assert process.returncode in (0, -how, 128 + how), messages
    return messages if process.returncode else None


def finished_chunks(messages: str) -> int:
    found = re.search(r"Resuming from .*\((\d+) finished chunks\)", messages.replace("\n", " "))
    assert found, messages
    return int(found[1])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_killed_run_resumes_with_the_same_result(long_world: Path, threads: int) -> None:
    rules, uninterrupted = (
        long_world.parent / f"killed{threads}.rules",
        long_world.parent / f"uninterrupted{threads}.rules",
    )
    for walks in (3_000, 12_000, 48_000, 192_000):  # more work if the machine is too fast
        learn = ["learn", long_world, "--walks", walks, "--threads", threads, "--out"]
        if (
            stop_midway([*learn, rules], rules, signal.SIGKILL) is not None
            and stop_midway([*learn, rules, "--resume"], rules, signal.SIGKILL) is not None
        ):
            break
        partial_of(rules).unlink(missing_ok=True)
        rules.unlink(missing_ok=True)
    else:
        pytest.fail("the runs always ended before they could be killed")
    assert not rules.exists()
    done = run_process(*learn, rules, "--resume", "--threads", 3 - threads)
    assert done.returncode == 0, done.stderr
    assert finished_chunks(done.stderr) >= 2  # at least one from each killed run
    assert not partial_of(rules).exists()
    assert run(*learn, uninterrupted).returncode == 0
    assert rules.read_bytes() == uninterrupted.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no interrupts to other processes")
def test_an_interrupted_run_prints_how_to_resume(long_world: Path) -> None:
    rules = long_world.parent / "interrupted.rules"
    for walks in (3_000, 12_000, 48_000, 192_000):
        learn = ["learn", long_world, "--walks", walks, "--out", rules]
        messages = stop_midway(learn, rules, signal.SIGINT)
        if messages is not None:
            break
        rules.unlink(missing_ok=True)
    assert messages is not None
    assert "the same command with --resume continues the run" in messages
    assert "tlogic: interrupted" in messages
    assert "Traceback" not in messages
    kept = partial_of(rules).read_bytes()

    refused = run(*learn)
    assert refused.returncode == 2
    assert "--resume continues it, --no-resume discards it" in refused.stderr
    foreign = run(*learn, "--resume", "--seed", 5)
    assert foreign.returncode == 2
    assert "seed is 12 there and 5 here" in foreign.stderr
    unreadable = run("learn", long_world / "missing", "--out", rules, "--no-resume")
    assert unreadable.returncode == 2
    assert partial_of(rules).read_bytes() == kept, "refused commands must keep the finished work"
    assert not rules.exists()

    anew = run("learn", long_world, "--walks", 20, "--out", rules, "--no-resume")
    assert anew.returncode == 0, anew.stderr
    assert rules.exists()
    assert not partial_of(rules).exists()


def test_nothing_to_resume_is_no_error(long_world: Path) -> None:
    rules = long_world.parent / "fresh.rules"
    learn = ["learn", long_world, "--walks", 20, "--relation", "fine", "--out", rules]
    partial_of(rules).touch()  # killed before it began
    done = run(*learn)
    assert done.returncode == 0, done.stderr
    first = rules.read_bytes()
    done = run(*learn, "--resume")
    assert done.returncode == 0, done.stderr
    assert "There is no unfinished run" in done.stderr.replace("\n", " ")
    assert rules.read_bytes() == first
    assert not partial_of(rules).exists()


def test_a_file_that_is_not_a_checkpoint_is_kept(long_world: Path) -> None:
    rules = long_world.parent / "foreign.rules"
    partial_of(rules).write_text("my notes")
    for more in ([], ["--resume"], ["--no-resume"]):
        done = run("learn", long_world, "--out", rules, *more)
        assert done.returncode == 2
        assert "is not a checkpoint" in done.stderr
    assert partial_of(rules).read_text() == "my notes"
