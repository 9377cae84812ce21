"""Changes: entities, pairs and relations whose rate of events, or probability, moved most."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from tlogic.evidence.triples import Triples
from tlogic.execution import Execution, Progress
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.monitoring.change_evidence import ChangedGroup, ChangeEvidence
from tlogic.monitoring.change_explanation import ChangeExplanation
from tlogic.monitoring.change_groups import KINDS, Kind
from tlogic.monitoring.period import ComparedPeriods, check_period
from tlogic.monitoring.probability_changes import NOT_JUDGED, ProbabilityChanges, probability_changes
from tlogic.notebook import html_table

_COLUMNS: dict[str, Any] = {"kind": pl.String, "name": pl.String, "with": pl.String}
_COLUMNS |= dict.fromkeys(("before", "after", "factor", "significance"), pl.Float64)
_COLUMNS |= dict.fromkeys(("probability_before", "probability_after"), pl.Float64)


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
    horizon: int | None
    _evidence: ChangeEvidence

    def __repr__(self) -> str:
        return f"Changes({self.frame.height} changes, {' to '.join(self.after)} against {' to '.join(self.before)})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.frame.columns, self.frame.iter_rows())

    def explain(self, index: int, triples: int = 5) -> ChangeExplanation:
        """Explain a change by the events behind it.

        Args:
            index: The position of the change in the frame.
            triples: The number of events to list: of those whose number per time step moved most and, with a model, of
                those whose probability moved most.
        """
        return self._evidence.explain(index, triples)

    def explain_all(self, triples: int = 5, progress: Progress | None = None) -> list[ChangeExplanation]:
        """Explain all changes.

        Args:
            triples: The number of events to list of each change.
            progress: Shows how many changes are explained.

        Returns:
            The explanations, in the order of the frame.
        """
        n_changes = self.frame.height
        follow = Execution(progress=progress).follow(range(n_changes), n_changes, "explanations")
        return [self.explain(index, triples) for index in follow]

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
    rows, groups = list[Row](), list[ChangedGroup]()
    for kind in KINDS.values():
        found = _movements(graph, kind, facts, judged)
        for i in _largest(graph, kind, found, top):
            groups.append(found.change(kind, i))
            rows.append(_row(graph, groups[-1], float(found.significance[i])))
    return Changes(
        before=(label(start), label(since - 1)),
        after=(label(since), label(until - 1)),
        frame=pl.DataFrame(rows, schema=_COLUMNS, orient="row"),
        horizon=None if judged is None else horizon,
        _evidence=ChangeEvidence(graph, periods, groups, judged, horizon),
    )


class _Facts(NamedTuple):
    """The triples of the facts in both periods, and the lengths of the periods."""

    before: Triples
    after: Triples
    lengths: tuple[int, int]


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

    def change(self, kind: Kind, i: int) -> ChangedGroup:
        """One of the changes."""
        before, after = (float(rate[i]) for rate in self.rates)
        likely = None
        if self.probabilities is not None:
            likely = float(self.probabilities[0][i]), float(self.probabilities[1][i])
        return ChangedGroup(kind.name, int(self.group[i]), (before, after), likely)


def _movements(graph: Graph, kind: Kind, facts: _Facts, judged: ProbabilityChanges | None) -> _Movements:
    """What changed, per group that has facts in either period or a probability."""
    keys = [kind.members(graph, each)[1] for each in (facts.before, facts.after)]
    triple, likely = kind.members(graph, NOT_JUDGED.triples if judged is None else judged.triples)
    group = np.unique(np.concatenate([*keys, likely]))
    before, after = (np.bincount(np.searchsorted(group, each), minlength=len(group)) for each in keys)
    rates = before / facts.lengths[0], after / facts.lengths[1]
    probabilities = None if judged is None else judged.of_groups(triple, np.searchsorted(group, likely), len(group))
    return _Movements(group, rates, _significance(before, after, *facts.lengths), probabilities)


def _largest(graph: Graph, kind: Kind, found: _Movements, top: int) -> list[int]:
    """The largest changes of one kind, ties broken by significance and names."""
    position = found.position
    chosen = np.flatnonzero(position <= np.sort(position)[:top][-1]).tolist()

    def order(i: int) -> tuple[Any, ...]:
        name, other = kind.names(graph, int(found.group[i]))
        return position[i], -abs(found.significance[i]), name, other or ""

    return sorted(chosen, key=order)[:top]


Row = tuple[str, str, str | None, float, float, float | None, float, float | None, float | None]


def _row(graph: Graph, change: ChangedGroup, significance: float) -> Row:
    before, after = change.rates
    factor = after / before if before else None
    name, other = KINDS[change.kind].names(graph, change.group)
    likely = change.probabilities or (0.0, 0.0)
    return (change.kind, name, other, before, after, factor, significance, likely[0] or None, likely[1] or None)


def _significance(before: Ints, after: Ints, length_before: int, length_after: int) -> Floats:
    """The signed root of twice the log-likelihood ratio of two Poisson rates against one common rate."""
    rate = (before + after) / (length_before + length_after)
    ratio = np.zeros(len(before))
    for count, length in ((before, length_before), (after, length_after)):
        some = count > 0
        ratio[some] += count[some] * np.log(count[some] / (rate[some] * length))
    return np.sign(after / length_after - before / length_before) * np.sqrt(np.maximum(2 * ratio, 0.0))
