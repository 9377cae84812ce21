"""Facts are read from SQLite, DuckDB and PostgreSQL, and whatever goes wrong there is said clearly."""

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy

import tlogic
from tlogic.errors import InputError
from tlogic.events import Timeline, read_events
from tlogic.events.sources.databases import reason_of

FACTS = [("Ann", "calls", "Bob", "2014-08-09"), ("Zoë", "100% sure: 'no'", "Ann", "2014-08-11")]
SECRET = "s3cr3t"

Fill = Callable[..., str]


def fill_sqlite(url: str, *statements: str) -> str:
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return url


def fill_duckdb(url: str, *statements: str) -> str:
    with duckdb.connect(url.removeprefix("duckdb:///")) as connection:
        for statement in statements:
            connection.execute(statement)
    return url


def fill_postgres(url: str, *statements: str) -> str:
    engine = sqlalchemy.create_engine(url.replace("://", "+psycopg://", 1), poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        for statement in statements:
            connection.execution_options(no_parameters=True).exec_driver_sql(statement)
    return url


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def fill(request: pytest.FixtureRequest, tmp_path: Path) -> Fill:
    """Makes a database of some SQL, and gives its URL."""
    if request.param == "sqlite":
        return lambda *statements: fill_sqlite(f"sqlite:///{tmp_path}/events 1%.db", *statements)
    if request.param == "duckdb":
        return lambda *statements: fill_duckdb(f"duckdb:///{tmp_path}/events 1%.duckdb", *statements)
    url = request.getfixturevalue("postgres")
    return lambda *statements: fill_postgres(url, *statements)


@pytest.fixture
def database(fill: Fill) -> str:
    rows = ", ".join("({})".format(", ".join("'{}'".format(cell.replace("'", "''")) for cell in row)) for row in FACTS)
    return fill(
        "CREATE TABLE events (who VARCHAR, relation VARCHAR, target VARCHAR, day VARCHAR, weight FLOAT)",
        f"INSERT INTO events (who, relation, target, day) VALUES {rows}",
    )


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return fill_sqlite(
        f"sqlite:///{tmp_path}/events.db",
        "CREATE TABLE events (subject, relation, object, time)",
        "INSERT INTO events VALUES ('a', 'r', 'b', '2014-08-09')",
    )


def refusal(source: object, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_events(source, **options)
    return str(caught.value)


# Reading


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("events", 2),
        (" events ", 2),
        ("SELECT * FROM events", 2),
        ("SELECT day, who, relation, target FROM events WHERE relation LIKE '100% %: ''no'''", 1),
        ("WITH late AS (SELECT * FROM events)\nSELECT * FROM late WHERE who LIKE 'Zo%'", 1),
    ],
)
def test_every_database_gives_the_same_facts(database: str, query: str, rows: int) -> None:
    table = read_events(database, query=query, columns={"subject": "who"})
    assert [fact[:3] for fact in table.frame.rows()] == [fact[:3] for fact in FACTS[-rows:]]
    assert table.timeline == Timeline("day", 1, FACTS[-rows][3])
    assert table.report.files[0].header == ("who", "relation", "target", "day")
    assert table.report.files[0].format in ("SQLite", "DuckDB", "PostgreSQL")


def test_the_name_of_a_table_or_view_may_have_spaces(fill: Fill) -> None:
    url = fill(
        "CREATE TABLE \"Events of \"\"May\"\"\" AS SELECT 'a' AS subject, 'r' AS relation, 'b' AS object, 5 AS time",
        'CREATE VIEW "SELECT them" AS SELECT * FROM "Events of ""May"""',
        'CREATE TABLE "Order" AS SELECT * FROM "SELECT them"',
    )
    for query in ('Events of "May"', " SELECT them\n", "Order", 'SELECT * FROM "SELECT them"'):
        assert read_events(url, query=query).frame.rows() == [("a", "r", "b", 0)]


@pytest.mark.parametrize("columns", [[0, 1, 2, 3], ["who", "relation", "target", "day"], {"subject": 0}])
def test_columns_can_be_given(database: str, columns: Any) -> None:
    assert len(tlogic.read(database, query="events", columns=columns)) == 2


def test_a_graph_is_made_and_split(database: str) -> None:
    graph = tlogic.read(database, query="events", columns={"subject": "who"}, test_from="2014-08-11")
    assert (graph.valid_from, graph.test_from, len(graph)) == (2, 2, 2)
    assert graph.report is not None
    assert (graph.report.entities, graph.report.relations, graph.report.duplicates) == (3, 2, 0)


@pytest.mark.parametrize(
    ("times", "timeline"),
    [
        ("DATE '2014-08-09', DATE '2014-08-12'", Timeline("day", 1, "2014-08-09")),
        ("TIMESTAMP '2014-08-09 13:00', TIMESTAMP '2014-08-09 15:30'", Timeline("minute", 30, "2014-08-09 13:00")),
        (
            "TIMESTAMP WITH TIME ZONE '2014-08-09 13:00:00+02', TIMESTAMP WITH TIME ZONE '2014-12-09 13:00:00+01'",
            Timeline("hour", 1, "2014-08-09 11:00"),
        ),
        ("20140809, 20140810", Timeline("day", 1, "2014-08-09")),
        ("CAST(20140809 AS NUMERIC(8, 0)), 20140810", Timeline("day", 1, "2014-08-09")),
        ("CAST(1999 AS BIGINT), 2003", Timeline("year", 1, "1999")),
    ],
)
@pytest.mark.parametrize("fill", ["duckdb", "postgresql"], indirect=True)
def test_typed_times(fill: Fill, times: str, timeline: Timeline) -> None:
    first, second = times.split(", ", 1) if "NUMERIC" not in times else times.rsplit(", ", 1)
    names = "CAST(7 AS NUMERIC(9, 0)) AS subject, CAST('4b3b3b3b-0000-4000-8000-000000000001' AS UUID) AS object"
    url = fill(
        f"CREATE TABLE events AS SELECT {names}, 'r' AS relation, {first} AS time",
        f"INSERT INTO events SELECT {names}, 'r' AS relation, {second} AS time",
    )
    table = read_events(url, query="events")
    assert table.timeline == timeline
    assert table.frame.row(0)[:3] == ("7", "r", "4b3b3b3b-0000-4000-8000-000000000001")


def test_sqlite_may_mix_types(sqlite: str) -> None:
    fill_sqlite(
        sqlite, "DELETE FROM events", "INSERT INTO events VALUES (1, 'r', 'b', 20140809), ('a', 2, 3, '2014-08-10')"
    )
    assert read_events(sqlite, query="events").frame.rows() == [("1", "r", "b", 0), ("a", "2", "3", 1)]


def test_types_may_change_late(sqlite: str) -> None:
    fill_sqlite(
        sqlite,
        "DELETE FROM events",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) "
        "INSERT INTO events SELECT i, CASE WHEN i < 6000 THEN NULL ELSE 'r' END, i, i FROM n",
        "INSERT INTO events VALUES ('a', 'r', 'b', '7')",
    )
    table = read_events(sqlite, query="events", skip_bad_rows=True)
    assert table.report.bad_rows == 6000
    assert table.frame.row(0)[:3] == ("6000", "r", "6000")
    assert table.frame.row(-1)[:3] == ("a", "r", "b")


def test_bad_rows_are_named_by_their_number(sqlite: str) -> None:
    fill_sqlite(sqlite, "INSERT INTO events VALUES ('a', NULL, 'b', '2014-08-09'), ('a', 'r', 'b', 'soon')")
    message = refusal(sqlite, query="events")
    assert f"{sqlite} row 2: the relation is empty\n{sqlite} row 3: the time 'soon' is not understood" in message
    assert read_events(sqlite, query="events", skip_bad_rows=True).report.bad_rows == 2


def test_columns_that_are_not_needed_may_hold_anything(fill: Fill) -> None:
    url = fill("CREATE TABLE events AS SELECT 'a' AS subject, 'r' AS relation, 'b' AS object, 5 AS time, 0.5 AS weight")
    if url.startswith("sqlite"):
        query = "SELECT x'00' AS more, 0 AS more, * FROM events"
    else:
        query = "SELECT INTERVAL '1' DAY AS more, 0 AS more, * FROM events"
    assert read_events(url, query=query).frame.rows() == [("a", "r", "b", 0)]


# Refusals


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM events; COMMIT; DROP TABLE events",
        "SELECT * FROM events;;DELETE FROM events",
        "DELETE FROM events",
        "COPY events TO '{copy}'",
        "COPY (SELECT * FROM events) TO '{copy}'",
        "ATTACH '{copy}' AS other",
        "WITH gone AS (DELETE FROM events RETURNING *) SELECT * FROM gone",
        "SELECT * INTO copies FROM events",
        "SELECT E'\\''; DROP TABLE events; --'",
        "SELECT 1 --1; DROP TABLE events",
        "; DROP TABLE events",
        "events; DROP TABLE events",
        "VALUES (1) ; /* a */ UPDATE events SET who = 1",
        "SELECT * FROM events /* /* */ ' */ ; COMMIT; DROP TABLE events; -- '",
        "SELECT * FROM events -- \r ' \n ' ; COMMIT; DROP TABLE events; -- '",
        "SELECT 1 AS a$b$ ; COMMIT; DROP TABLE events; SELECT 1 AS a$b$",
        "SELECT 1 AS é$b$ ; COMMIT; DROP TABLE events; SELECT 1 AS é$b$",
        "SELECT 1 AS \N{SNOWMAN}$b$ ; COMMIT; DROP TABLE events; SELECT 1 AS \N{SNOWMAN}$b$",
        "SELECT array['x]'] ; COMMIT; DROP TABLE events; --'",
        "SELECT * FROM events /*! INTO OUTFILE '{copy}' */",
        'SELECT "a\\" ; COMMIT; DROP TABLE events; -- "',
        "SELECT 1 # '\n ; COMMIT; DROP TABLE events; -- '",
        "SELECT 1 # '\r' ; COMMIT; DROP TABLE events; -- '",
        'SELECT 1 # "\n ; COMMIT; DROP TABLE events; -- "',
        "SELECT 1 # /*\n ; COMMIT; DROP TABLE events; -- */",
        "SELECT 1 # `\n INTO OUTFILE 1 -- `",
        "SELECT [1 # 'a'\n, 'b ; COMMIT; DROP TABLE events; -- ']",
        "# SELECT\n DROP TABLE events",
        "#> SELECT\n DROP TABLE events",
        "SELECT 1 # 1 ; COMMIT; DROP TABLE events",
        "SELECT 1 # ;\n DROP TABLE events",
        "SELECT array[ /*] ' */ 1] ; COMMIT; DROP TABLE events; -- '",
        "SELECT array[ --] ' \n 1] ; COMMIT; DROP TABLE events; -- '",
        "SELECT array[ $$] ' $$ ] ; COMMIT; DROP TABLE events; -- '",
        "SELECT ` /*` ' */ 1 ; COMMIT; DROP TABLE events; -- '",
        "SELECT 1 --\N{NO-BREAK SPACE}x INTO OUTFILE '{copy}'",
        "SELECT 1 AS a DROP TABLE events COMMIT",
    ],
)
def test_a_query_that_does_more_than_read_is_refused(database: str, query: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"only reads|several statements|databases differ"):
        read_events(database, query=query.format(copy=tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()
    assert read_events(database, query="events", columns={"subject": "who"}).frame.height == len(FACTS)


def test_quotes_and_comments_may_hold_anything(database: str) -> None:
    query = """/* all ' */ SELECT * FROM events WHERE relation <> '; DROP TABLE \\events' -- "UPDATE"\r\n ;"""
    assert read_events(database, query=query, columns={"subject": "who"}).frame.height == len(FACTS)


def test_a_hash_is_an_operator_if_its_line_could_be_a_comment(postgres: str) -> None:
    url = fill_postgres(
        postgres, """CREATE TABLE events AS SELECT jsonb '{"from": "Ann", "to": {"name": "it''s Bob"}}' AS doc"""
    )
    query = """
        SELECT doc ->> 'from' AS subject, 'r#' AS relation, -- # '
            /* # " */ doc #>> '{to, name}' AS object,
            doc #> array['to', 'name'] AS "doc#", 5 # 1 AS time
        FROM events WHERE doc #>> '{to}' <> 'it''s #' -- all"""
    assert read_events(url, query=query).frame.rows() == [("Ann", "r#", "it's Bob", 0)]


def test_the_position_of_an_unclear_hash_is_shown(sqlite: str) -> None:
    assert "from # at character 10 on; write texts" in refusal(sqlite, query="SELECT 1 # it's\n")


def test_duckdb_reads_other_files_only_if_asked(tmp_path: Path) -> None:
    url = fill_duckdb(f"duckdb:///{tmp_path}/events.duckdb", "CREATE TABLE other (a INT)")
    (tmp_path / "facts.csv").write_text("subject,relation,object,time\nAnn,calls,Bob,2014-08-09\n", "utf-8")
    query = f"SELECT * FROM read_csv('{tmp_path}/facts.csv')"
    with pytest.raises(InputError, match="failed"):
        read_events(url, query=query)
    assert read_events(f"{url}?enable_external_access=true", query=query).frame.height == 1


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (None, "needs a query: give a table or a SELECT with query=... (--query ...)."),
        ("  ", "needs a query"),
        ("evnts", "evnts"),
        ("SELECT who FORM events", "events"),
        ("SELECT * FROM events WHERE who = 'nobody'", "the query returns no rows, so there are no facts to read."),
        ("SELECT who, who, relation, target, day FROM events", "two columns are named 'who'; rename one in the query"),
        ("SELECT relation FROM events", "has no column 'who' for the subject; its columns are 'relation'"),
        ("SELECT who, relation, target, 0.5 AS day FROM events", "the "),
        ("DROP TABLE events", "read"),
        ("DELETE FROM events", "read"),
        ("INSERT INTO events VALUES ('a', 'r', 'b', '2014', 1)", "read"),
    ],
)
def test_queries_that_give_no_facts(database: str, query: str | None, message: str) -> None:
    found = refusal(database, query=query, columns={"subject": "who"})
    assert message in found
    assert read_events(database, query="events", columns={"subject": "who"}).frame.height == 2


@pytest.mark.parametrize(
    "value", ["CAST(0.5 AS FLOAT)", "TRUE", "INTERVAL '1' DAY", "ARRAY[1]", "CAST('12:00' AS TIME)"]
)
@pytest.mark.parametrize("role", ["subject", "time"])
@pytest.mark.parametrize("fill", ["duckdb", "postgresql"], indirect=True)
def test_types_that_are_none_of_a_name_or_time(fill: Fill, value: str, role: str) -> None:
    cells = {"subject": "'a'", "relation": "'r'", "object": "'b'", "time": "2014", role: value}
    url = fill("CREATE TABLE events AS SELECT " + ", ".join(f"{cell} AS {role}" for role, cell in cells.items()))
    assert (
        f"{role} column" in (found := refusal(url, query="events"))
        or f"The column {role!r} of the query holds" in found
    )
    assert "expected" in found


def test_bytes_are_no_names(sqlite: str) -> None:
    message = refusal(sqlite, query="SELECT x'00ff' AS subject, 'r' AS relation, 'b' AS object, 2014 AS time")
    assert message == (
        "The column 'subject' of the query holds the type bytes; expected names, integers or dates. "
        "Convert it in the query, for example with CAST."
    )


def test_a_time_beyond_all_calendars(postgres: str) -> None:
    query = "SELECT 'a' AS subject, 'r' AS relation, 'b' AS object, 'infinity'::date AS time"
    assert "The query of postgresql:///postgres failed (" in refusal(postgres, query=query)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_missing_file_is_not_made(scheme: str, tmp_path: Path) -> None:
    assert f"There is no database file {tmp_path}/none.db." in refusal(f"{scheme}:///{tmp_path}/none.db", query="t")
    assert not list(tmp_path.iterdir())
    assert "has no file; expected one such as sqlite:///events.db" in refusal(f"{scheme}://", query="t")


@pytest.mark.parametrize(("scheme", "reason"), [("sqlite", "not a database"), ("duckdb", "not a valid DuckDB")])
def test_a_file_that_is_no_database(scheme: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("These are notes. " * 1000)
    assert reason in refusal(f"{scheme}:///{tmp_path}/notes.db", query="events")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("://", "is not understood; expected one such as sqlite:///events.db"),
        (f"postgresql://ann:{SECRET}@host:port/db", "The database URL postgresql://... is not understood"),
        (f"postgresql://ann:p@{SECRET}@host/db", "Write @, :, / and % in a user name or password as %40"),
        (f"https://ann:{SECRET}@example.org/facts.csv", "Unknown kind of database https://; expected a URL"),
        (f"postgresql+nodriver://ann:{SECRET}@host/db", "Unknown kind of database postgresql+nodriver:"),
        (f"mysql://ann:{SECRET}@host/db", "Cannot read mysql://host/db, because a package is missing ("),
        (f"postgresql://ann:{SECRET}@127.0.0.1:9/db", "Cannot connect to postgresql://127.0.0.1:9/db ("),
        (f"postgres://127.0.0.1:9/db?user=ann&password={SECRET}", "Cannot connect to postgresql://127.0.0.1:9/db ("),
        (f"duckdb:///md:events?token={SECRET}", "There is no database file md:events. The path in duckdb:///md:events"),
        (f"postgresql:///db?host=/nowhere&passwrd={SECRET}", "Cannot connect to postgresql:///db ("),
    ],
)
def test_urls_that_lead_nowhere_keep_their_secrets(url: str, message: str) -> None:
    found = refusal(url, query="events")
    assert message in found
    assert SECRET not in found


def test_a_missing_database(postgres: str) -> None:
    url = postgres.replace("/postgres?", "/nowhere?").replace("postgres:@", f"postgres:{SECRET}@")
    assert SECRET in url
    message = refusal(url, query="events")
    assert message.startswith("Cannot connect to postgresql:///nowhere (")
    assert 'database "nowhere" does not exist' in message
    assert SECRET not in message


def test_a_report_keeps_secrets(postgres: str) -> None:
    fill_postgres(postgres, "CREATE TABLE events AS SELECT 'a' AS head, 'r' AS rel, 'b' AS tail, 2014 AS year")
    table = read_events(postgres.replace("postgres:@", f"postgres:{SECRET}@"), query="events")
    assert table.report.files[0].name == "postgresql:///postgres"
    assert SECRET not in str(table.report)


def test_a_driver_that_repeats_the_password_is_not_repeated() -> None:
    url = sqlalchemy.make_url(f"postgresql://ann:{SECRET}@host/db?password=also-{SECRET}")
    assert (
        reason_of(RuntimeError(f"no entry for {SECRET}, nor also-{SECRET}\nmore"), url)
        == "no entry for ***, nor also-***"
    )


@pytest.mark.parametrize("source", ["facts.csv", Path("facts.csv"), 42])
def test_a_query_is_for_databases(source: object) -> None:
    message = refusal(source, query="events")
    assert message.startswith("A query needs a database, but ")
    assert "expected a URL (--db URL) such as sqlite:///events.db" in message


@pytest.mark.parametrize(
    ("package", "url"),
    [
        ("sqlalchemy", "sqlite:///{}/events.db"),
        ("duckdb", "duckdb:///{}/events.db"),
        ("psycopg", "postgresql://ann:{}@host/db"),
    ],
)
def test_a_package_that_is_missing(
    package: str, url: str, sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sqlite
    monkeypatch.setitem(sys.modules, package, None)
    message = refusal(url.format(SECRET if package == "psycopg" else tmp_path), query="events")
    assert ", because a package is missing (" in message
    assert "pip install 'tlogic[databases]'" in message
    assert SECRET not in message
