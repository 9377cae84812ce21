"""Rows of figures: measured by trials, with the published ones beside them."""

from collections.abc import Sequence

from tlogic.analysis.command_lines import trial_commands
from tlogic.analysis.reports.section import OPTIMISTIC, PUBLISHED, REALISTIC, Row, Value
from tlogic.analysis.trials import METRICS, Trial
from tlogic.reproduction.experiment_runner import ExperimentRunner

_TIES = {"optimistic": OPTIMISTIC, "realistic": REALISTIC}


def trial_rows(
    runner: ExperimentRunner,
    trials: Sequence[Trial],
    labels: Sequence[tuple[str, ...]],
    given: Sequence[Sequence[float] | None],
) -> tuple[Row, ...]:
    """A row for each trial, with published figures where there are any."""
    rows = []
    for trial, label, figures, measured in zip(trials, labels, given, runner.evaluate(trials), strict=True):
        values = beside(runner, by_metric(figures) if figures else {})
        values |= {name: measured[ties] for ties, name in _TIES.items()}
        rows.append(Row(label, values, trial_commands(trial)))
    return tuple(rows)


def by_metric(figures: Sequence[float]) -> dict[str, Value]:
    """Four figures by the names of their metrics."""
    return dict(zip(METRICS, figures, strict=True))


def beside(runner: ExperimentRunner, given: dict[str, Value]) -> dict[str, dict[str, Value]]:
    """The published values, where there are any and the data is the paper's."""
    return {PUBLISHED: given} if given and runner.uses_paper_data else {}


def mrr(row: Row, source: str = OPTIMISTIC) -> float:
    """The MRR of a row."""
    return float(row.values[source]["mrr"])  # type: ignore[arg-type]
