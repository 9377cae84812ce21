"""Read events from a CSV file, learn rules, and write forecasts to a file.

Run: python examples/csv_to_forecasts.py [EVENTS.csv [FORECASTS.csv]]
"""

import sys
from pathlib import Path

import polars as pl

import tlogic

events = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data" / "incidents.csv"
out = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("forecasts.csv")

# tlogic finds the columns by their names: date, source, event and target.
graph = tlogic.read(events)
print(graph)
rules = tlogic.learn(graph)
print(rules)

# One query per service that was deployed on the last day: whom will it alert?
table = pl.read_csv(events)
last_day = table.filter(pl.col("date") == table["date"].max())
deployed = last_day.filter(pl.col("event") == "deploys")["target"].unique(maintain_order=True)
forecast = tlogic.forecast(graph, rules, [(service, "alerts") for service in deployed], top=3)
forecast.frame.write_csv(out)
print(f"{len(deployed)} forecasts are in {out}; the first rows:")
print(out.read_text("utf-8")[:300])
