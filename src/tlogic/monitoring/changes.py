"""Changes: entities, pairs and relations whose rate of events, or probability, moved most."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from tlogic.evidence.triples import Triples
from tlogic.execution import Execution
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.monitoring.period import ComparedPeriods, check_period
from tlogic.monitoring.probability_changes import ProbabilityChanges, probability_changes
from tlogic.notebook import html_table

_COLUMNS: dict[str, Any] = {"kind": pl.String, "name": pl.String, "with": pl.String}
_COLUMNS |= dict.fromkeys(("before", "after", "factor", "significance"), pl.Float64)
_COLUMNS |= dict.fromkeys(("probability_before", "probability_after"), pl.Float64)
_NONE: Ints = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Changes:
    """What changed between two periods. ``tlogic.changes`` finds it.

    Attributes:
        before: The first and the last date of the period before.
        after: The first and the last date of the period of interest.
        frame: The largest changes, the largest first: the kind (entity, pair or relation), the name, for a pair the
            other name, the events per time step before and after, after divided by before (null if there were none
            before), the significance of that: the difference in standard deviations, with its sign, and the
            probability of at least one event within the horizon, from the first date of the period of interest and
            from the time step after it (null without a model).
        horizon: The number of time steps of the probabilities; None without a model.

    Example:
        >>> import tlogic
        >>> tlogic.changes(tlogic.sample(), since="2031-03-01", top=2)
        Changes(6 changes, 2031-03-01 to 2031-03-26 against 2030-11-17 to 2031-02-28)
    """

    before: tuple[str, str]
    after: tuple[str, str]
    frame: pl.DataFrame
    horizon: int | None = None

    def __repr__(self) -> str:
        return f"Changes({self.frame.height} changes, {' to '.join(self.after)} against {' to '.join(self.before)})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.frame.columns, self.frame.iter_rows())

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        about = {"before": list(self.before), "after": list(self.after), "horizon": self.horizon}
        return {**about, "changes": self.frame.to_dicts()}


def find_changes(
    graph: Graph,
    since: int,
    until: int,
    top: int,
    forecaster: OccurrenceForecaster | None = None,
    horizon: int = 1,
    execution: Execution = Execution(),
) -> Changes:
    """The largest changes from a time step on, compared to the time before.

    Args:
        graph: The graph.
        since: The first time step of the period of interest.
        until: The time step after its last one.
        top: How many changes to list, of each kind.
        forecaster: Gives the probabilities, over the same graph; None to compare rates only.
        horizon: The number of time steps of the probabilities.
        execution: How many threads to use, and who is shown the progress.

    Raises:
        InputError: If there are no time steps before the period, or none in it.
    """
    check_period(graph, since, until)
    periods = ComparedPeriods.of(since, until)
    start, label = periods.start, graph.timeline.label_of
    facts = _Facts(
        Triples.of_facts(graph.facts_between(start, since)),
        Triples.of_facts(graph.facts_between(since, until)),
        periods.lengths,
    )
    judged = None if forecaster is None else probability_changes(forecaster, since, until, horizon, execution)
    rows = [row for kind in _KINDS for row in _largest(graph, kind, _movements(graph, kind, facts, judged), top)]
    frame = pl.DataFrame(rows, schema=_COLUMNS, orient="row")
    dates = (label(start), label(since - 1)), (label(since), label(until - 1))
    return Changes(*dates, frame, None if forecaster is None else horizon)


class _Facts(NamedTuple):
    """The triples of the facts in both periods, and the lengths of the periods."""

    before: Triples
    after: Triples
    spans: tuple[int, int]


class _Kind(NamedTuple):
    """A way to group triples: by entity, by pair or by relation."""

    name: str
    members: Callable[[Graph, Triples], tuple[Ints, Ints]]
    """The index of each triple, once per group that it belongs to, and that group."""
    names: Callable[[Graph, int], tuple[str, str | None]]
    """The name of a group; of a pair, both names."""


def _by_entity(_: Graph, triples: Triples) -> tuple[Ints, Ints]:
    others = np.flatnonzero(triples.subject != triples.object)
    subject = np.arange(len(triples.subject))
    return np.append(subject, others), np.append(triples.subject, triples.object[others])


def _by_pair(graph: Graph, triples: Triples) -> tuple[Ints, Ints]:
    return np.arange(len(triples.subject)), triples.pair_keys(graph)


def _by_relation(_: Graph, triples: Triples) -> tuple[Ints, Ints]:
    return np.arange(len(triples.subject)), triples.relation


def _names_of_pair(graph: Graph, pair: int) -> tuple[str, str]:
    first, second = sorted(graph.entities.name_of(entity) for entity in divmod(pair, len(graph.entities)))
    return first, second


_KINDS = (
    _Kind("entity", _by_entity, lambda graph, entity: (graph.entities.name_of(entity), None)),
    _Kind("pair", _by_pair, _names_of_pair),
    _Kind("relation", _by_relation, lambda graph, relation: (graph.relations.name_of(relation), None)),
)


class _Movements(NamedTuple):
    """What changed, per group of one kind."""

    group: Ints
    rates: tuple[Floats, Floats]
    """The facts per time step before and after."""
    significance: Floats
    probabilities: tuple[Floats, Floats] | None
    """The probabilities before and after."""

    @property
    def position(self) -> Ints:
        """The position among all groups by significance or by the difference of probabilities: the better of both."""
        sizes = [np.abs(self.significance)]
        if self.probabilities is not None:
            sizes.append(np.abs(self.probabilities[1] - self.probabilities[0]))
        return np.min([np.searchsorted(np.sort(-size), -size) for size in sizes], axis=0)


def _movements(graph: Graph, kind: _Kind, facts: _Facts, judged: ProbabilityChanges | None) -> _Movements:
    """What changed, per group that has facts in either period or a probability."""
    keys = [kind.members(graph, each)[1] for each in (facts.before, facts.after)]
    triple, likely = (_NONE, _NONE) if judged is None else kind.members(graph, judged.triples)
    group = np.unique(np.concatenate([*keys, likely]))
    before, after = (np.bincount(np.searchsorted(group, each), minlength=len(group)) for each in keys)
    rates = before / facts.spans[0], after / facts.spans[1]
    probabilities = None if judged is None else judged.of_groups(triple, np.searchsorted(group, likely), len(group))
    return _Movements(group, rates, _significance(before, after, *facts.spans), probabilities)


Row = tuple[str, str, str | None, float, float, float | None, float, float | None, float | None]


def _largest(graph: Graph, kind: _Kind, found: _Movements, top: int) -> list[Row]:
    """The largest changes of one kind, ties broken by significance and names."""
    position = found.position
    chosen = np.flatnonzero(position <= np.sort(position)[:top][-1]).tolist()

    def order(i: int) -> tuple[Any, ...]:
        name, other = kind.names(graph, int(found.group[i]))
        return position[i], -abs(found.significance[i]), name, other or ""

    return [_row(graph, kind, found, i) for i in sorted(chosen, key=order)[:top]]


def _row(graph: Graph, kind: _Kind, found: _Movements, i: int) -> Row:
    before, after = (float(rate[i]) for rate in found.rates)
    factor = after / before if before else None
    likely = (None, None) if found.probabilities is None else tuple(float(each[i]) for each in found.probabilities)
    names = kind.names(graph, int(found.group[i]))
    return (kind.name, *names, before, after, factor, float(found.significance[i]), likely[0], likely[1])


def _significance(before: Ints, after: Ints, span_before: int, span_after: int) -> Floats:
    """The signed root of twice the log-likelihood ratio of two Poisson rates against one common rate."""
    rate = (before + after) / (span_before + span_after)
    ratio = np.zeros(len(before))
    for count, span in ((before, span_before), (after, span_after)):
        some = count > 0
        ratio[some] += count[some] * np.log(count[some] / (rate[some] * span))
    return np.sign(after / span_after - before / span_before) * np.sqrt(np.maximum(2 * ratio, 0.0))
