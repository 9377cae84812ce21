"""`tlogic changes`: entities, pairs and relations whose rate of events moved most."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tlogic import api
from tlogic.cli.data_options import DataOptions
from tlogic.cli.options import OutOption, default_of


def changes(
    data: DataOptions,
    since: Annotated[str, typer.Option(help="The first date of the period of interest.", metavar="DATE")],
    top: Annotated[int, typer.Option(help="The number of changes of each kind to list.", metavar="N")] = default_of(
        api.changes, "top"
    ),
    out: Annotated[
        Path | None, OutOption(help="Write the changes to a .csv, .parquet or .jsonl file.", metavar="FILE")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the entities, pairs and relations of DATA whose rate of events changed most since a date."""
    from tlogic.cli.console import error_console
    from tlogic.cli.monitoring_output import print_changes
    from tlogic.forecasting.query_files import write_table

    found = api.changes(data.read(out), since=since, top=top)
    if out is not None:
        write_table(found.frame, out)
        error_console.print(f"{found.frame.height:,} changes written to {out}", markup=False)
    elif json_output:
        print(json.dumps(found.to_dict(), ensure_ascii=False))
    else:
        print_changes(found)
