"""`tlogic forecast`: what comes next, and why."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.options import ApplicationOptions, DataOptions, Threads
from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic import Explanation, Forecast, RuleSet


def forecast(
    data: DataOptions,
    rules: Annotated[Path, typer.Option(help="The rule file to apply.", metavar="RULES")],
    application: ApplicationOptions,
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
    reasons: Annotated[int, typer.Option(help="How many reasons an explanation shows.")] = 3,
    groundings: Annotated[int, typer.Option(help="How many groundings of each rule it shows.")] = 1,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the explained candidate's facts to an .svg or .png file.", metavar="FILE")
    ] = None,
    threads: Threads = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON, an object a query.")] = False,
) -> None:
    """Forecast who comes next in the place of what is left out, the object or the subject, and show why."""
    import tlogic
    from tlogic.cli.console import progress, wait_for_kernels
    from tlogic.forecasting.application import apply_rules
    from tlogic.forecasting.batches import read_queries

    single = subject is not None or relation is not None or object is not None or at is not None
    explaining = explain or picture is not None or bool(candidate)
    if single == (queries is not None):
        raise SettingsError(
            "Ask one query by --relation and --subject or --object, or many by --queries FILE (with a column at)."
        )
    if queries is not None and explaining:
        raise SettingsError("--explain, --candidate and --picture are for one query, not for a file of them.")
    asked = read_queries(queries) if queries else [tlogic.Query(subject, relation or "?", object, at)]
    settings = application.settings()
    rule_set = tlogic.RuleSet.load(rules)
    graph = data.read()
    with wait_for_kernels(apply_rules), progress() as follow:
        answers = tlogic.forecast(graph, rule_set, asked, settings, top=top, threads=threads, progress=follow)
    _warn(answers, rule_set)
    told = _explanations(answers, explaining, candidate or [], groundings)
    if picture is not None and told:
        told[0].draw(picture, reasons)
    _give(answers, told, reasons, out, json_output, batch=queries is not None)


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


def _warn_of_hindsight(answers: "Forecast", until: str | None) -> None:
    """The facts of a forecast lie before it; those of its rules should too, if it is to be judged by what happened."""
    from tlogic.cli.console import error_console

    timeline = answers.forecaster.graph.timeline
    try:
        learned = None if until is None else timeline.step_of(until)
    except InputError:
        return  # rules from data with another kind of time
    late = [query.at for query in answers.queries if learned is not None and timeline.step_of(str(query.at)) <= learned]
    if late:
        error_console.print(
            f"Warning: the rules were learned from facts up to {until}, so what came after {late[0]} is in them.",
            markup=False,
        )


def _explanations(answers: "Forecast", explaining: bool, named: list[str], groundings: int) -> list["Explanation"]:
    """Why those that were named, or the first, stand where they do; and so what really happened, where it is known."""
    if not explaining:
        return []
    chosen = named or [candidate.name for candidate in answers[0][:1]]
    return [
        answers.explain(0, name, groundings=groundings) for name in dict.fromkeys([*chosen, *answers.true_answers(0)])
    ]


def _give(
    answers: "Forecast", told: list["Explanation"], reasons: int, out: Path | None, json_output: bool, batch: bool
) -> None:
    from tlogic.cli.console import error_console, print_forecast
    from tlogic.forecasting.batches import answers_as_csv, answers_as_json, write_answers

    if out is not None:
        write_answers(answers, out)
        error_console.print(f"{len(answers):,} queries answered, written to {out}", markup=False)
        _tell(told, reasons)
    elif batch:
        print("\n".join(answers_as_json(answers)) if json_output else answers_as_csv(answers).rstrip("\n"))
    elif json_output:
        found = answers.to_dict(0) | {"true_answers": answers.true_answers(0)}
        why = {"explanations": [explanation.to_dict() for explanation in told]} if told else {}
        print(json.dumps(found | why, ensure_ascii=False))
    else:
        print_forecast(answers)
        _tell(told, reasons)


def _tell(told: list["Explanation"], reasons: int) -> None:
    for explanation in told:
        print(f"\n{explanation.text(reasons)}")
