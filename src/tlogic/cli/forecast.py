"""`tlogic forecast`: what comes next, and why."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.cli.options import ApplicationOptions, Cluster, DataOptions, Threads
from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic import Forecast, Query, RuleSet, TemporalGraph
    from tlogic.forecasting.forecast import Answered
    from tlogic.models.forecasting import ModelForecast


def forecast(
    data: DataOptions,
    application: ApplicationOptions,
    rules: Annotated[Path | None, typer.Option(help="The rule file to apply.", metavar="RULES")] = None,
    model: Annotated[Path | None, typer.Option(help="A model to use in the place of rules.", metavar="MODEL")] = None,
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

    if (rules is None) == (model is None):
        raise SettingsError("Forecast with one of --rules RULES and --model MODEL.")
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
    how: dict[str, Any] = {"top": top, "threads": threads, "cluster": cluster}
    answers: Any
    if model is not None:
        answers = _by_model(graph, model, asked, how)
    else:
        answers = _by_rules(graph, Path(str(rules)), asked, application, how)
    told = _explanations(answers, explaining, candidate or [], over, groundings)
    if picture is not None and told:
        told[0].draw(picture, reasons)
    _give(answers, told, reasons, out, json_output, batch=queries is not None)


def _by_model(graph: "TemporalGraph", path: Path, asked: "list[Query]", how: dict[str, Any]) -> "ModelForecast":
    import tlogic
    from tlogic.cli.console import wait_for_kernels
    from tlogic.evidence.families.one_step_rules import advance

    model = tlogic.Model.load(path)
    with wait_for_kernels(advance):
        answers = tlogic.forecast(graph, model, asked, **how)
    _warn_of_hindsight(answers, model.data.get("until"))
    return answers


def _by_rules(
    graph: "TemporalGraph",
    path: Path,
    asked: "list[Query]",
    application: ApplicationOptions,
    how: dict[str, Any],
) -> "Forecast":
    import tlogic
    from tlogic.cli.console import progress, wait_for_kernels
    from tlogic.forecasting.application import apply_rules

    settings, rules = application.settings(), tlogic.RuleSet.load(path)
    with wait_for_kernels(apply_rules), progress() as follow:
        answers = tlogic.forecast(graph, rules, asked, settings, progress=follow, **how)
    _warn(answers, rules)
    return answers


def _warn(answers: "Forecast", rules: "RuleSet") -> None:
    """What a user should know of rules and queries that do not go well together."""
    from tlogic.cli.console import error_console, warn_of_other_steps

    forecaster = answers.forecaster
    if forecaster.n_foreign or not forecaster.rules:
        error_console.print(
            f"Warning: {len(forecaster.rules):,} of {len(rules):,} rules apply; "
            f"{forecaster.n_foreign:,} name relations that the data does not have.",
            markup=False,
        )
    warn_of_other_steps(forecaster.graph, rules)
    _warn_of_hindsight(answers, rules.data.get("until"))


def _warn_of_hindsight(answers: "Answered", until: str | None) -> None:
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


def _give(answers: "Answered", told: list[Any], reasons: int, out: Path | None, json_output: bool, batch: bool) -> None:
    from tlogic.cli.console import error_console, print_forecast
    from tlogic.forecasting.query_files import answers_as_csv, answers_as_json, write_answers

    if out is not None:
        write_answers(answers, out)
        error_console.print(f"{len(answers):,} queries answered, written to {out}", markup=False)
        _tell(told, reasons)
    elif batch:
        print("\n".join(answers_as_json(answers)) if json_output else answers_as_csv(answers).rstrip("\n"))
    elif json_output:
        found = answers.to_dict(0) | {"true_answers": answers.true_answers(0)}
        print(json.dumps(found | _told_as_json(told), ensure_ascii=False))
    else:
        print_forecast(answers)
        _tell(told, reasons)


def _told_as_json(told: list[Any]) -> dict[str, Any]:
    from tlogic.models.scoresheet import Comparison

    if not told:
        return {}
    name = "comparisons" if isinstance(told[0], Comparison) else "explanations"
    return {name: [each.to_dict() for each in told]}


def _tell(told: list[Any], reasons: int) -> None:
    for explanation in told:
        print(f"\n{explanation.text(reasons)}")
