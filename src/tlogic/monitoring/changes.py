"""Changes: entities, pairs and relations whose rate of events moved most."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tlogic.errors import InputError
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.facts import Facts
from tlogic.graph.graph_protocol import Graph
from tlogic.notebook import html_table

_TIMES_BEFORE = 4
"""The period before is up to so many times as long as the period of interest."""
_COLUMNS: dict[str, Any] = {"kind": pl.String, "name": pl.String, "with": pl.String}
_COLUMNS |= dict.fromkeys(("before", "after", "factor", "significance"), pl.Float64)


@dataclass(frozen=True)
class Changes:
    """What changed between two periods. ``tlogic.changes`` finds it.

    Attributes:
        before: The first and the last date of the period before.
        after: The first and the last date of the period of interest.
        frame: The largest changes, the most significant first: the kind (entity, pair or relation), the name, for a
            pair the other name, the events per time step before and after, after divided by before (null if there
            were none before), and the significance: the difference in standard deviations, with its sign.

    Example:
        >>> import tlogic
        >>> tlogic.changes(tlogic.sample(), since="2031-03-01", top=2)
        Changes(6 changes, 2031-03-01 to 2031-03-26 against 2030-11-17 to 2031-02-28)
    """

    before: tuple[str, str]
    after: tuple[str, str]
    frame: pl.DataFrame

    def __repr__(self) -> str:
        return f"Changes({self.frame.height} changes, {' to '.join(self.after)} against {' to '.join(self.before)})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.frame.columns, self.frame.iter_rows())

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        periods = {"before": list(self.before), "after": list(self.after)}
        return {**periods, "changes": self.frame.to_dicts()}


def find_changes(graph: Graph, since: int, until: int, top: int) -> Changes:
    """The largest changes of rates from a time step on, compared to the time before.

    Args:
        graph: The graph.
        since: The first time step of the period of interest.
        until: The time step after its last one.
        top: How many changes to list, of each kind.

    Raises:
        InputError: If there are no time steps before the period, or none in it.
    """
    label = graph.timeline.label_of
    if not 0 < since < until:
        raise InputError(
            f"Changes need facts before and in the period; the facts are of {label(0)} to {label(until - 1)}."
        )
    start = max(since - _TIMES_BEFORE * (until - since), 0)
    before, after = graph.facts_between(start, since), graph.facts_between(since, until)
    spans = since - start, until - since
    rows = [row for kind in (_entities, _pairs, _relations) for row in kind(graph, before, after, spans, top)]
    frame = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    return Changes((label(start), label(since - 1)), (label(since), label(until - 1)), frame)


Row = tuple[str, str, str | None, float, float, float | None, float]


def _entities(graph: Graph, before: Facts, after: Facts, spans: tuple[int, int], top: int) -> list[Row]:
    keys = (np.concatenate([facts.subject, facts.object[facts.object != facts.subject]]) for facts in (before, after))
    name = graph.entities.name_of
    return _largest("entity", tuple(keys), spans, top, lambda key: (name(key), None))


def _relations(graph: Graph, before: Facts, after: Facts, spans: tuple[int, int], top: int) -> list[Row]:
    name = graph.relations.name_of
    return _largest("relation", (before.relation, after.relation), spans, top, lambda key: (name(key), None))


def _pairs(graph: Graph, before: Facts, after: Facts, spans: tuple[int, int], top: int) -> list[Row]:
    n, name = len(graph.entities), graph.entities.name_of
    keys = (
        np.minimum(facts.subject, facts.object).astype(np.int64) * n + np.maximum(facts.subject, facts.object)
        for facts in (before, after)
    )

    def names(key: int) -> tuple[str, str]:
        first, second = sorted((name(key // n), name(key % n)))
        return first, second

    return _largest("pair", tuple(keys), spans, top, names)


def _largest(
    kind: str,
    keys: tuple[Ints, ...],
    spans: tuple[int, int],
    top: int,
    names: Callable[[int], tuple[str, str | None]],
) -> list[Row]:
    """The most significant changes of one kind, ties broken by names."""
    every, n = np.unique(np.concatenate(keys), return_inverse=True)
    counts = [np.bincount(part, minlength=len(every)) for part in np.split(n, [len(keys[0])])]
    significance = _significance(counts[0], counts[1], *spans)
    if len(every) > top:
        smallest = np.partition(np.abs(significance), -top)[-top]
        chosen = np.flatnonzero(np.abs(significance) >= smallest)
    else:
        chosen = np.arange(len(every))
    rows: list[Row] = []
    for i in chosen.tolist():
        before, after = (float(count[i]) / span for count, span in zip(counts, spans, strict=True))
        rows.append(
            (kind, *names(int(every[i])), before, after, after / before if before else None, float(significance[i]))
        )
    return sorted(rows, key=lambda row: (-abs(row[-1]), row[1], row[2] or ""))[:top]


def _significance(before: Ints, after: Ints, span_before: int, span_after: int) -> Floats:
    """The signed root of twice the log-likelihood ratio of two Poisson rates against one common rate."""
    rate = (before + after) / (span_before + span_after)
    ratio = np.zeros(len(before))
    for count, span in ((before, span_before), (after, span_after)):
        some = count > 0
        ratio[some] += count[some] * np.log(count[some] / (rate[some] * span))
    return np.sign(after / span_after - before / span_before) * np.sqrt(np.maximum(2 * ratio, 0.0))
