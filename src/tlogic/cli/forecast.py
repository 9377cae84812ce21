"""`tlogic forecast`: what comes next, and why."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.cli.forecasters import ModelFile, RuleFile, check_forecaster, forecasting_kernel, load_forecaster
from tlogic.cli.options import ApplicationOptions, Cluster, DataOptions, Threads
from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic import Forecast, Query, TemporalGraph


def forecast(
    data: DataOptions,
    application: ApplicationOptions,
    rules: RuleFile = None,
    model: ModelFile = None,
    subject: Annotated[str | None, typer.Option(help="Ask for the object of this subject.", metavar="NAME")] = None,
    relation: Annotated[str | None, typer.Option(help="The relation that is asked about.", metavar="NAME")] = None,
    object: Annotated[str | None, typer.Option(help="Ask for the subject of this object.", metavar="NAME")] = None,
    at: Annotated[
        str | None, typer.Option(help="When; the step after the last fact if not given.", metavar="DATE")
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(help="Answer all queries of a file: subject, relation, object, at.", metavar="FILE"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the answers to a .csv, .parquet or .jsonl file.", metavar="FILE")
    ] = None,
    top: Annotated[int, typer.Option(help="How many candidates to give.")] = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show why the first comes first.")] = False,
    candidate: Annotated[
        list[str] | None, typer.Option(help="Explain this candidate; can be given again.", metavar="NAME")
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(help="Show why a model puts the --candidate above this one, or below.", metavar="NAME"),
    ] = None,
    reasons: Annotated[int, typer.Option(help="How many reasons an explanation shows.")] = 3,
    groundings: Annotated[
        int, typer.Option(help="How many groundings of each rule it shows, or facts of each kind of evidence.")
    ] = 1,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the explained candidate's facts to an .svg or .png file.", metavar="FILE")
    ] = None,
    threads: Threads = None,
    cluster: Cluster = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON, an object a query.")] = False,
) -> None:
    """Forecast who comes next in the place of what is left out, the object or the subject, and show why."""
    import tlogic
    from tlogic.forecasting.query_files import read_queries

    check_forecaster(rules, model)
    if model is not None and picture is not None:
        raise SettingsError("Pictures are drawn of rules' groundings; a model has sums. Leave out --picture.")
    if over is not None and (model is None or not candidate):
        raise SettingsError("--over NAME compares with a --candidate NAME, by the sums of a --model MODEL.")
    single = subject is not None or relation is not None or object is not None or at is not None
    explaining = explain or picture is not None or bool(candidate)
    if single == (queries is not None):
        raise SettingsError(
            "Ask one query by --relation and --subject or --object, or many by --queries FILE (with a column at)."
        )
    if queries is not None and explaining:
        raise SettingsError("--explain, --candidate and --picture are for one query, not for a file of them.")
    asked = read_queries(queries) if queries else [tlogic.Query(subject, relation or "?", object, at)]
    graph = data.read(out)
    answers = _forecast(graph, rules, model, asked, application, {"top": top, "threads": threads, "cluster": cluster})
    explanations = _explanations(answers, explaining, candidate or [], over, groundings)
    if picture is not None and explanations:
        explanations[0].draw(picture, reasons)
    _give(answers, explanations, reasons, out, json_output, batch=queries is not None)


def _forecast(
    graph: "TemporalGraph",
    rules: Path | None,
    model: Path | None,
    queries: "list[Query]",
    application: ApplicationOptions,
    options: dict[str, Any],
) -> "Forecast[Any]":
    import tlogic
    from tlogic.cli.console import progress, wait_for_kernels, warn_of_other_steps

    forecaster = load_forecaster(rules, model)
    settings = application.settings() if rules else None
    with wait_for_kernels(forecasting_kernel(model)), progress() as follow:
        answers = tlogic.forecast(graph, forecaster, queries, settings, progress=follow, **options)
    _warn_of_foreign_rules(answers)
    if model is None:
        warn_of_other_steps(graph, forecaster)
    _warn_of_hindsight(answers, forecaster.data.get("until"))
    return answers


def _warn_of_foreign_rules(answers: "Forecast[Any]") -> None:
    """Warn of rules that cannot be applied to this data."""
    from tlogic.cli.console import error_console

    applied = answers.forecaster.description
    if applied.get("rules_foreign") or applied.get("rules") == 0:
        error_console.print(
            f"Warning: {applied['rules']:,} of {applied['rules_given']:,} rules apply; "
            f"{applied['rules_foreign']:,} name relations that the data does not have.",
            markup=False,
        )


def _warn_of_hindsight(answers: "Forecast[Any]", until: str | None) -> None:
    """The facts of a forecast lie before it; those of its rules should too, if it is to be judged by what happened."""
    from tlogic.cli.console import error_console

    timeline = answers.graph.timeline
    try:
        learned = None if until is None else timeline.step_of(until)
    except InputError:
        return  # rules from data with another kind of time
    late = [query.at for query in answers.queries if learned is not None and timeline.step_of(str(query.at)) <= learned]
    if late:
        error_console.print(
            f"Warning: what forecasts was learned from facts up to {until}, so what came after {late[0]} is in it.",
            markup=False,
        )


def _explanations(answers: Any, explaining: bool, named: list[str], over: str | None, groundings: int) -> list[Any]:
    """Why those that were named, or the first, stand where they do; and so what really happened, where it is known.

    Or why those that were named stand above another one, or below.
    """
    if not explaining:
        return []
    if over is not None:
        other = answers.explain(0, over, groundings=groundings)
        return [answers.explain(0, name, groundings=groundings).over(other) for name in dict.fromkeys(named)]
    chosen = named or [candidate.name for candidate in answers[0][:1]]
    return [
        answers.explain(0, name, groundings=groundings) for name in dict.fromkeys([*chosen, *answers.true_answers(0)])
    ]


def _give(
    answers: "Forecast[Any]", explanations: list[Any], reasons: int, out: Path | None, json_output: bool, batch: bool
) -> None:
    from tlogic.cli.console import error_console, print_forecast
    from tlogic.forecasting.query_files import answers_as_csv, answers_as_json, write_answers

    if out is not None:
        write_answers(answers, out)
        error_console.print(f"{len(answers):,} queries answered, written to {out}", markup=False)
        _print(explanations, reasons)
    elif batch:
        print("\n".join(answers_as_json(answers)) if json_output else answers_as_csv(answers).rstrip("\n"))
    elif json_output:
        found = answers.to_dict(0) | {"true_answers": answers.true_answers(0)}
        print(json.dumps(found | _explanations_as_json(explanations), ensure_ascii=False))
    else:
        print_forecast(answers)
        _print(explanations, reasons)


def _explanations_as_json(explanations: list[Any]) -> dict[str, Any]:
    from tlogic.explaining import Comparison

    if not explanations:
        return {}
    name = "comparisons" if isinstance(explanations[0], Comparison) else "explanations"
    return {name: [each.to_dict() for each in explanations]}


def _print(explanations: list[Any], reasons: int) -> None:
    for explanation in explanations:
        print(f"\n{explanation.text(reasons)}")
