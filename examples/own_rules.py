"""Write rules by hand, measure them on data, and forecast with them.

Run: python examples/own_rules.py
"""

from pathlib import Path

import tlogic
from tlogic.rules import in_words, parse_rule

graph = tlogic.read(Path(__file__).parent / "data" / "incidents.csv")

# X, Y and Z are entities, T1 < T2 are times, and ^-1 inverts a relation. Names with spaces are quoted.
hypotheses = [
    "alerts(X, Y, T2) <- deploys^-1(X, Y, T1)",
    '"rolls back"(X, Y, T2) <- alerts^-1(X, Y, T1)',
    'alerts(X, Y, T3) <- "waits for"^-1(X, Z, T1), alerts(Z, Y, T2)',
]
rules = tlogic.measure(graph, [parse_rule(text) for text in hypotheses], confidence="exact")
for rule in rules:
    print(f"{rule.confidence:.2f}  {rule.rule_support} of {rule.body_support}  {in_words(rule)}")

# With a high decay the score falls fast with the age of the facts, so the newest ones decide.
forecast = tlogic.forecast(graph, rules, [("refunds", "alerts")], decay=1.0)
print(forecast.explain(0, forecast[0][0].name))
