"""Table rows that compare the metrics of trials with published ones."""

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
    published: Sequence[Sequence[float] | None],
) -> tuple[Row, ...]:
    """One row per trial, with the published metrics if there are any."""
    rows = []
    for trial, label, theirs, ours in zip(trials, labels, published, runner.evaluate(trials), strict=True):
        values = published_values(runner, by_metric(theirs) if theirs else {})
        values |= {name: ours[ties] for ties, name in _TIES.items()}
        rows.append(Row(label, values, trial_commands(trial)))
    return tuple(rows)


def by_metric(values: Sequence[float]) -> dict[str, Value]:
    """Four values by metric name."""
    return dict(zip(METRICS, values, strict=True))


def published_values(runner: ExperimentRunner, values: dict[str, Value]) -> dict[str, dict[str, Value]]:
    """Published values as part of a row; nothing if there are none or if the data is not the paper's."""
    return {PUBLISHED: values} if values and runner.uses_paper_data else {}


def mrr(row: Row, source: str = OPTIMISTIC) -> float:
    """The MRR of a row."""
    return float(row.values[source]["mrr"])  # type: ignore[arg-type]
