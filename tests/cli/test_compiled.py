"""A compiled graph as DATA: every command gives the same result as from the text, or a clear error."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run
from tlogic.serving.store.event_store import EventStore

QUERY = ["--relation", "sue", "--subject", "Kite Aviation"]
PERIODS = ["--valid-from", "2031-01-01", "--test-from", "2031-02-01"]
TIMED = {".jsonl", ".html", ".svg", ".db"}
"""Suffixes of files that hold times or durations, which differ between runs."""

COMMANDS = [
    ["learn", "{data}", "--out", "{out}/rules", "--walks", "20"],
    ["learn", "{data}", "--out", "{out}/rules", "--walks", "10", "--confidence", "exact", "--relation", "sue"],
    ["learn", "{data}", "--out", "{out}/rules", "--walks", "10", *PERIODS],
    ["measure", "{data}", "--rules", "{rules}", "--out", "{out}/rules"],
    ["evaluate", "{data}", "--rules", "{rules}", "--json"],
    ["evaluate", "{data}", "--rules", "{rules}", "--json", "--split", "valid", "--filter", "static", "--multi-step"],
    ["evaluate", "{data}", "--rules", "{rules}", "--json", *PERIODS],
    ["evaluate", "{data}", "--model", "{model}", "--json"],
    ["forecast", "{data}", "--rules", "{rules}", *QUERY, "--explain", "--picture", "{out}/why.png"],
    ["forecast", "{data}", "--rules", "{rules}", *QUERY, "--at", "2031-03-01", "--explain", "--json"],
    ["forecast", "{data}", "--rules", "{rules}", "--queries", "{queries}", "--out", "{out}/answers.parquet"],
    ["forecast", "{data}", "--model", "{model}", *QUERY, "--explain"],
    ["forecast", "{data}", "--model", "{model}", "--queries", "{queries}"],
    ["stats", "{data}"],
    ["stats", "{data}", "--json", "--test-from", "2031-03-01"],
    ["plot", "events", "{data}", "--out", "{out}/events.png"],
    ["plot", "degrees", "{data}", "--out", "{out}/degrees.png"],
    ["plot", "recurrence", "{data}", "--out", "{out}/recurrence.png"],
    ["plot", "reliability", "{data}", "--model", "{model}", "--out", "{out}/reliability.png"],
    ["tune", "{data}", "--trials", "2", "--out", "{out}/tuning", "--json"],
    ["reproduce", "--on", "{data}", "--only", "statistics", "--only", "lengths", "--out", "{out}/report"],
    ["ingest", "{data}", "--store", "{out}/events.db"],
]


@pytest.fixture(scope="module")
def graph(world: Path) -> Path:
    """The compiled graph of the sample world."""
    path = world.parent / "world.graph"
    done = run("index", world, "--out", path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.csv"
    path.write_text("subject,relation,object,at\nKite Aviation,sue,,2031-03-01\n,sue,Kite Aviation,\n")
    return path


def results(command: list[str], data: Path, out: Path, **files: Path) -> tuple[str, dict[str, bytes]]:
    """The output and the files of a command, without file names and durations."""
    out.mkdir()
    done = run(*(word.format(data=data, out=out, **files) for word in command), TLOGIC_CACHE="off")
    assert done.returncode == 0, done.stderr
    printed = done.stdout.replace(str(out), "OUT").replace(str(data), "DATA")
    printed = re.sub(r'"seconds": \{[^}]*\}|"peak_mb": [\d.]+', "", printed)
    lasting = (path for path in out.rglob("*") if path.is_file() and path.suffix not in TIMED)
    name = str(data).encode()
    return printed, {str(path.relative_to(out)): path.read_bytes().replace(name, b"DATA") for path in lasting}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:5]))
def test_every_command_gives_the_same_from_a_graph(
    world: Path, graph: Path, rule_file: Path, model_file: Path, queries: Path, tmp_path: Path, command: list[str]
) -> None:
    files = {"rules": rule_file, "model": model_file, "queries": queries}
    from_text, from_graph = (results(command, data, tmp_path / data.name, **files) for data in (world, graph))
    assert from_graph == from_text
    assert any(from_text)


def test_the_model_of_a_graph_is_that_of_the_text(graph: Path, model_file: Path, tmp_path: Path) -> None:
    assert run("fit", graph, "--out", tmp_path / "graph.model", "--quiet").returncode == 0
    assert (tmp_path / "graph.model").read_bytes() == model_file.read_bytes()


def test_the_report_names_the_files_of_the_graph(world: Path, graph: Path) -> None:
    reports = [run("stats", data, TLOGIC_CACHE="off").stderr for data in (world, graph)]
    assert reports[0] == reports[1]
    assert f"{world}/train.txt: 9,392 facts" in reports[1]


def test_a_graph_of_a_graph_is_the_same(world: Path, graph: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.graph"
    assert run("index", graph, "--out", again).returncode == 0
    assert results(["stats", "{data}"], again, tmp_path / "one") == results(
        ["stats", "{data}"], world, tmp_path / "two"
    )


def test_a_graph_is_ingested_like_the_text(world: Path, graph: Path, tmp_path: Path) -> None:
    stores = [tmp_path / "text.db", tmp_path / "graph.db"]
    for data, store in zip((world, graph), stores, strict=True):
        assert run("ingest", data, "--store", store, "--quiet").returncode == 0
    assert events_in(stores[0]) == events_in(stores[1])
    for data, store in zip((graph, world), stores, strict=True):
        assert run("ingest", data, "--store", store).stdout.startswith("0 events added")


def events_in(store: Path) -> set[tuple[str, str, str, str]]:
    with EventStore.open(store) as kept:
        changes = kept.changes_since(0, 0, 0)
    timeline = changes.state.timeline
    assert timeline is not None
    numbers = zip(changes.events.subject, changes.events.relation, changes.events.object, strict=True)
    times = timeline.labels_of(changes.events.step).tolist()
    names = [(changes.entities[s], changes.relations[r], changes.entities[o]) for s, r, o in numbers]
    return {(*fact, time) for fact, time in zip(names, times, strict=True)}


def test_steps_that_do_not_fit_a_store_are_refused(graph: Path, world: Path, tmp_path: Path) -> None:
    store = tmp_path / "weeks.db"
    assert run("ingest", world / "train.txt", "--step", "1w", "--store", store, "--quiet").returncode == 0
    assert_refused(run("ingest", graph, "--store", store, "--quiet"), "the store has time steps of 1 week")


@pytest.mark.parametrize(
    "command", ["stats {graph}", "ingest {graph} --store {folder}/new.db", "index {graph} --out {folder}/x"]
)
@pytest.mark.parametrize(
    "option",
    ["--step 1d", "--columns a,b,c,d", "--time-zone Asia/Tokyo", "--time-zone UTC", "--skip-bad-rows", "--query x"],
)
def test_options_for_reading_text_are_refused(graph: Path, tmp_path: Path, command: str, option: str) -> None:
    words = command.format(graph=graph, folder=tmp_path).split()
    assert_refused(run(*words, *option.split()), f"{option.split(maxsplit=1)[0]} has no effect on the compiled graph")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stats", "{graph}", "--db", "sqlite:///events.db"], "Found both DATA and --db"),
        (["stats", "{graph}", "--test-from", "2040-01-01"], "There are no facts for test"),
        (
            ["ingest", "{graph}", "--store", "x.db", "--test-from", "2031-01-01"],
            "leave out --valid-from and --test-from",
        ),
        (["rules", "{graph}"], "world.graph is not a rule file"),
        (["measure", "{graph}", "--rules", "{graph}", "--out", "x"], "world.graph is not a rule file"),
        (["evaluate", "{graph}", "--rules", "{graph}", "--quiet"], "world.graph is not a rule file"),
        (["evaluate", "{graph}", "--model", "{graph}", "--quiet"], "world.graph is not a model file"),
        (["forecast", "{graph}", "--rules", "{rules}", "--queries", "{graph}"], "Queries are read from .csv"),
        (["ingest", "{graph}", "--store", "{graph}"], "Cannot open the store"),
        (["index", "{graph}", "--out", "{graph}"], "would be overwritten"),
        (["index", "{world}", "--out", "{world}/train.txt"], "would be overwritten"),
        (["learn", "{graph}", "--out", "{graph}"], "would be overwritten"),
        (["fit", "{world}/train.txt", "--out", "{world}/train.txt"], "would be overwritten"),
        (["measure", "{graph}", "--rules", "{rules}", "--out", "{graph}"], "would be overwritten"),
        (["index", "--db", "sqlite:///{graph}", "--out", "{graph}"], "would be overwritten"),
        (["measure", "{graph}", "--rules", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["rules", "{rules}", "--top", "1", "--out", "{rules}"], "would be overwritten"),
        (["rules", "{world}/none", "--merge", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["forecast", "{graph}", "--queries", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["forecast", "{graph}", "--rules", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["forecast", "{graph}", "--rules", "{rules}", "--picture", "{rules}"], "choose another --picture"),
        (["outlook", "{graph}", "--queries", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["surprises", "{graph}", "--since", "2031", "--model", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["changes", "{graph}", "--since", "2031", "--model", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["index", "{world}", "--model", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["plot", "rules", "{rules}", "--out", "{rules}"], "would be overwritten"),
        (["index", "{world}", "--out", "{world}"], "it is a folder"),
        (["index", "{world}", "--out", "{world}/none/x.graph"], "there is no folder"),
        (["stats", "--db", "{graph}"], "--db expects the URL of a database"),
        (["stats", ""], "No data given"),
        (["stats", "{world}/none.graph"], "There is no file or folder"),
    ],
)
def test_invalid_uses_of_a_graph_are_refused(
    world: Path, graph: Path, rule_file: Path, arguments: list[str], message: str
) -> None:
    read = [graph, world / "train.txt", rule_file]
    before = [file.read_bytes() for file in read]
    assert_refused(run(*(word.format(world=world, graph=graph, rules=rule_file) for word in arguments)), message)
    assert [file.read_bytes() for file in read] == before


def test_files_that_are_not_graphs_are_refused(graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty.graph").touch()
    assert_refused(run("stats", tmp_path / "empty.graph"), "unless it is a compiled graph")
    (tmp_path / "cut.graph").write_bytes(graph.read_bytes()[:5000])
    assert_refused(run("stats", tmp_path / "cut.graph"), "cut.graph is a damaged compiled graph")
    assert_refused(run("stats", tmp_path), f"{tmp_path} has no train file")

    def forbidden(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", forbidden)
    assert_refused(run("stats", graph), "world.graph cannot be opened: Permission denied.")


def test_a_graph_is_stale_when_the_names_of_ids_change(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("0\t0\t1\t0\n1\t0\t0\t1\n")
    names = tmp_path / "entity2id.txt"
    names.write_text("Ann\t0\nBob\t1\n")
    assert run("index", tmp_path, "--out", tmp_path / "ids.graph").returncode == 0
    names.write_text("Ann\t0\nBobby\t1\n")
    assert_refused(run("stats", tmp_path / "ids.graph"), "but entity2id.txt has changed since")


def test_a_database_is_compiled_by_its_url(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "events.db")) as database:
        database.execute("CREATE TABLE events (subject, relation, object, date)")
        database.executemany(
            "INSERT INTO events VALUES (?, 'calls', ?, ?)", [("Ann", "Bob", "2030-01-01"), ("Bob", "Ann", "2030-01-02")]
        )
        database.commit()
    out = tmp_path / "events.graph"
    url = f"sqlite:///{tmp_path}/events.db"
    for source in ([url], ["--db", url]):
        done = run("index", *source, "--query", "events", "--out", out)
        assert done.returncode == 0, done.stderr
    assert "2 facts from 2030-01-01" in run("stats", out).stdout
