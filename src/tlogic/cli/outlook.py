"""`tlogic outlook`: which events are likely within a period, and why."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic import api
from tlogic.cli.data_options import DataOptions
from tlogic.cli.forecasters import default_model, load_model
from tlogic.cli.options import OutOption, Threads, default_of
from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic.graph import TemporalGraph
    from tlogic.monitoring import Outlook, Watchlist
    from tlogic.monitoring.outlook import Names

ScopeOption = partial(typer.Option, rich_help_panel="Events")

Model = Annotated[
    Path | None,
    typer.Option(
        help="The model file that gives the probabilities; by default, a scorecard is fitted once and kept.",
        metavar="MODEL",
    ),
]


@dataclass(frozen=True)
class ScopeOptions:
    """Which events are of interest."""

    entity: Annotated[
        str | None, ScopeOption(help="Only events of this entity, as subject or object.", metavar="NAME")
    ] = None
    other: Annotated[
        str | None, ScopeOption("--with", help="Only events between the entity and this one.", metavar="NAME")
    ] = None
    relation: Annotated[
        str | None,
        ScopeOption(
            help="Only events of this relation; with --entity and --with, exactly that event of the two.",
            metavar="NAME",
        ),
    ] = None
    queries: Annotated[
        Path | None,
        ScopeOption(
            help="A watchlist instead: a file with the columns subject, relation and object; open parts are empty.",
            metavar="FILE",
        ),
    ] = None
    new: Annotated[bool, ScopeOption("--new", help="Only events that never happened before.")] = default_of(
        api.outlook, "new"
    )

    def check(self) -> None:
        """Raise an error if there are both a watchlist and an entity, a pair or a relation."""
        if self.queries is not None and any((self.entity, self.other, self.relation)):
            raise SettingsError("Give either --queries FILE, or --entity, --with and --relation.")

    def watchlist(self) -> "dict[str, Names]":
        """The triples of the watchlist, by their location in the file; empty without a watchlist."""
        from tlogic.monitoring.watchlist import read_watchlist

        return {} if self.queries is None else read_watchlist(self.queries)

    def check_names(self, graph: "TemporalGraph", triples: "dict[str, Names]", settings: dict[str, Any]) -> None:
        """Raise an error for an unknown name, before anything that takes long."""
        from tlogic.monitoring.watchlist import encode_watchlist

        encode_watchlist(graph, list(triples.values()), list(triples), **settings)
        for name in (self.entity, self.other):
            if name is not None:
                graph.entities.id_of(name)
        if self.relation is not None:
            graph.relations.id_of(self.relation)


def outlook(
    scope: ScopeOptions,
    data: DataOptions,
    model: Model = None,
    at: Annotated[
        str | None,
        typer.Option(help="The first date of the period; by default the step after the last fact.", metavar="DATE"),
    ] = None,
    horizon: Annotated[
        str, typer.Option(help='The length of the period: "7d", "2w", or a number of time steps.', metavar="SPAN")
    ] = str(default_of(api.outlook, "horizon")),
    top: Annotated[
        int, typer.Option(help="The number of events to list, of each query of a watchlist.", metavar="N")
    ] = default_of(api.outlook, "top"),
    when: Annotated[bool, typer.Option("--when", help="Show by which date the first event is how likely.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Explain the probabilities.")] = False,
    reasons: Annotated[int, typer.Option(help="The number of reasons to show per event.", metavar="N")] = 3,
    out: Annotated[
        Path | None, OutOption(help="Write the events to a .csv, .parquet or .jsonl file.", metavar="FILE")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    threads: Threads = None,
) -> None:
    """List the events of DATA that are most likely within a period, with nobody having asked."""
    from tlogic.cli.console import progress, wait_for_kernels
    from tlogic.evidence.occurrence_evidence import extract_kernel
    from tlogic.forecasting.queries import query_step

    scope.check()
    _check_output(scope, out, json_output, when, explain)
    triples = scope.watchlist()
    graph = data.read(out)
    settings: dict[str, Any] = {"at": at, "horizon": horizon, "top": top, "new": scope.new}
    scope.check_names(graph, triples, settings)
    fitted = load_model(model, lambda: default_model(graph, threads, before=query_step(graph, at)))
    options = settings | {"threads": threads}
    with wait_for_kernels(extract_kernel), progress() as follow:
        if triples:
            watched = api.watch(graph, fitted, list(triples.values()), progress=follow, **options)
            _give_watchlist(watched, out, json_output, when, explain)
            return
        found = api.outlook(
            graph, fitted, entity=scope.entity, other=scope.other, relation=scope.relation, progress=follow, **options
        )
    _give(found, out, json_output, when, explain, reasons)


def _check_output(scope: ScopeOptions, out: Path | None, json_output: bool, when: bool, explain: bool) -> None:
    """Raise an error, before any work, for options that have no place in the output."""
    from tlogic.cli.event_files import check_details, check_event_file

    if scope.queries is not None and out is None:
        check_details(json_output, explain=explain, when=when, or_json="--json, or ")
    check_event_file(out, explain=explain, when=when)


def _give(found: "Outlook", out: Path | None, json_output: bool, when: bool, explain: bool, reasons: int) -> None:
    """Write or print an outlook."""
    import json

    from tlogic.cli.explanation_output import print_explanations
    from tlogic.cli.monitoring_output import print_curve, print_outlook

    if out is not None:
        _write(found, out, when, explain)
        return
    explanations = [found.explain(index) for index in range(len(found))] if explain else []
    if json_output:
        curve = {"curve": found.curve(0).to_dicts()} if when and len(found) else {}
        told = {"explanations": [each.to_dict() for each in explanations]} if explain else {}
        print(json.dumps(found.to_dict() | curve | told, ensure_ascii=False))
        return
    print_outlook(found)
    if when and len(found):
        print_curve(found)
    print_explanations(each.text(reasons) for each in explanations)


def _write(found: "Outlook", out: Path, when: bool, explain: bool) -> None:
    """Write the events of an outlook; JSON Lines hold the explanation and the curve of each."""
    from tlogic.cli.console import error_console
    from tlogic.cli.event_files import write_events

    details: dict[str, list[Any]] = {}
    if when:
        details["curve"] = [found.curve(index).to_dicts() for index in range(len(found))]
    if explain:
        details["explanation"] = [found.explain(index).to_dict() for index in range(len(found))]
    write_events(found.frame, out, details)
    error_console.print(f"{len(found):,} events written to {out}", markup=False)


def _give_watchlist(found: "Watchlist", out: Path | None, json_output: bool, when: bool, explain: bool) -> None:
    """Write or print the outlooks of a watchlist; explanations and curves go to JSON Lines."""
    from tlogic.cli.console import error_console
    from tlogic.files import write_atomically
    from tlogic.forecasting.query_files import write_table

    lines = found.as_json(explain=explain, when=when)
    if out is None:
        print("\n".join(lines) if json_output else found.frame.write_csv().rstrip("\n"))
        return
    if out.suffix.lower() == ".jsonl":
        write_atomically(out, "".join(f"{line}\n" for line in lines))
    else:
        write_table(found.frame, out)
    error_console.print(f"{len(found):,} queries answered, written to {out}", markup=False)
