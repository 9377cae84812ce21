"""`tlogic index`: compile data into a graph file that opens fast."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.data_options import DataOptions


def index(
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="The graph file to write.", metavar="GRAPH")],
) -> None:
    """Compile DATA into a graph file, which every command accepts instead of DATA.

    It opens in milliseconds, and processes that use it share its memory.
    """
    from tlogic.cli.console import error_console
    from tlogic.graph.compiled_graph import write_compiled

    graph = data.read(out, keep=False)
    write_compiled(graph, out, data.path)
    size = out.stat().st_size
    error_console.print(f"Wrote {len(graph):,} facts to {out}, {size / len(graph):.0f} bytes each", markup=False)
