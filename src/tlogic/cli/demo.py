"""`tlogic demo`: a tour of the sample world: planted rules, calibrated forecasts, a reason, likely events, figures."""

from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.options import Threads
from tlogic.cli.serve import Port, serve_sample

if TYPE_CHECKING:
    from rich.table import Table

    from tlogic.evaluation import Evaluation
    from tlogic.explaining import ModelExplanation
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.monitoring import Outlook
    from tlogic.rules import RuleSet

_N_LIKELY = 5


def demo(
    serve: Annotated[bool, typer.Option("--serve", help="Show the demo on a page in the browser instead.")] = False,
    port: Port = 8080,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page with --serve.")] = True,
    threads: Threads = None,
) -> None:
    """Fit a model to the sample world, forecast its next days, and explain a forecast."""
    if serve:
        serve_sample(port, browser, threads)
    else:
        _run(threads)


def _run(threads: int | None) -> None:
    """Print the planted and the learned rules, some forecasts, one explanation, likely events and the metrics."""
    from tlogic import api
    from tlogic.cli.console import console, error_console, progress, wait_for_kernels
    from tlogic.cli.explanation_output import print_explanations
    from tlogic.cli.reliability_output import reliability_table
    from tlogic.models.softmax import scores_of
    from tlogic.rules import RuleSet

    graph = api.sample()
    console.print(f"[bold]The sample world[/bold]: {graph}\n")
    with wait_for_kernels(scores_of), progress() as follow:
        model = api.fit(graph, threads=threads, progress=follow)
        rules = api.learn(graph, threads=threads, progress=follow)
        evaluations = {
            "model": api.evaluate(graph, model, threads=threads, progress=follow),
            "rules": api.evaluate(graph, rules, threads=threads, progress=follow),
            "fallback alone": api.evaluate(graph, RuleSet(()), threads=threads),
        }
        likely = api.outlook(graph, model, horizon="7d", top=_N_LIKELY, threads=threads)
    console.print(_rule_table(rules))
    forecasts = _forecast_planted_heads(graph, model)
    console.print(_forecast_table(forecasts))
    explanation, _ = max(forecasts, key=_explanation_order)
    print_explanations([explanation.text(3)])
    console.print()
    console.print(reliability_table(evaluations["model"]))
    console.print(_likely_table(likely))
    console.print(_metric_table(evaluations))
    error_console.print(
        "Next: tlogic demo --serve shows this world on a page in your browser.\n"
        "Your own events: tlogic forecast EVENTS.csv --subject NAME --relation NAME --explain"
    )


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


def _forecast_planted_heads(graph: "TemporalGraph", model: "Model") -> "list[tuple[ModelExplanation, str]]":
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
    forecast = api.forecast(graph, model, [query for query, _ in queries], top=1)
    return [(forecast.explain(index, forecast[index][0].name), answer) for index, (_, answer) in enumerate(queries)]


def _explanation_order(forecast: "tuple[ModelExplanation, str]") -> tuple[bool, int, float]:
    """Correct forecasts first; among them, those whose strongest reasons cite the most facts."""
    explanation, answer = forecast
    return explanation.candidate == answer, len(explanation.facts_behind(3)), explanation.probability


def _forecast_table(forecasts: "list[tuple[ModelExplanation, str]]") -> "Table":
    from rich.table import Table

    from tlogic.forecasting.answers import as_percent

    table = Table(title="Forecasts for the first days of the test period")
    for column in ("query", "forecast", "probability", "true answer"):
        table.add_column(column, overflow="fold")
    for explanation, answer in forecasts:
        is_true = explanation.candidate == answer
        table.add_row(
            str(explanation.query),
            explanation.candidate,
            as_percent(explanation.probability),
            f"[green]{answer} ✓[/green]" if is_true else answer,
        )
    return table


def _likely_table(likely: "Outlook") -> "Table":
    from rich.table import Table

    from tlogic.forecasting.answers import as_percent

    table = Table(title=f"The most likely events from {likely.since} to {likely.until}")
    for column in ("event", "probability", "last time"):
        table.add_column(column, overflow="fold")
    for event in likely:
        name = f"{event.subject} — {event.relation} → {event.object}"
        table.add_row(name, as_percent(event.probability), event.last or "never")
    return table


def _metric_table(evaluations: "dict[str, Evaluation]") -> "Table":
    from rich.table import Table

    table = Table(title="How high the true answers rank in the test period")
    for column in ("", "MRR", "hits@1", "hits@3", "hits@10"):
        table.add_column(column, justify="right" if column else "left")
    for name, evaluation in evaluations.items():
        table.add_row(name, *(f"{value:.3f}" for value in evaluation.to_dict()["realistic"].values()))
    return table
