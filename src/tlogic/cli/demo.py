"""The tour of the sample world: rules found, forecasts made, one of them explained, and the figures."""

from rich.table import Table

import tlogic
from tlogic.cli.console import console, error_console, progress, wait_for_kernels
from tlogic.events.sample.simulation import PLANTED_RULES
from tlogic.forecasting.application import apply_rules


def run_demo(threads: int | None = None) -> None:
    """Learn on the sample world, forecast its next days, and show why."""
    graph = tlogic.sample()
    console.print(f"[bold]The sample world[/bold]: {graph}\n")
    with wait_for_kernels(apply_rules), progress() as follow:
        rules = tlogic.learn(graph, threads=threads, progress=follow)
        figures = {
            "rules": tlogic.evaluate(graph, rules, threads=threads, progress=follow),
            "fallback alone": tlogic.evaluate(graph, tlogic.RuleSet(()), threads=threads),
        }
    console.print(_planted_beside_learned(rules))
    explanations = _forecast_planted(graph, rules)
    console.print(_forecasts(explanations))
    console.print(f"\n{max(explanations, key=_worth_telling)[0]}\n", markup=False, highlight=False, soft_wrap=True)
    console.print(_figures(figures))
    error_console.print("Next: tlogic sample --out world, then tlogic learn world --out world.rules")


def _planted_beside_learned(rules: tlogic.RuleSet) -> Table:
    learned = {(rule.head, rule.body, rule.variables): rule for rule in rules}
    found = [learned.get((rule.head, rule.body, rule.variables)) for rule in PLANTED_RULES]
    table = Table(
        title=f"{len(rules):,} rules learned; {sum(map(bool, found))} of {len(found)} planted rules among them"
    )
    table.add_column("planted rule", overflow="fold")
    table.add_column("planted", justify="right")
    table.add_column("learned", justify="right")
    for planted, rule in zip(PLANTED_RULES, found, strict=True):
        name = str(rule) if rule else f"{planted.head} <- {', '.join(planted.body)}"
        table.add_row(name, f"{planted.probability:.2f}", f"{rule.confidence:.2f}" if rule else "not found")
    return table


def _forecast_planted(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> list[tuple[tlogic.Explanation, str]]:
    """For each planted head its first test query: the best candidate's explanation, and what came true."""
    first: dict[str, tuple[tlogic.Query, str]] = {}
    for subject, relation, answer, time in zip(*graph.split("test"), strict=True):
        head = graph.relations.name_of(relation)
        query = tlogic.Query(graph.entities.name_of(subject), head, at=graph.timeline.label_of(time))
        first.setdefault(head, (query, graph.entities.name_of(answer)))
    asked = [first[head] for head in dict.fromkeys(rule.head for rule in PLANTED_RULES) if head in first]
    answers = tlogic.forecast(graph, rules, [query for query, _ in asked], top=1)
    return [
        (answers.explain(place, answers[place][0].name), truth)
        for place, (_, truth) in enumerate(asked)
        if answers.by(place) == "rules"
    ]


def _worth_telling(forecast: tuple[tlogic.Explanation, str]) -> tuple[bool, int]:
    """Forecasts that came true first, and among them those whose strongest reasons cite the most facts."""
    why, answer = forecast
    return why.candidate == answer, max(len(set(reason.facts)) for reason in why.strongest())


def _forecasts(explanations: list[tuple[tlogic.Explanation, str]]) -> Table:
    table = Table(title="Forecasts for the first days of the test period, each made from the days before it")
    for column in ("query", "forecast", "score", "what happened"):
        table.add_column(column, overflow="fold")
    for why, answer in explanations:
        right = why.candidate == answer
        table.add_row(
            str(why.query), why.candidate, f"{why.score:.3f}", f"[green]{answer}[/green]" if right else answer
        )
    return table


def _figures(figures: dict[str, tlogic.Evaluation]) -> Table:
    table = Table(title="Test period, every fact asked in both directions (realistic ties)")
    for column in ("", "MRR", "hits@1", "hits@3", "hits@10"):
        table.add_column(column, justify="right" if column else "left")
    for name, evaluation in figures.items():
        table.add_row(name, *(f"{value:.3f}" for value in evaluation.to_dict()["realistic"].values()))
    return table
