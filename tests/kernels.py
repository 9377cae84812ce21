"""Compile the kernels, which keeps them for all later processes: `python -m tests.kernels`.

Tests that run side by side would otherwise each compile what they need, and write to the same files while they do.
"""

import tlogic
from tlogic.evaluation import evaluate_many


def compile_kernels() -> None:
    """Use everything once, on little data."""
    graph = tlogic.sample(days=60)
    rules = tlogic.learn(graph, walks=5)
    tlogic.learn(graph, walks=5, lengths=(1, 4), transition="unif")
    tlogic.learn(graph, walks=5, confidence="exact")
    tlogic.measure(graph, rules)
    tlogic.evaluate(graph, rules)
    evaluate_many(graph, rules, [tlogic.ApplicationSettings(alpha=share) for share in (0.0, 0.5, 1.0)])
    for knowledge in (rules, tlogic.fit(graph)):
        tlogic.evaluate(graph, knowledge)
        answers = tlogic.forecast(graph, knowledge, [("Kite Aviation", "sue", None)])
        answers.explain(0, answers[0][0].name)


if __name__ == "__main__":
    compile_kernels()
