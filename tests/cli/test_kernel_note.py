"""Commands say that they compile kernels, unless all of them are stored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tlogic.cli import console
from tlogic.forecasting.application import apply_rules
from tlogic.models.softmax import scores_of
from tlogic.serving.engine.entity_history import entity_edges

NOTE = "Compiling the kernels"
QUERY = ["--subject", "Kite Aviation", "--relation", "sue"]
COMMANDS = [
    ["fit", "{world}", "--out", "{folder}/x.model"],
    ["index", "{world}", "--out", "{folder}/x.graph", "--model", "{model}"],
    ["forecast", "{world}", "--model", "{model}", *QUERY],
    ["forecast", "{world}", "--rules", "{rules}", *QUERY],
    ["evaluate", "{world}", "--model", "{model}"],
    ["serve", "--store", "{folder}/x.db", "--model", "{model}"],
    ["serve", "--store", "{folder}/x.db", "--rules", "{rules}"],
]


@pytest.fixture
def run_in(
    world: Path, model_file: Path, rule_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[str]], str]:
    """Runs a command and returns its messages; a service is opened but does not wait for requests."""

    def serve(open_service: Callable[[], Any], *_: object, **__: object) -> None:
        open_service().live_store.store.close()

    monkeypatch.setattr("tlogic.serving.server.serve", serve)
    places = {"world": world, "model": model_file, "rules": rule_file, "folder": tmp_path}

    def run_command(words: list[str]) -> str:
        done = run(*(word.format(**places) for word in words))
        assert done.returncode == 0, done.stderr
        return done.stderr

    return run_command


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:1] + command[-2:-1]))
def test_commands_say_that_they_compile(
    run_in: Callable[[list[str]], str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(console, "_is_compiled", lambda _: False)
    assert run_in(command).count(NOTE) == 1
    monkeypatch.setattr(console, "_is_compiled", lambda _: True)
    assert NOTE not in run_in(command)


@pytest.mark.parametrize(
    ("option", "missing", "is_noted"),
    [("model", scores_of, True), ("model", apply_rules, False), ("rules", apply_rules, True)]
    + [(option, entity_edges, True) for option in ("model", "rules")],
)
def test_a_service_names_the_kernels_it_needs(
    run_in: Callable[[list[str]], str], monkeypatch: pytest.MonkeyPatch, option: str, missing: Any, is_noted: bool
) -> None:
    monkeypatch.setattr(console, "_is_compiled", lambda kernel: kernel is not missing)
    command = ["serve", "--store", "{folder}/x.db", f"--{option}", f"{{{option}}}"]
    assert (NOTE in run_in(command)) == is_noted


def test_a_kernel_without_a_stored_version_is_not_compiled(tmp_path: Path) -> None:
    class Stats:
        cache_path = str(tmp_path)

    class Kernel:
        py_func, stats = scores_of.py_func, Stats

    assert not console._is_compiled(Kernel)
    (tmp_path / "softmax.scores_of-1.py311.nbi").touch()
    assert console._is_compiled(Kernel)
