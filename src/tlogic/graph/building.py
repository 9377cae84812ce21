"""Build a graph of integer ids from events with names."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from tlogic.errors import InputError
from tlogic.events import EventTable, read_events
from tlogic.events.intervals import Intervals
from tlogic.events.read_report import small_periods
from tlogic.events.sources.columns import Columns
from tlogic.events.splits import Split, split_by_time
from tlogic.events.timeline import Label
from tlogic.graph.arrays import Ints
from tlogic.graph.compiled_graph import is_compiled, open_compiled
from tlogic.graph.facts import Facts, sorted_distinct
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.vocabulary import Relations, Vocabulary
from tlogic.names import INVERSE_MARK

# Kernels store time steps in 32 bits.
_MAX_TIME_STEPS = 2**31 - 1


def read_graph(
    source: Any,
    *,
    query: str | None = None,
    valid_from: Label | None = None,
    test_from: Label | None = None,
    step: str | int | None = None,
    columns: Columns | None = None,
    time_zone: str = "UTC",
    skip_bad_rows: bool = False,
    intervals: Intervals | None = None,
) -> TemporalGraph:
    """Read facts and build their graph; ``tlogic.read`` documents the arguments.

    >>> import polars as pl
    >>> calls = pl.DataFrame({"subject": ["Ann", "Bo"], "relation": ["calls"] * 2, "object": ["Bo", "Ann"],
    ...                       "date": ["2030-01-01", "2030-01-03"]})
    >>> read_graph(calls)
    TemporalGraph(2 facts, 2 entities, 1 relation, 2030-01-01 to 2030-01-03)
    """
    if isinstance(source, str | Path) and is_compiled(Path(source).expanduser()):
        _check_compiled_options(
            query=query,
            step=step,
            columns=columns,
            time_zone=time_zone,
            skip_bad_rows=skip_bad_rows,
            intervals=intervals,
        )
        return with_split(open_compiled(Path(source).expanduser()), valid_from, test_from)
    events = read_events(
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
    return build_graph(events)


def _check_compiled_options(**given: Any) -> None:
    wrong = [name for name, value in given.items() if value not in (None, False, "UTC")]
    if wrong:
        raise InputError(f"{wrong[0]} has no effect on a compiled graph; give it to `tlogic index` instead.")


def with_split(graph: TemporalGraph, valid_from: Label | None, test_from: Label | None) -> TemporalGraph:
    """The same graph with other validation and test periods; its triple index stays valid."""
    if valid_from is None and test_from is None:
        return graph
    return with_periods(graph, split_by_time(pl.Series(graph.facts.time), graph.timeline, valid_from, test_from))


def with_periods(graph: TemporalGraph, split: Split) -> TemporalGraph:
    """The same graph with the periods of a split."""
    steps, end, report = pl.Series(graph.facts.time), graph.end, graph.report
    if report is not None:
        warnings = dict.fromkeys([*report.warnings, *small_periods(steps, split)])
        report = replace(report, periods=split.sizes(steps), warnings=tuple(warnings))
    return replace(
        graph,
        report=report,
        precomputed=graph.precomputed._replace(views=None, train_fingerprint=None),
        valid_from=end if split.valid_from is None else split.valid_from,
        test_from=end if split.test_from is None else split.test_from,
    )


def sample_graph(seed: int = 7, days: int = 450) -> TemporalGraph:
    """Build the graph of the sample world; ``tlogic.sample`` documents the arguments.

    >>> sample_graph()
    TemporalGraph(11751 facts, 55 entities, 22 relations, 2030-01-01 to 2031-03-26)
    """
    from tlogic.events.sample.simulation import sample_events

    return build_graph(sample_events(seed, days))


def build_graph(events: EventTable) -> TemporalGraph:
    """Assign ids in the order of the names, drop duplicate facts and sort by time.

    So the graph depends on the set of facts alone, not on the order in which they were read.
    """
    frame = events.frame
    entities = _sorted_names(frame["subject"], frame["object"])
    relations = _sorted_names(frame["relation"])
    _check_steps(events)
    for name in relations:
        if name.endswith(INVERSE_MARK):
            raise InputError(
                f"The relation {name!r} ends in {INVERSE_MARK!r}, which marks inverse relations; rename it."
            )
    encoded = Facts(
        subject=_encoded(frame["subject"], entities),
        relation=_encoded(frame["relation"], relations),
        object=_encoded(frame["object"], entities),
        time=frame["step"].cast(pl.Int32).to_numpy(writable=True),
    )
    facts = sorted_distinct(encoded, len(entities), len(relations))
    end = int(facts.time[-1]) + 1
    report, split = events.report, Split(events.valid_from, events.test_from)
    return TemporalGraph(
        entities=Vocabulary(entities, "entity", partial(facts.count_by_entity, len(entities))),
        relations=Relations(relations, partial(facts.count_by_relation, len(relations))),
        timeline=events.timeline,
        facts=facts,
        valid_from=end if events.valid_from is None else events.valid_from,
        test_from=end if events.test_from is None else events.test_from,
        report=replace(
            report,
            duplicates=frame.height - len(facts.time),
            entities=len(entities),
            relations=len(relations),
            periods=report.periods and split.sizes(pl.Series(facts.time)),
        ),
    )


def _check_steps(events: EventTable) -> None:
    steps = int(events.frame["step"].to_numpy().max()) + 1
    if steps > _MAX_TIME_STEPS:
        raise InputError(
            f"There are {steps:,} steps of {events.timeline.step_size} between {events.report.first_time} and "
            f"{events.report.last_time}; at most {_MAX_TIME_STEPS:,} are supported. "
            "Give a longer step (step=..., --step ...)."
        )


def _encoded(column: pl.Series, names: list[str]) -> Ints:
    """The id of each name: its index in the list of names."""
    return column.cast(pl.Enum(names)).to_physical().cast(pl.Int32).to_numpy(writable=True)


def _sorted_names(*columns: pl.Series) -> list[str]:
    """The distinct names of columns, sorted by code points."""
    return pl.concat([column.unique().cast(pl.String) for column in columns]).unique().sort().to_list()
