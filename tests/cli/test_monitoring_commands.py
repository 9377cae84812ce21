"""The commands outlook, surprises, changes and backtest, as users call them."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tlogic
from tests.cli.running import assert_refused, run

KITE = ("--entity", "Kite Aviation")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with facts of 120 days, and a model that was fitted to them."""
    folder = tmp_path_factory.mktemp("monitoring")
    done = run("sample", "--days", 120, "--out", folder / "world")
    assert done.returncode == 0, done.stderr
    graph = tlogic.read(folder / "world")
    tlogic.fit(graph, evidence=["recurrence", "rules"]).save(folder / "world.model")
    return folder / "world", folder / "world.model"


def test_an_outlook_equals_that_of_python(small: tuple[Path, Path]) -> None:
    data, model = small
    done = run("outlook", data, "--model", model, *KITE, "--horizon", "7d", "--top", 5, "--json", "--explain", "--when")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = tlogic.outlook(tlogic.read(data), str(model), entity="Kite Aviation", horizon="7d", top=5)
    assert found["events"] == expected.to_dict()["events"]
    assert found["explanations"] == [expected.explain(index).to_dict() for index in range(5)]
    assert found["curve"] == expected.curve(0).to_dicts()


def test_an_outlook_is_printed_with_reasons(small: tuple[Path, Path]) -> None:
    data, model = small
    done = run("outlook", data, "--model", model, *KITE, "--top", 2, "--explain", "--reasons", 1, "--when")
    assert "Likely events" in done.stdout
    assert "Median waiting time" in done.stdout
    assert done.stdout.count("Why ") == 2
    assert "more kinds of evidence together" in done.stdout


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_watchlist_is_written_to_a_file(small: tuple[Path, Path], tmp_path: Path, kind: str) -> None:
    data, model = small
    watchlist, out = tmp_path / "list.csv", tmp_path / f"out.{kind}"
    watchlist.write_text("subject,relation,object\nKite Aviation,sue,Meadow Textiles\n,sue,\n", encoding="utf-8")
    done = run("outlook", data, "--model", model, "--queries", watchlist, "--top", 3, "--out", out)
    assert done.returncode == 0, done.stderr
    lines = pl.read_parquet(out).rows() if kind == "parquet" else out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == {"csv": 1 + 4, "parquet": 4, "jsonl": 2}[kind]


def test_explanations_of_a_watchlist_are_json_lines(small: tuple[Path, Path], tmp_path: Path) -> None:
    data, model = small
    watchlist = tmp_path / "list.csv"
    watchlist.write_text("subject,relation,object\nKite Aviation,sue,Meadow Textiles\n", encoding="utf-8")
    command = ["outlook", data, "--model", model, "--queries", watchlist, "--explain"]
    [line] = run(*command, "--json").stdout.splitlines()
    assert json.loads(line)["explanations"][0]["factors"]
    assert_refused(run(*command), "JSON Lines")


def test_events_are_explained_in_json_lines(small: tuple[Path, Path], tmp_path: Path) -> None:
    data, model = small
    graph, out = tlogic.read(data), tmp_path / "why.jsonl"
    likely = tlogic.outlook(graph, str(model), top=2)
    since: dict[str, Any] = {"since": "2030-04-25", "top": 2}
    judged = tlogic.surprises(graph, str(model), **since)
    changed = tlogic.changes(graph, **since)
    curves = [{"curve": likely.curve(index).to_dicts()} for index in range(2)]
    period = ("--since", "2030-04-25", "--top", 2, "--explain")
    for command, frame, explanations, more in (
        (["outlook", data, "--top", 2, "--explain", "--when"], likely.frame, map(likely.explain, range(2)), curves),
        (["surprises", data, *period], judged.events, judged.explain_all()[0], [{}] * 2),
        (["changes", data, *period], changed.frame, changed.explain_all(), [{}] * 6),
    ):
        with_model = [] if command[0] == "changes" else ["--model", model]
        done = run(*command, *with_model, "--out", out)
        assert done.returncode == 0, done.stderr
        found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        texts = [{"explanation": each.to_dict()} for each in explanations]
        assert found == [row | each | why for row, each, why in zip(frame.to_dicts(), more, texts, strict=True)]
        for kind in ("csv", "parquet"):
            refused = run(*command, *with_model, "--out", tmp_path / f"why.{kind}")
            assert_refused(refused, "is JSON Lines: use --out FILE.jsonl")


def test_a_watchlist_shows_the_probability_by_date_in_json_lines(small: tuple[Path, Path], tmp_path: Path) -> None:
    data, model = small
    watchlist, out = tmp_path / "list.csv", tmp_path / "out.jsonl"
    watchlist.write_text("subject,relation,object\nKite Aviation,sue,Meadow Textiles\n", encoding="utf-8")
    command = ["outlook", data, "--model", model, "--queries", watchlist, "--when"]
    [line] = run(*command, "--json").stdout.splitlines()
    expected = tlogic.outlook(
        tlogic.read(data), str(model), entity="Kite Aviation", relation="sue", other="Meadow Textiles"
    )
    assert json.loads(line)["curve"] == expected.curve(0).to_dicts()
    assert run(*command, "--out", out).returncode == 0
    assert out.read_text(encoding="utf-8") == f"{line}\n"
    assert_refused(run(*command), "--when is JSON Lines: use --json, or --out FILE.jsonl")
    assert_refused(run(*command, "--out", tmp_path / "out.csv"), "--when is JSON Lines")


def test_surprises_and_changes(small: tuple[Path, Path], tmp_path: Path) -> None:
    data, model = small
    done = run("surprises", data, "--model", model, "--since", "2030-04-25", "--top", 2, "--explain", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["explanations"]) == 4
    text = run("surprises", data, "--model", model, "--since", "2030-04-25", "--top", 2).stdout
    assert "Events that were improbable" in text
    assert "1 in " in text
    found = run("changes", data, "--since", "2030-04-01", "--top", 2)
    assert found.returncode == 0, found.stderr
    assert "2030-04-01 to 2030-04-30" in found.stdout
    assert "× " in found.stdout
    assert run("changes", data, "--since", "2030-04-01", "--out", tmp_path / "c.csv").returncode == 0
    assert pl.read_csv(tmp_path / "c.csv").height == 30


def test_changes_with_a_model_compare_probabilities(small: tuple[Path, Path]) -> None:
    data, model = small
    command = ("changes", data, "--since", "2030-04-20", "--top", 3)
    done = run(*command, "--model", model, "--horizon", "7d", "--json")
    assert done.returncode == 0, done.stderr
    expected = tlogic.changes(tlogic.read(data), str(model), since="2030-04-20", top=3, horizon="7d")
    assert json.loads(done.stdout) == expected.to_dict()
    shown = run(*command, "--model", model)
    assert "at least one event within 1 day, from 2030-04-20 on" in " ".join(shown.stdout.split())
    assert "p now" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "p now" not in run(*command).stdout
    assert_refused(run(*command, "--horizon", "7d"), "--horizon needs --model")
    assert_refused(run(*command, "--model", model, "--horizon", "soon"), "not understood")


def test_changes_are_explained_as_in_python(small: tuple[Path, Path]) -> None:
    data, model = small
    command = ("changes", data, "--since", "2030-04-20", "--top", 2, "--explain")
    with_model: dict[str, Any] = {"model": str(model), "horizon": "7d"}
    for more, given in (((), {}), (("--model", model, "--horizon", "7d"), with_model)):
        expected = tlogic.changes(tlogic.read(data), since="2030-04-20", top=2, **given)
        found = json.loads(run(*command, *more, "--json").stdout)
        assert found == expected.to_dict() | {"explanations": [each.to_dict() for each in expected.explain_all()]}
        many = json.loads(run(*command, *more, "--json", "--reasons", 9).stdout)
        assert many["explanations"] == [each.to_dict() for each in expected.explain_all(9)]
        shown = run(*command, *more, "--reasons", 1)
        assert shown.returncode == 0, shown.stderr
        tables = run(*command[:-1], *more).stdout
        texts = "".join(f"\n{each.text(1)}\n" for each in expected.explain_all())
        assert shown.stdout == tables + texts
    assert "Why" not in tables
    assert "What changed" not in tables
    assert_refused(run(*command, "--reasons", 0), "--reasons")


def test_a_backtest_reports_its_figures_and_warns_of_known_facts(small: tuple[Path, Path], tmp_path: Path) -> None:
    data, model = small
    done = run("backtest", data, "--model", model, "--every", 4, "--json", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert report.count("<svg") == len(list((tmp_path / "report" / "figures").glob("*.svg"))) > 1
    assert "--every 4" in report
    assert {row["kind"] for row in json.loads(done.stdout)["figures"]} == {"recurring", "new"}
    since = run("backtest", data, "--model", model, "--since", "2030-04-21", "--every", 4, "--json")
    expected = tlogic.backtest(tlogic.read(data), str(model), since="2030-04-21", every=4)
    assert json.loads(since.stdout) == expected.to_dict()
    again = run("backtest", data, "--model", model, "--every", 4, "--split", "valid")
    assert "Reliability" in again.stdout
    assert "include valid facts" in again.stderr


@pytest.mark.parametrize("command", ["backtest {world} --model none.model", "tune {world}", "reproduce --on {world}"])
@pytest.mark.parametrize("name", ["file", "file/report", "folder"])
def test_folders_of_reports_are_checked_before_the_work(
    small: tuple[Path, Path], tmp_path: Path, command: str, name: str
) -> None:
    (tmp_path / "file").write_text("hi")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "figures").write_text("hi")
    words = command.format(world=small[0]).split()
    assert_refused(run(*words, "--out", tmp_path / name), "is not a folder.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--entity", "Nobody"), "Nobody"),
        (("--with", "Kite Aviation"), "needs another entity"),
        (("--horizon", "soon"), "not understood"),
        (("--top", "0"), "1 or more"),
        (("--queries", "missing.csv"), "no file"),
        (("--queries", "x.csv", "--entity", "A"), "either"),
        (("--out", "x.txt"), ".csv"),
    ],
)
def test_bad_requests_are_refused(small: tuple[Path, Path], arguments: tuple[str, ...], message: str) -> None:
    data, model = small
    assert_refused(run("outlook", data, "--model", model, *arguments), message)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (",sue,\n,,\n", "list.csv line 3: Subject, relation and object are all blank"),
        (",sue,\n\n,sue,\n", "list.csv line 3: Subject, relation and object are all blank"),
        (",sue,\nNobody,sue,\n", "list.csv line 3: Unknown entity 'Nobody'"),
        (",sue,,,\n", "list.csv line 2 has 5 cells"),
    ],
)
def test_errors_in_a_watchlist_name_the_line(small: tuple[Path, Path], tmp_path: Path, rows: str, message: str) -> None:
    watchlist = tmp_path / "list.csv"
    watchlist.write_text(f"subject,relation,object\n{rows}\n\n", encoding="utf-8")
    assert_refused(run("outlook", small[0], "--model", "none.model", "--queries", watchlist, "--quiet"), message)


def test_rules_are_refused(small: tuple[Path, Path], tmp_path: Path) -> None:
    tlogic.learn(tlogic.read(small[0]), lengths=(1,), relations=["sue"]).save(tmp_path / "some.rules")
    assert_refused(run("outlook", small[0], "--model", tmp_path / "some.rules"), "is not a model file")


def test_the_tables_of_a_backtest_fit_into_80_columns(world: Path, model_file: Path) -> None:
    done = run("backtest", world, "--model", model_file, "--every", 20, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "recurring" in done.stdout
    assert "n/a" in done.stdout  # new events have no count
    assert "…" not in done.stdout.partition("Reliability")[0]
    assert max(map(len, done.stdout.splitlines())) <= 80
