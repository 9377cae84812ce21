import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.running import assert_refused, run, run_process

QUERY = ["--subject", "Kite Aviation", "--relation", "sue"]


def test_candidates_are_shown_with_what_came_true(world: Path, rule_file: Path) -> None:
    done = run("forecast", world, "--rules", rule_file, *QUERY, "--at", "2031-02-10", "--top", 4)
    assert done.returncode == 0, done.stderr
    assert "(Kite Aviation, sue, ?, 2031-02-10)" in done.stdout
    assert "Northlight Energy ✓" in done.stdout
    assert done.stdout.count("0.") == 4


def test_without_a_time_the_next_step_is_forecast(world: Path, rule_file: Path) -> None:
    done = run("forecast", world, "--rules", rule_file, "--object", "kite aviation", "--relation", "sue")
    assert "(?, sue, Kite Aviation, 2031-03-27)" in done.stdout
    assert "✓" not in done.stdout


def test_explanations_in_text_json_and_a_picture(world: Path, rule_file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "why.svg"
    command = ["forecast", world, "--rules", rule_file, *QUERY, "--at", "2031-02-10", "--explain"]
    text = run_process(*command, "--reasons", 2, "--picture", picture)
    assert text.returncode == 0, text.stderr
    assert "Why Northlight Energy for (Kite Aviation, sue, ?, 2031-02-10)?" in text.stdout
    assert "2031-02-09  Northlight Energy — bid_for → Kite Aviation" in text.stdout
    assert "<svg" in picture.read_text(encoding="utf-8")
    found = json.loads(run(*command, "--json", "--groundings", 3).stdout)
    assert found["candidates"][0]["name"] == "Northlight Energy"
    assert found["true_answers"] == ["Northlight Energy"]
    [why] = found["explanations"]
    assert why["rank"] == 1
    assert max(len(reason["groundings"]) for reason in why["reasons"]) == 3


def test_a_named_candidate_and_the_true_answer_are_explained(world: Path, rule_file: Path) -> None:
    done = run("forecast", world, "--rules", rule_file, *QUERY, "--at", "2031-02-10", "--candidate", "Corvan Railways")
    assert "Why Corvan Railways" in done.stdout
    assert "Why Northlight Energy" in done.stdout


def test_a_candidate_in_another_spelling_is_explained_once(world: Path, rule_file: Path) -> None:
    command = ["forecast", world, "--rules", rule_file, *QUERY, "--at", "2031-02-10"]
    done = run(*command, "--candidate", "northlight_energy")
    assert done.stdout.count("Why Northlight Energy") == 1, done.stderr


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_file_of_queries_is_answered_to_a_file(world: Path, rule_file: Path, tmp_path: Path, kind: str) -> None:
    queries, out = tmp_path / "queries.csv", tmp_path / f"answers.{kind}"
    queries.write_text("subject,relation,object,at\nKite Aviation,sue,?,2031-02-10\n,fine,Lighthouse Trust,\n")
    done = run("forecast", world, "--rules", rule_file, "--queries", queries, "--out", out, "--top", 5)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "2 queries answered" in done.stderr
    lines = pl.read_parquet(out).rows() if kind == "parquet" else out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == {"csv": 1 + 10, "parquet": 10, "jsonl": 2}[kind]


def test_a_file_of_queries_is_answered_to_the_screen(world: Path, rule_file: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.csv"
    queries.write_text("subject,relation\nKite Aviation,sue\nCinder Steel,sue\n")
    table = run("forecast", world, "--rules", rule_file, "--queries", queries, "--top", 1).stdout
    assert table.splitlines()[0] == "query,subject,relation,object,at,rank,candidate,score,by"
    assert table.splitlines()[1].startswith("0,Kite Aviation,sue,?,2031-03-27,1,")
    lines = run("forecast", world, "--rules", rule_file, "--queries", queries, "--json").stdout.splitlines()
    assert [json.loads(line)["query"]["subject"] for line in lines] == ["Kite Aviation", "Cinder Steel"]


def test_errors_in_a_file_of_queries_name_the_line(world: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.csv"
    command = ["forecast", world, "--rules", "none.rules", "--queries", queries, "--quiet"]
    queries.write_text("subject,relation,at\nNobody,sue,\n")
    assert_refused(run(*command), f"{queries} line 2, (Nobody, sue, ?, next): Unknown entity 'Nobody'")
    queries.write_text("subject,relation,at\nKite Aviation,sue,\nKite Aviation,sue,soon\n")
    assert_refused(run(*command), f"{queries} line 3, (Kite Aviation, sue, ?, soon): ")


def test_a_file_of_queries_is_explained_in_json_lines(world: Path, rule_file: Path, tmp_path: Path) -> None:
    """Explanations of many queries are those of single ones, whatever the order of the queries in time."""
    queries, out = tmp_path / "queries.csv", tmp_path / "why.jsonl"
    queries.write_text("subject,relation,at\nKite Aviation,sue,2031-02-10\nCinder Steel,sue,2031-01-05\n")
    options = [world, "--rules", rule_file, "--explain"]
    assert run("forecast", *options, "--queries", queries, "--out", out).returncode == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [json.loads(line) for line in run("forecast", *options, "--queries", queries, "--json").stdout.splitlines()]
    for line in lines:
        single = ["--subject", line["query"]["subject"], "--relation", "sue", "--at", line["query"]["at"]]
        alone = json.loads(run("forecast", *options, *single, "--json").stdout)
        assert line["explanations"] == alone["explanations"]
        assert line["note"] == alone["note"] == "Scores rank candidates; they are not probabilities."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--subject", "Kite Aviaton", "--relation", "sue"], "did you mean 'Kite Aviation'"),
        (["--subject", "Kite Aviation", "--relation", "seu"], "did you mean"),
        (["--subject", "Kite Aviation"], "needs a relation"),
        ([], "Expected one query"),
        ([*QUERY, "--queries", "some.csv"], "Expected one query"),
        (["--queries", "some.csv", "--candidate", "Kite Aviation"], "need a single query"),
        (["--queries", "some.csv", "--explain"], "are JSON Lines"),
        (["--queries", "some.csv", "--explain", "--out", "why.csv"], "are JSON Lines"),
        (["--queries", "some.csv"], "There is no file some.csv"),
        ([*QUERY, "--at", "soon"], "'soon' is not understood"),
        ([*QUERY, "--at", "1999-01-01"], "There are no facts before 1999-01-01"),
        ([*QUERY, "--candidate", "Nobody Known"], "Unknown entity 'Nobody Known'"),
        ([*QUERY, "--picture", "why.doc"], ".svg or .png"),
        ([*QUERY, "--top", "0"], "1 or more"),
        ([*QUERY, "--out", "answers.doc"], ".csv, .parquet, .jsonl"),
        ([*QUERY, "--window", "-3"], "window must be 1 or more"),
        ([*QUERY, "--window", 10**20], "window must be 1,152,921,504,606,846,976 or less"),
        ([*QUERY, "--max-groundings", 10**20], "max_groundings must be 1,152,921,504,606,846,976 or less"),
    ],
)
def test_bad_input_ends_with_one_message(world: Path, rule_file: Path, options: list[str], message: str) -> None:
    assert_refused(run("forecast", world, "--rules", rule_file, *options), message)


def test_names_cannot_style_the_output(tmp_path: Path) -> None:
    facts = tmp_path / "facts.csv"
    rows = [f"[red]Ann[/red],[b]calls,[link=x]Bo,2030-01-{day:02}" for day in range(1, 20)]
    facts.write_text("subject,relation,object,date\n" + "\n".join(rows))
    rule_file = tmp_path / "few.rules"
    assert run("learn", facts, "--out", rule_file).returncode == 0
    done = run(
        "forecast", facts, "--rules", rule_file, "--subject", "[red]Ann[/red]", "--relation", "[b]calls", "--explain"
    )
    assert done.returncode == 0, done.stderr
    assert "[link=x]Bo" in done.stdout
    assert "[red]Ann[/red] — [b]calls → [link=x]Bo" in done.stdout


def test_rules_that_do_not_fit_the_data_cause_a_warning(world: Path, tmp_path: Path) -> None:
    rules = tmp_path / "some.txt"
    rules.write_text("3/4 sue(X, Y, T2) <- bid_for^-1(X, Y, T1)\n1/2 sue(X, Y, T2) <- orbit(X, Y, T1)\n")
    done = run("forecast", world, "--rules", rules, *QUERY)
    assert "1 of 2 rules apply; 1 have relations that the data does not have" in done.stderr
    weekly = tmp_path / "weekly.rules"
    weeks = ["--step", "1w", "--test-from", "2031-02-10", "--lengths", 1, "--walks", 5]
    assert run("learn", world, "--out", weekly, *weeks).returncode == 0
    for command in (["forecast", *QUERY], ["evaluate"]):
        done = run(command[0], world, "--rules", weekly, *command[1:])
        assert "learned with time steps of 1 week, but the data has steps of 1 day" in done.stderr


def test_forecasting_with_rules_from_later_facts_causes_a_warning(world: Path, rule_file: Path) -> None:
    early = run("forecast", world, "--rules", rule_file, *QUERY, "--at", "2030-06-01")
    assert "so they may reflect facts from 2030-06-01 on" in early.stderr
    assert "Warning" not in run("forecast", world, "--rules", rule_file, *QUERY, "--quiet").stderr
