"""`tlogic index`: a graph in one file that opens at once."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import DataOptions
from tlogic.errors import InputError


def index(
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="The graph file to write.", metavar="GRAPH")],
) -> None:
    """Read DATA once and keep it as a compiled graph, which every command takes in the place of DATA.

    It opens in milliseconds, and processes that use it share its memory.
    """
    from tlogic.cli.console import error_console
    from tlogic.graph.compiled import write_compiled

    sources = data.sources()
    if str(out.resolve()) in {name for name, _, _ in sources}:
        raise InputError(f"{out} is what DATA is read from, and would be lost; choose another --out.")
    graph = data.read(keep=False)
    write_compiled(graph, out, sources)
    size = out.stat().st_size
    error_console.print(f"{len(graph):,} facts in {out}, {size / len(graph):.0f} bytes each", markup=False)
