"""`tlogic index`: compile data into a graph file that opens fast."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.data_options import DataOptions
from tlogic.cli.options import OutOption, Threads


def index(
    data: DataOptions,
    out: Annotated[Path, OutOption(help="The graph file to write.", metavar="GRAPH")],
    model: Annotated[
        Path | None,
        typer.Option(help="Also write what this model learns from DATA, its memory, beside GRAPH.", metavar="MODEL"),
    ] = None,
    threads: Threads = None,
) -> None:
    """Compile DATA into a graph file, which every command accepts instead of DATA.

    It opens in milliseconds, and processes that use it share its memory.
    """
    from tlogic import api
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.evidence.tables import n_keys
    from tlogic.models import Model

    fitted = None if model is None else Model.load(model)
    graph = data.read(out, keep=False)
    kernels = [] if model is None else [n_keys]  # which is called last, when a memory is written
    with wait_for_kernels(*kernels), progress() as follow:
        _, *memories = api.index(graph, out, source=data.path, model=fitted, threads=threads, progress=follow)
    size = out.stat().st_size
    error_console.print(f"Wrote {len(graph):,} facts to {out}, {size / len(graph):.0f} bytes each", markup=False)
    for file in memories:
        error_console.print(f"Wrote a memory to {file}, {file.stat().st_size / 1e6:,.1f} MB", markup=False)
