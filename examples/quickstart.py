"""From a few facts to a forecast and its reasons.

Run: python examples/quickstart.py
"""

import polars as pl

import tlogic

# One fact per row: who did what to whom, and when.
facts = pl.DataFrame(
    [
        ("Ana", "deploys", "checkout", "2030-01-01"),
        ("checkout", "alerts", "Ana", "2030-01-02"),
        ("Bo", "deploys", "search", "2030-01-03"),
        ("search", "alerts", "Bo", "2030-01-04"),
        ("Chen", "deploys", "login", "2030-01-05"),
        ("login", "alerts", "Chen", "2030-01-06"),
        ("Dita", "deploys", "mailer", "2030-01-07"),
        ("mailer", "alerts", "Dita", "2030-01-08"),
        ("Bo", "deploys", "checkout", "2030-01-09"),
    ],
    schema=["subject", "relation", "object", "time"],
    orient="row",
)

graph = tlogic.read(facts)
rules = tlogic.learn(graph)
for rule in rules.select(head="alerts", lengths=[1]):
    print(rule)

# Whom does checkout alert next?
forecast = tlogic.forecast(graph, rules, [("checkout", "alerts")])
for candidate in forecast[0]:
    print(candidate.name, round(candidate.score, 3))
print(forecast.explain(0, forecast[0][0].name))
