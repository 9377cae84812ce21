"""The options for reading data: databases, columns, bad rows, and the report."""

import json
import sqlite3
from datetime import date, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest
import sqlalchemy

import tlogic
from tests.cli.running import run, run_process
from tlogic.cli.data_options import column_choice
from tlogic.errors import InputError

SECRET = "s3cr3t"
ROWS = [(f"p{day % 7}", ("calls", "[red]meets[/red] :smile:")[day % 2], f"p{day % 5}", day) for day in range(60)]
SPLIT = ["--valid-from", "40", "--test-from", "50"]
COLUMNS = ["--columns", "who,does,whom,day"]


def facts() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=["who", "does", "whom", "day"], orient="row")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    facts().write_csv(folder / "facts.csv")
    (folder / "bad.csv").write_text((folder / "facts.csv").read_text() + "p1,calls,p2,soon\np1,calls,,7\n")
    facts().rename({"who": "subject", "does": "relation", "day": "time"}).write_csv(folder / "header.csv")
    connection = sqlite3.connect(folder / "events.db")
    connection.execute("CREATE TABLE events (who, does, whom, day)")
    connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    frame = facts()
    with duckdb.connect(str(folder / "events.duckdb")) as database:
        database.register("frame", frame)
        database.execute("CREATE TABLE events AS SELECT * FROM frame")
    return folder


def learn(folder: Path, *arguments: object) -> list[dict[str, object]]:
    """The rules learned with the given options."""
    path = folder / "own.rules"
    done = run("learn", *arguments, "--out", path, "--walks", 20)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    rules: list[dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))["rules"]
    assert rules
    return rules


@pytest.fixture(scope="module")
def expected(folder: Path) -> list[dict[str, object]]:
    return learn(folder, folder / "facts.csv", *COLUMNS, *SPLIT)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--db", "sqlite:///{folder}/events.db", "--query", "events", *COLUMNS],
        ["--db", "duckdb:///{folder}/events.duckdb", "--query", "SELECT * FROM events", *COLUMNS],
        ["sqlite:///{folder}/events.db", "--query", "events", "--columns", "subject=0,relation=does,object=2,time=day"],
        ["{folder}/facts.csv", "--columns", "0, 1, 2, 3", "--skip-bad-rows"],
        ["{folder}/header.csv", "--columns", "object=whom"],
        ["{folder}/bad.csv", *COLUMNS, "--skip-bad-rows"],
    ],
)
def test_the_same_facts_give_the_same_rules(
    folder: Path, expected: list[dict[str, object]], arguments: list[str]
) -> None:
    assert learn(folder, *(argument.format(folder=folder) for argument in arguments), *SPLIT) == expected


def test_postgresql_is_read(folder: Path, expected: list[dict[str, object]], postgres: str) -> None:
    engine = sqlalchemy.create_engine(postgres.replace("://", "+psycopg://", 1), poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA IF EXISTS own CASCADE; CREATE SCHEMA own")
        connection.exec_driver_sql("CREATE TABLE own.events (who text, does text, whom text, day integer)")
        connection.exec_driver_sql("INSERT INTO own.events VALUES (%s, %s, %s, %s)", ROWS)
    url = postgres.replace("postgres:@", f"postgres:{SECRET}@")
    assert learn(folder, "--db", url, "--query", "own.events", *COLUMNS, *SPLIT) == expected
    done = run(
        "evaluate", "--db", url, "--query", "own.events", *COLUMNS, *SPLIT, "--rules", folder / "own.rules", "--json"
    )
    assert json.loads(done.stdout)["splits"] == {"train": 40, "valid": 10, "test": 10}
    assert "postgresql:///postgres: 60 facts, PostgreSQL, columns who, does, whom, day" in done.stderr
    assert SECRET not in done.stderr


def test_the_report_is_on_standard_error(folder: Path) -> None:
    command = ["learn", folder / "bad.csv", *COLUMNS, "--skip-bad-rows", "--out", folder / "r", "--walks", 1]
    done = run_process(*command)
    assert done.stderr.splitlines()[:7] == [
        "60 facts from 0 to 59, in steps of 1 (found from the data)",
        "7 entities, 2 relations",
        f"{folder / 'bad.csv'}: 60 facts, CSV, columns who, does, whom, day",
        "2 bad rows skipped, for example:",
        f"  {folder / 'bad.csv'} line 62: the time 'soon' is not understood",
        f"  {folder / 'bad.csv'} line 63: the object is empty",
        "Warning: There are few facts to learn rules from: 60.",
    ]
    assert run_process(*command, "--quiet").stderr.splitlines()[:4] == done.stderr.splitlines()[3:7]


def test_zoned_times_are_converted_to_a_time_zone(folder: Path) -> None:
    zoned = facts().with_columns(day="2024-03-" + (pl.col("day") % 20 + 10).cast(pl.String) + "T00:00+01:00")
    zoned.write_csv(folder / "zoned.csv", separator=";")
    command = ["learn", folder / "zoned.csv", *COLUMNS, "--out", folder / "r", "--walks", 1, "--time-zone"]
    report = run(*command, "Europe/Berlin", "--test-from", "2024-03-29T00:00+01:00").stderr
    assert "from 2024-03-10 to 2024-03-29, in steps of 1 day" in report
    assert "57 facts for training, 0 for validation, 3 for test" in report
    assert "date-times with zones are converted to Europe/Berlin" in report
    assert "CSV with semicolons" in report
    wrong = run(*command, "Europe/Berln")
    assert (wrong.returncode, "did you mean 'Europe/Berlin'" in wrong.stderr) == (2, True)


def test_names_are_printed_unchanged(folder: Path) -> None:
    lines = facts().with_columns(does=pl.lit("[red]meets[/red] :smile:"))
    lines.write_csv(folder / "one.csv")
    done = run("learn", folder / "one.csv", *COLUMNS, "--out", folder / "r", "--walks", 1, "--quiet")
    assert "Warning: The relation '[red]meets[/red] :smile:' holds 100% of the facts." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "No data given; expected DATA (a folder, a file or a dataset name), or --db URL --query SQL."),
        (["--query", "events"], "No data given"),
        (
            ["{folder}/facts.csv", "--db", "sqlite:///{folder}/events.db"],
            "Found both DATA and --db; give only one of them",
        ),
        (
            ["{folder}/facts.csv", "--query", "events"],
            "A query needs a database, but '{folder}/facts.csv'",
        ),
        (["--db", "{folder}/events.db", "--query", "events"], "--db expects the URL of a database"),
        (["--db", "sqlite:///{folder}/events.db"], "give a table or a SELECT with query=... (--query ...)."),
        (["--db", "sqlite:///{folder}/none.db", "--query", "events"], "There is no database file {folder}/none.db."),
        (["--db", "sqlite:///{folder}/events.db", "--query", "evnts"], "no such table: evnts"),
        (["--db", "duckdb:///{folder}/events.duckdb", "--query", "evnts"], "evnts does not exist"),
        (
            ["--db", f"postgresql://ann:{SECRET}@127.0.0.1:9/db", "--query", "e"],
            "Cannot connect to postgresql://127.0.0.1",
        ),
        (["--db", f"postgresql://ann:p@{SECRET}@host/db", "--query", "e"], "The database URL postgresql://... is not"),
        (["{folder}/bad.csv", *COLUMNS], "skip them with skip_bad_rows=True (--skip-bad-rows)."),
        (["{folder}/facts.csv"], "(--columns who,does,whom,day)?"),
        (["{folder}/header.csv"], 'with columns={{"object": "NAME"}} (--columns object=NAME).'),
        (
            ["{folder}/facts.csv", "--columns", "who,does,whom"],
            "must give four columns: subject, relation, object, time",
        ),
        (["{folder}/facts.csv", "--columns", "who,does,whom,time=day"], "expected four names or positions such as"),
        (["{folder}/facts.csv", "--columns", "head=who"], "has the unknown key 'head'; expected subject"),
        (["{folder}/facts.csv", "--columns", "who,does,whom,when"], "has no column 'when' for the time"),
        (["{folder}/facts.csv", *COLUMNS, "--step", "1d"], "the step must be a number such as 24, not 1 day."),
        (
            ["{folder}/facts.csv", *COLUMNS, "--test-from", "99"],
            "Choose another valid_from (--valid-from) or test_from",
        ),
    ],
)
def test_bad_input_ends_with_one_message(folder: Path, arguments: list[str], message: str) -> None:
    done = run("learn", *(argument.format(folder=folder) for argument in arguments), "--out", folder / "none.rules")
    assert done.returncode == 2
    assert message.format(folder=folder) in done.stderr
    assert "Traceback" not in done.stderr
    assert SECRET not in done.stderr
    assert done.stdout == ""
    assert not (folder / "none.rules").exists()


@pytest.mark.parametrize("text", ["", "who,,whom,day", "who,does,whom,time=day", "time=day,who"])
def test_columns_that_are_not_understood(text: str) -> None:
    with pytest.raises(InputError, match="are not understood; expected four names or positions"):
        column_choice(text)


def test_weekly_dates(tmp_path: Path) -> None:
    weeks = [date(2030, 1, 2) + timedelta(weeks=week) for week in range(30)]
    rows = [f"p{week % 3},calls,p{(week + 1) % 3},{day}" for week, day in enumerate(weeks)]
    path = tmp_path / "weekly.csv"
    path.write_text("\n".join(["subject,relation,object,date", *rows]))
    assert "in steps of 1 week, on Wednesdays" in run("stats", path, "--quiet").stdout
    learn(tmp_path, path)
    done = run("forecast", path, "--rules", tmp_path / "own.rules", "--subject", "p0", "--relation", "calls", "--json")
    assert json.loads(done.stdout)["query"]["at"] == "2030-07-31"
    assert str(tlogic.read(path)).endswith("2030-01-02 to 2030-07-24, steps of 1 week, on Wednesdays)")
