"""`tlogic index --model`: commands open the memories beside a compiled graph, and learn nothing anew."""

import shutil
from pathlib import Path

import pytest

import tlogic
from tests.cli.running import assert_refused, run

MEMORIES = ("world.memory", "world.test.memory")
COMMANDS = {
    "forecast": ["--subject", "Kite Aviation", "--relation", "sue", "--explain"],
    "evaluate": ["--json"],
}


@pytest.fixture(scope="module")
def indexed(world: Path, model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled graph of the sample world, with memories beside it."""
    path = tmp_path_factory.mktemp("indexed") / "world.graph"
    done = run("index", world, "--out", path, "--model", model_file, "--quiet", TLOGIC_CACHE="off")
    assert done.returncode == 0, done.stderr
    for name in MEMORIES:
        assert f"Wrote a memory to {path.parent / name}, 4." in done.stderr
    assert {file.name for file in path.parent.iterdir()} == {path.name, *MEMORIES}
    return path


@pytest.fixture
def graph(indexed: Path, tmp_path: Path) -> Path:
    """A copy of the graph and its memories."""
    return Path(shutil.copytree(indexed.parent, tmp_path / "copy"), indexed.name)


def result(command: str, graph: Path, model: Path) -> str:
    """What a command prints without a cache, apart from durations."""
    done = run(command, graph, "--model", model, *COMMANDS[command], "--quiet", TLOGIC_CACHE="off")
    assert done.returncode == 0, done.stderr
    return done.stdout.partition('"seconds"')[0]


def forget(graph: Path) -> None:
    for name in MEMORIES:
        graph.with_name(name).unlink()


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_learn_nothing_anew(command: str, graph: Path, model_file: Path, n_added: list[int]) -> None:
    found = result(command, graph, model_file)
    n_learned = sum(n_added)
    forget(graph)
    del n_added[:]
    assert result(command, graph, model_file) == found
    n_facts, n_test = 11_751, 1_120
    assert n_learned == sum(n_added) - (n_facts if command == "forecast" else n_facts - n_test)


@pytest.mark.parametrize("at", [0, 60, 5_000, -1])
def test_damaged_memories_are_ignored(graph: Path, model_file: Path, n_added: list[int], at: int) -> None:
    expected = result("forecast", graph, model_file)
    for name in MEMORIES:
        content = bytearray(graph.with_name(name).read_bytes())
        content[at] ^= 1
        graph.with_name(name).write_bytes(content)
    damaged = graph.with_name(MEMORIES[0]).read_bytes()
    assert result("forecast", graph, model_file) == expected
    assert sum(n_added) == 11_751
    assert graph.with_name(MEMORIES[0]).read_bytes() == damaged


def test_memories_of_other_facts_are_ignored(graph: Path, model_file: Path, tmp_path: Path) -> None:
    assert run("sample", "--out", tmp_path / "other", "--seed", 8).returncode == 0
    assert run("index", tmp_path / "other", "--out", graph, "--quiet").returncode == 0
    found = result("forecast", graph, model_file)
    forget(graph)
    assert found == result("forecast", graph, model_file)


def test_memories_of_other_models_are_ignored(graph: Path, n_added: list[int]) -> None:
    read = tlogic.read(graph)
    short = tlogic.fit(read.before(100), evidence=["pair"])
    long = tlogic.fit(read, evidence=["pair"])
    assert short.memory_settings.half_lives != long.memory_settings.half_lives
    tlogic.index(read, graph, model=long)
    for model, n_expected in ((long, 0), (short, 11_751)):
        del n_added[:]
        tlogic.forecast(tlogic.read(graph), model, [("Kite Aviation", "sue")])
        assert sum(n_added) == n_expected


def test_other_periods_use_the_memory_of_all_facts(graph: Path, model_file: Path, n_added: list[int]) -> None:
    words = ["--model", model_file, *COMMANDS["forecast"], "--test-from", "2031-01-01", "--quiet"]
    assert run("forecast", graph, *words, TLOGIC_CACHE="off").returncode == 0
    assert sum(n_added) == 0


def test_index_replaces_memories_but_no_other_file(
    world: Path, graph: Path, model_file: Path, n_added: list[int]
) -> None:
    first, second = (graph.with_name(name) for name in MEMORIES)
    first.write_bytes(first.read_bytes()[:-1])
    words = ["index", world, "--out", graph, "--model", model_file, "--quiet"]
    assert run(*words).returncode == 0
    del n_added[:]
    result("forecast", graph, model_file)
    assert sum(n_added) == 0
    second.write_text("notes")
    before = [file.read_bytes() for file in (graph, first, second)]
    assert_refused(run(*words), "world.test.memory is not a memory file and would be overwritten")
    assert [file.read_bytes() for file in (graph, first, second)] == before


def test_index_refuses_what_is_no_model(world: Path, rule_file: Path, tmp_path: Path) -> None:
    for model, message in ((rule_file, "is not a model file"), ("none.model", "There is no model file")):
        assert_refused(run("index", world, "--out", tmp_path / "x.graph", "--model", model), message)
    assert not list(tmp_path.iterdir())


def test_a_graph_without_a_test_period_has_one_memory(world: Path, model_file: Path, tmp_path: Path) -> None:
    done = run("index", world / "train.txt", "--out", tmp_path / "facts", "--model", model_file, "--quiet")
    assert done.returncode == 0, done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"facts", "facts.memory"}
