"""A new user's path: from a table with odd headers and dates to rules, a forecast and why; by command and by API."""

import csv
import json
from datetime import date, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

import tlogic
from tests.cli.running import run_process
from tlogic.events.sample.world import FIRST_DAY

HEADER = ["Event ID", "Event Date", "Source Name", "Event Text", "Target Name", "Intensity"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample world as somebody would export it: other columns between, date-times with zones, repeated rows."""
    graph = tlogic.sample()
    path = tmp_path_factory.mktemp("own") / "export 2031.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for number, (s, r, o, t) in enumerate(zip(*(column.tolist() for column in graph.facts), strict=True)):
            when = datetime.combine(date.fromisoformat(str(FIRST_DAY)) + timedelta(days=t), datetime.min.time())
            names = graph.entities.name_of(s), graph.relations.name_of(r), graph.entities.name_of(o)
            row = [number, f"{when + timedelta(hours=9):%Y-%m-%dT%H:%M:%S}+02:00", *names, -2.5]
            writer.writerows([row] * (2 if number % 50 == 0 else 1))
    return path


def test_by_command(table: Path) -> None:
    rules = table.with_name("own.rules")
    learned = run_process("learn", table, "--out", rules, "--step", "1d", "--test-from", "2031-02-10")
    assert learned.returncode == 0, learned.stderr
    assert "steps of 1 day (as given)" in learned.stderr
    assert "236 duplicates" in learned.stderr
    asked = ["--subject", "Kite Aviation", "--relation", "sue", "--at", "2031-02-10"]
    done = run_process("forecast", table, "--step", "1d", "--rules", rules, *asked, "--explain", "--json")
    told = json.loads(done.stdout)
    assert told["candidates"][0]["name"] == "Northlight Energy"
    cited = [fact for reason in told["explanations"][0]["reasons"] for fact in reason["groundings"][0]]
    bid = {"subject": "Northlight Energy", "relation": "bid_for", "object": "Kite Aviation", "time": "2031-02-09"}
    assert bid in cited


def test_by_api(table: Path) -> None:
    frame = pd.read_csv(table)
    graph = tlogic.read(frame, step="1d", test_from="2031-02-10")
    assert graph.facts.time.tolist() == tlogic.sample().facts.time.tolist()
    rules = tlogic.learn(graph)
    forecast = tlogic.forecast(graph, rules, [("Kite Aviation", "sue", None, "2031-02-10")])
    assert forecast[0][0].name == "Northlight Energy"
    why = forecast.explain(0, "Northlight Energy")
    assert any(
        str(fact) == "2031-02-09  Northlight Energy — bid_for → Kite Aviation" for fact in why.strongest()[0].facts
    )
    assert forecast.frame.to_pandas()["candidate"][0] == "Northlight Energy"
