"""`tlogic demo`: learn from the sample world, forecast its next days and explain one forecast."""

from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.options import Threads
from tlogic.cli.serve import Port, serve_sample

if TYPE_CHECKING:
    from rich.table import Table

    from tlogic.evaluation import Evaluation
    from tlogic.explaining import RuleExplanation
    from tlogic.graph import TemporalGraph
    from tlogic.rules import RuleSet


def demo(
    serve: Annotated[bool, typer.Option("--serve", help="Show the demo on a page in the browser instead.")] = False,
    port: Port = 8080,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page with --serve.")] = True,
    threads: Threads = None,
) -> None:
    """Learn rules from the sample world, forecast its next days and explain a forecast."""
    if serve:
        serve_sample(port, browser, threads)
    else:
        _run(threads)


def _run(threads: int | None) -> None:
    """Print the planted and the learned rules, some forecasts, one explanation and the metrics."""
    from tlogic import api
    from tlogic.cli.console import console, error_console, progress, wait_for_kernels
    from tlogic.forecasting.application import apply_rules
    from tlogic.rules import RuleSet

    graph = api.sample()
    console.print(f"[bold]The sample world[/bold]: {graph}\n")
    with wait_for_kernels(apply_rules), progress() as follow:
        rules = api.learn(graph, threads=threads, progress=follow)
        evaluations = {
            "rules": api.evaluate(graph, rules, threads=threads, progress=follow),
            "fallback alone": api.evaluate(graph, RuleSet(()), threads=threads),
        }
    console.print(_rule_table(rules))
    forecasts = _forecast_planted_heads(graph, rules)
    console.print(_forecast_table(forecasts))
    explanation, _ = max(forecasts, key=_explanation_order)
    console.print(f"\n{explanation}\n", markup=False, highlight=False, soft_wrap=True)
    console.print(_metric_table(evaluations))
    error_console.print("Next: tlogic sample --out world, then tlogic learn world --out world.rules")


def _rule_table(rules: "RuleSet") -> "Table":
    """The planted rules with their planted probability and their learned confidence."""
    from rich.table import Table

    from tlogic.events.sample.simulation import PLANTED_RULES

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


def _forecast_planted_heads(graph: "TemporalGraph", rules: "RuleSet") -> "list[tuple[RuleExplanation, str]]":
    """For the first test query of each planted head: the best candidate's explanation, and the true answer."""
    from tlogic import api
    from tlogic.events.sample.simulation import PLANTED_RULES
    from tlogic.forecasting import Query

    first: dict[str, tuple[Query, str]] = {}
    for subject, relation, answer, time in zip(*graph.split("test"), strict=True):
        head = graph.relations.name_of(relation)
        query = Query(graph.entities.name_of(subject), head, at=graph.timeline.label_of(time))
        first.setdefault(head, (query, graph.entities.name_of(answer)))
    queries = [first[head] for head in dict.fromkeys(rule.head for rule in PLANTED_RULES) if head in first]
    forecast = api.forecast(graph, rules, [query for query, _ in queries], top=1)
    return [
        (forecast.explain(index, forecast[index][0].name), answer)
        for index, (_, answer) in enumerate(queries)
        if forecast.by(index) == "rules"
    ]


def _explanation_order(forecast: "tuple[RuleExplanation, str]") -> tuple[bool, int]:
    """Correct forecasts first; among them, those whose strongest reasons cite the most facts."""
    explanation, answer = forecast
    return explanation.candidate == answer, max(len(set(reason.facts)) for reason in explanation.strongest())


def _forecast_table(forecasts: "list[tuple[RuleExplanation, str]]") -> "Table":
    from rich.table import Table

    table = Table(title="Forecasts for the first days of the test period, each made from the days before it")
    for column in ("query", "forecast", "score", "true answer"):
        table.add_column(column, overflow="fold")
    for explanation, answer in forecasts:
        is_true = explanation.candidate == answer
        table.add_row(
            str(explanation.query),
            explanation.candidate,
            f"{explanation.score:.3f}",
            f"[green]{answer}[/green]" if is_true else answer,
        )
    return table


def _metric_table(evaluations: "dict[str, Evaluation]") -> "Table":
    from rich.table import Table

    table = Table(title="Test period, every fact queried in both directions (realistic ties)")
    for column in ("", "MRR", "hits@1", "hits@3", "hits@10"):
        table.add_column(column, justify="right" if column else "left")
    for name, evaluation in evaluations.items():
        table.add_row(name, *(f"{value:.3f}" for value in evaluation.to_dict()["realistic"].values()))
    return table
