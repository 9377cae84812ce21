from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import run, run_process


@pytest.fixture(scope="session")
def new_world(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a sample world to a new folder; its parent folder is free for other files."""

    def write(name: str, *options: object) -> Path:
        folder = tmp_path_factory.mktemp("data") / name
        assert run("sample", "--out", folder, *options).returncode == 0
        return folder

    return write


@pytest.fixture(scope="session")
def world(new_world: Callable[..., Path]) -> Path:
    """The folder of the sample world."""
    return new_world("world")


@pytest.fixture(scope="session")
def rule_file(world: Path) -> Path:
    """Rules of the sample world."""
    path = world.parent / "world.rules"
    done = run("learn", world, "--out", path, "--walks", 50)
    assert done.returncode == 0, done.stderr
    assert "rules" in done.stderr
    assert done.stdout == ""
    return path


@pytest.fixture(scope="session")
def model_file(world: Path) -> Path:
    """A model of the sample world."""
    path = world.parent / "world.model"
    done = run_process("fit", world, "--out", path, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "written to" in done.stderr
    return path
