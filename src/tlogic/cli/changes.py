"""`tlogic changes`: entities, pairs and relations whose rate of events, or probability, moved most."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tlogic import api
from tlogic.cli.data_options import DataOptions
from tlogic.cli.options import OutOption, Threads, default_of
from tlogic.errors import SettingsError


def changes(
    data: DataOptions,
    since: Annotated[str, typer.Option(help="The first date of the period of interest.", metavar="DATE")],
    model: Annotated[
        Path | None,
        typer.Option(help="Compare probabilities as well, which this model file gives.", metavar="MODEL"),
    ] = None,
    horizon: Annotated[
        str | None,
        typer.Option(
            help='The horizon of the probabilities: "7d", "2w", or a number of time steps; by default 1.',
            metavar="SPAN",
        ),
    ] = None,
    top: Annotated[int, typer.Option(help="The number of changes of each kind to list.", metavar="N")] = default_of(
        api.changes, "top"
    ),
    explain: Annotated[bool, typer.Option("--explain", help="Explain the changes by the events behind them.")] = False,
    reasons: Annotated[int, typer.Option(help="The number of events to show per explanation.", metavar="N", min=1)] = 3,
    out: Annotated[
        Path | None, OutOption(help="Write the changes to a .csv, .parquet or .jsonl file.", metavar="FILE")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    threads: Threads = None,
) -> None:
    """List the entities, pairs and relations of DATA whose rate of events changed most since a date.

    With --model, also those whose probability of at least one event within the horizon changed most.
    """
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.cli.event_files import check_event_file, write_events
    from tlogic.cli.explanation_output import print_explanations
    from tlogic.cli.monitoring_output import print_changes
    from tlogic.evidence.occurrence_evidence import extract_kernel

    if horizon is not None and model is None:
        raise SettingsError("--horizon needs --model MODEL, which gives the probabilities.")
    check_event_file(out, explain=explain)
    graph = data.read(out)
    kernels = () if model is None else (extract_kernel,)
    with wait_for_kernels(*kernels), progress() as follow:
        found = api.changes(graph, model, since=since, top=top, horizon=horizon, threads=threads, progress=follow)
    n_events = max(reasons, default_of(found.explain_all, "triples"))
    with progress() as follow:
        explanations = found.explain_all(n_events, follow) if explain else []
    if out is not None:
        details = {"explanation": [each.to_dict() for each in explanations]} if explain else {}
        write_events(found.frame, out, details)
        error_console.print(f"{found.frame.height:,} changes written to {out}", markup=False)
        return
    if json_output:
        told = {"explanations": [each.to_dict() for each in explanations]} if explain else {}
        print(json.dumps(found.to_dict() | told, ensure_ascii=False))
        return
    print_changes(found, graph.timeline)
    print_explanations(each.text(reasons) for each in explanations)
