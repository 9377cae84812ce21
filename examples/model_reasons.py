"""Fit a model, read the reasons for a forecast, and check its probabilities.

Run: python examples/model_reasons.py
"""

from pathlib import Path

import tlogic

# The model learns its weights before the test period; the evaluation ranks the true answers within it.
data = Path(__file__).parent / "data" / "incidents.csv"
graph = tlogic.read(data, valid_from="2030-07-01", test_from="2030-08-01")
model = tlogic.fit(graph)
print(model)
evaluation = tlogic.evaluate(graph, model)
print(evaluation)

# The score of a candidate is a sum, and each part of it has a reason.
forecast = tlogic.forecast(graph, model, [("mailer", "alerts")], top=3)
for candidate in forecast[0]:
    print(f"{candidate.name}: {candidate.probability:.0%}")
first, second = (forecast.explain(0, candidate.name) for candidate in forecast[0][:2])
print(first)
print(first.over(second))

# Candidates with a probability of 30% should be right in about 30% of the cases.
for n, predicted, n_true in zip(*evaluation.reliability.bins, strict=True):
    if n >= 20:
        print(f"predicted {predicted / n:.0%}, observed {n_true / n:.0%} of {n:.0f} candidates")
