"""Functions for graphs: read, index, sample."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlogic.files import StrPath

if TYPE_CHECKING:
    from tlogic.events.intervals import Intervals
    from tlogic.events.sources.columns import Columns
    from tlogic.events.timeline import Label
    from tlogic.execution import Progress
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model


def read(
    source: Any,
    *,
    query: str | None = None,
    valid_from: "Label | None" = None,
    test_from: "Label | None" = None,
    step: str | int | None = None,
    columns: "Columns | None" = None,
    time_zone: str = "UTC",
    skip_bad_rows: bool = False,
    intervals: "Intervals | None" = None,
) -> "TemporalGraph":
    """Read dated facts and build their graph.

    Args:
        source: A folder with train, valid and test files, one file (text, CSV, Parquet, Arrow), the name of a dataset
            under ``TLOGIC_DATA``, a compiled graph (``tlogic index``), the URL of a database, a data frame of polars,
            pandas or pyarrow, a folder of the benchmark TGB 2.0, or a dataset of its package py-tgb. The data of TGB is
            split at its quantiles of the times, unless dates are given.
        query: What to read from a database: a SELECT statement or the name of a table.
        valid_from: The date at which the validation period begins, if the source is one table.
        test_from: The date at which the test period begins, if the source is one table.
        step: The time step, such as "1d", "1h", "15m", "1w", "1mo", "1q" (quarters), "1y" or "1bd" (business days);
            by default the common step of the dates.
        columns: The columns of subject, relation, object and time, as a list of names or positions or as a mapping
            from role to column; recognised by their names if not given.
        time_zone: The time zone to which date-times with zones are converted.
        skip_bad_rows: Whether to leave out rows that cannot be read, instead of raising an error.
        intervals: How to read facts with a beginning and an end: as the time steps that they cover ("cover"), or as
            their beginning ("start"). By default "cover", if two columns are recognised as beginning and end.

    Returns:
        The graph. Its ``report`` lists what was read, with warnings.

    Raises:
        InputError: If the source cannot be read. The message names the file, the line and what was expected.

    Example:
        >>> import tlogic
        >>> import polars as pl
        >>> calls = pl.DataFrame({"subject": ["Ann", "Bo"], "relation": ["calls"] * 2, "object": ["Bo", "Ann"],
        ...                       "date": ["2030-01-01", "2030-01-03"]})
        >>> tlogic.read(calls)
        TemporalGraph(2 facts, 2 entities, 1 relation, 2030-01-01 to 2030-01-03)
    """
    from tlogic.graph.building import read_graph

    return read_graph(
        source,
        query=query,
        valid_from=valid_from,
        test_from=test_from,
        step=step,
        columns=columns,
        time_zone=time_zone,
        skip_bad_rows=skip_bad_rows,
        intervals=intervals,
    )


def index(
    graph: "TemporalGraph",
    path: StrPath,
    *,
    source: StrPath | None = None,
    model: "Model | StrPath | None" = None,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> list[Path]:
    """Write a compiled graph, which ``read`` opens in milliseconds; with a model, also the memory of that model.

    ``forecast`` and ``evaluate`` open the memory beside a compiled graph if they get a model with the same families of
    evidence, half-lives and ``max_events``. Otherwise the model has to learn from all facts first.

    Args:
        graph: The graph to write.
        path: The file to write. An existing file is replaced.
        source: The file or folder that the graph was read from. If given, ``read`` refuses the compiled graph once the
            source has changed.
        model: A fitted model, or the path of a model file. Its memory of all facts is written beside the graph: as
            world.memory beside world.graph. If there is a test period, its memory of the facts before that is written
            as world.test.memory.
        threads: How many threads to use; None for one per core.
        progress: Shows the progress of learning from the facts.

    Returns:
        The files that were written: the compiled graph, then the memories.

    Raises:
        InputError: If a file cannot be written, if a file that is not a memory has the name of one, or if the model
            file cannot be read.

    Example:
        >>> import tlogic
        >>> from tempfile import TemporaryDirectory
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> with TemporaryDirectory() as folder:
        ...     files = tlogic.index(graph, Path(folder, "world.graph"), model=model)
        ...     same = tlogic.read(files[0])
        >>> [file.name for file in files]
        ['world.graph', 'world.test.memory', 'world.memory']
        >>> same.fingerprint == graph.fingerprint
        True
    """
    from tlogic.graph.compiled_graph import write_compiled

    out, origin = Path(path), None if source is None else os.fspath(source)
    if model is None:
        write_compiled(graph, out, origin)
        return [out]
    from tlogic.evidence.graph_memories import check_memories, write_memories
    from tlogic.execution import Execution
    from tlogic.models import Model

    fitted = model if isinstance(model, Model) else Model.load(model)
    check_memories(graph, out)
    write_compiled(graph, out, origin)
    execution = Execution(threads, progress=progress)
    return [out, *write_memories(graph, fitted.memory_settings, out, execution)]


def sample(seed: int = 7, days: int = 450) -> "TemporalGraph":
    """Simulate the sample world, a dataset with known rules.

    Args:
        seed: The seed of the simulation.
        days: How many days of events to simulate.

    Returns:
        The graph of its events.

    Example:
        >>> import tlogic
        >>> tlogic.sample()
        TemporalGraph(11751 facts, 55 entities, 22 relations, 2030-01-01 to 2031-03-26)
    """
    from tlogic.graph.building import sample_graph

    return sample_graph(seed, days)
