"""The tour of the sample world: rules found, forecasts made, one of them explained, and the figures."""

from rich.table import Table

import tlogic
from tlogic.cli.console import console, error_console, progress, wait_for_kernels
from tlogic.events.sample import PLANTED_RULES
from tlogic.explaining import Explanation, explain
from tlogic.forecasting import Forecaster
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
    forecaster = Forecaster(graph, rules, tlogic.ApplicationSettings())
    explanations = _forecast_planted(forecaster)
    console.print(_forecasts(explanations))
    _tell(max(explanations, key=_worth_telling)[0])
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


def _forecast_planted(forecaster: Forecaster) -> list[tuple[Explanation, str]]:
    """For each planted head its first test query: the best candidate's explanation, and what came true."""
    graph = forecaster.graph
    heads = {graph.relations.id_of(rule.head) for rule in PLANTED_RULES}
    told = []
    for subject, relation, answer, time in zip(*graph.split("test"), strict=True):
        best = forecaster.best_candidate(subject, relation, time) if relation in heads else None
        if best is not None:
            heads.remove(relation)
            names = graph.entities.name_of(subject), graph.relations.name_of(relation)
            why = explain(forecaster, *names, graph.entities.name_of(best), graph.timeline.label_of(time))
            told.append((why, graph.entities.name_of(answer)))
    return told


def _worth_telling(forecast: tuple[Explanation, str]) -> tuple[bool, int]:
    """Forecasts that came true first, and among them those whose strongest reasons cite the most facts."""
    why, answer = forecast
    return why.candidate == answer, max(len(set(reason.facts)) for reason in why.strongest())


def _forecasts(explanations: list[tuple[Explanation, str]]) -> Table:
    table = Table(title="Forecasts for the first days of the test period, each made from the days before it")
    for column in ("query", "forecast", "score", "what happened"):
        table.add_column(column, overflow="fold")
    for why, answer in explanations:
        right = why.candidate == answer
        table.add_row(why.query, why.candidate, f"{why.score:.3f}", f"[green]{answer}[/green]" if right else answer)
    return table


def _tell(why: Explanation) -> None:
    console.print(
        f"\n[bold]Why {why.candidate} for {why.query}?[/bold] {len(why.reasons)} rules say so; the strongest:"
    )
    for reason in why.strongest():
        console.print(f"  {reason.score:.3f} by a rule of confidence {reason.rule.confidence:.2f}: {reason.rule}")
        for fact in reason.facts:
            console.print(f"        {fact}")
    console.print(f"  All reasons together, by noisy-OR: {why.score:.3f}\n")


def _figures(figures: dict[str, tlogic.Evaluation]) -> Table:
    table = Table(title="Test period, every fact asked in both directions (realistic ties)")
    for column in ("", "MRR", "hits@1", "hits@3", "hits@10"):
        table.add_column(column, justify="right" if column else "left")
    for name, evaluation in figures.items():
        table.add_row(name, *(f"{value:.3f}" for value in evaluation.to_dict()["realistic"].values()))
    return table
