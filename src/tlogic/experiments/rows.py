"""Rows of figures: measured by trials, with the published ones beside them."""

from collections.abc import Sequence

from tlogic.experiments.commands import commands
from tlogic.experiments.laboratory import Laboratory, Trial
from tlogic.experiments.published import METRICS
from tlogic.experiments.section import OPTIMISTIC, PUBLISHED, REALISTIC, Row, Value

_TIES = {"optimistic": OPTIMISTIC, "realistic": REALISTIC}


def trial_rows(
    lab: Laboratory,
    trials: Sequence[Trial],
    labels: Sequence[tuple[str, ...]],
    given: Sequence[Sequence[float] | None],
) -> tuple[Row, ...]:
    """A row for each trial, with published figures where there are any."""
    rows = []
    for trial, label, figures, measured in zip(trials, labels, given, lab.figures(trials), strict=True):
        values = beside(lab, by_metric(figures) if figures else {})
        values |= {name: measured[ties] for ties, name in _TIES.items()}
        rows.append(Row(label, values, commands(trial)))
    return tuple(rows)


def by_metric(figures: Sequence[float]) -> dict[str, Value]:
    """Four figures by the names of their metrics."""
    return dict(zip(METRICS, figures, strict=True))


def beside(lab: Laboratory, given: dict[str, Value]) -> dict[str, dict[str, Value]]:
    """The published values, where there are any and the data is the paper's."""
    return {PUBLISHED: given} if given and lab.is_papers else {}


def mrr(row: Row, source: str = OPTIMISTIC) -> float:
    """The MRR of a row."""
    return float(row.values[source]["mrr"])  # type: ignore[arg-type]
