"""Commands without rules or a model fit one, once, and only to facts before what they forecast."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run

QUERY = ["--subject", "Kite Aviation", "--relation", "sue"]
FITTING = "No --model or --rules given: fitting a scorecard to the data."


@pytest.fixture(scope="module")
def small_world(new_world: Callable[..., Path]) -> Path:
    """A small sample world: models for it are fitted in a second."""
    return new_world("small", "--days", 90)


@pytest.mark.parametrize(
    "command",
    [
        ["forecast", "{world}", *QUERY],
        ["evaluate", "{world}"],
        ["outlook", "{world}", "--top", "3"],
        ["surprises", "{world}", "--since", "2030-03-30", "--top", "3"],
        ["backtest", "{world}", "--every", "5"],
    ],
    ids=lambda command: command[0],
)
def test_a_model_is_fitted_once(small_world: Path, tmp_path: Path, command: list[str]) -> None:
    words = [word.format(world=small_world) for word in command]
    first, second = (run(*words, "--quiet", TLOGIC_CACHE=str(tmp_path)) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert FITTING in first.stderr
    assert "kept in the cache" in first.stderr
    assert FITTING not in second.stderr
    assert _without_times(second.stdout) == _without_times(first.stdout)


def _without_times(output: str) -> list[str]:
    return [line for line in output.splitlines() if " s" not in line and "memory" not in line]


def test_a_damaged_model_in_the_cache_is_fitted_again(small_world: Path, tmp_path: Path) -> None:
    command = ["forecast", small_world, *QUERY, "--quiet"]
    first = run(*command, TLOGIC_CACHE=str(tmp_path))
    [cached] = tmp_path.glob("*.model")
    cached.write_text(cached.read_text("utf-8")[:1000], "utf-8")
    second = run(*command, TLOGIC_CACHE=str(tmp_path))
    assert FITTING in second.stderr
    assert second.stdout == first.stdout


def test_without_a_cache_the_model_is_not_kept(small_world: Path) -> None:
    done = run("forecast", small_world, *QUERY, "--quiet", TLOGIC_CACHE="off")
    assert done.returncode == 0, done.stderr
    assert "The cache is off" in done.stderr


def test_later_facts_do_not_influence_the_model(small_world: Path, tmp_path: Path) -> None:
    """The forecast for a day in the past is the same if everything from that day on is different."""
    other = tmp_path / "other"
    shutil.copytree(small_world, other)
    day = "2030-02-20"
    for file in sorted(other.glob("*.txt")):
        if file.stem in {"train", "valid", "test"}:
            lines = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
            changed = [[s, r, o, t] if t < day else [o, r, s, t] for s, r, o, t in lines]
            file.write_text("".join("\t".join(line) + "\n" for line in changed), "utf-8")
    forecasts = [
        run("forecast", data, *QUERY, "--at", day, "--top", 20, "--quiet", "--json", TLOGIC_CACHE="off")
        for data in (small_world, other)
    ]
    candidates = [done.stdout.partition('"candidates"')[2].partition("]")[0] for done in forecasts]
    assert candidates[0]
    assert candidates[0] == candidates[1]
    assert "may reflect facts" not in forecasts[0].stderr


def test_a_model_needs_earlier_facts(small_world: Path) -> None:
    first = "2030-01-01"
    assert_refused(run("forecast", small_world, *QUERY, "--at", first, "--quiet"), f"no facts before {first}")
    assert_refused(run("surprises", small_world, "--since", first, "--quiet"), f"no facts before {first} to fit")


@pytest.mark.parametrize("command", [["forecast", "--relation", "sue", "--subject"], ["outlook", "--entity"]])
def test_unknown_names_are_reported_before_a_model_is_fitted(small_world: Path, command: list[str]) -> None:
    done = run(command[0], small_world, *command[1:], "Kite Avation", "--quiet", TLOGIC_CACHE="off")
    assert_refused(done, "did you mean 'Kite Aviation'")
    assert FITTING not in done.stderr


def test_validation_facts_are_forecast_from_training_facts(small_world: Path, tmp_path: Path) -> None:
    fitted = [
        run("evaluate", small_world, "--split", split, "--quiet", TLOGIC_CACHE=str(tmp_path)).stderr
        for split in ("valid", "test")
    ]
    sizes = [text.partition("fitted to ")[2].partition(" facts")[0] for text in fitted]
    n_train, n_valid = (
        len((small_world / f"{name}.txt").read_text("utf-8").splitlines()) for name in ("train", "valid")
    )
    assert sizes == [f"{n_train:,}", f"{n_train + n_valid:,}"]
