"""`tlogic surprises`: events that were improbable beforehand, and likely events that failed to happen."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tlogic import api
from tlogic.cli.data_options import DataOptions
from tlogic.cli.forecasters import default_model, load_model
from tlogic.cli.options import OutOption, Threads, default_of
from tlogic.cli.outlook import Model


def surprises(
    data: DataOptions,
    since: Annotated[str, typer.Option(help="The first date of the period.", metavar="DATE")],
    model: Model = None,
    top: Annotated[int, typer.Option(help="The number of events of both kinds to list.", metavar="N")] = default_of(
        api.surprises, "top"
    ),
    explain: Annotated[bool, typer.Option("--explain", help="Explain the probabilities.")] = False,
    reasons: Annotated[int, typer.Option(help="The number of reasons to show per event.", metavar="N")] = 3,
    out: Annotated[
        Path | None,
        OutOption(help="Write the improbable events to a .csv, .parquet or .jsonl file.", metavar="FILE"),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    threads: Threads = None,
) -> None:
    """List the events of DATA since a date that were least probable, and those that failed to happen."""
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.cli.event_files import check_event_file, write_events
    from tlogic.cli.explanation_output import print_explanations
    from tlogic.cli.monitoring_output import print_surprises
    from tlogic.evidence.occurrence_evidence import extract_kernel

    check_event_file(out, explain=explain)
    graph = data.read(out)
    fitted = load_model(model, lambda: default_model(graph, threads, before=graph.timeline.step_of(since)))
    with wait_for_kernels(extract_kernel), progress() as follow:
        found = api.surprises(graph, fitted, since=since, top=top, threads=threads, progress=follow)
    with progress() as follow:
        happened, missing = found.explain_all(progress=follow) if explain else ([], [])
    if out is not None:
        details = {"explanation": [each.to_dict() for each in happened]} if explain else {}
        write_events(found.events, out, details)
        error_console.print(f"{found.events.height:,} events written to {out}", markup=False)
        return
    explanations = happened + missing
    if json_output:
        told = {"explanations": [each.to_dict() for each in explanations]} if explain else {}
        print(json.dumps(found.to_dict() | told, ensure_ascii=False))
        return
    print_surprises(found)
    print_explanations(each.text(reasons) for each in explanations)
