"""The report of a backtest: its figures, reliability diagrams and the largest misses."""

import os
from pathlib import Path

import polars as pl

from tlogic.analysis.reports.report_files import write_report
from tlogic.analysis.reports.section import Chart, Row, Section
from tlogic.evaluation.backtest import Backtest

_TITLE = "Backtest report"


def report_backtest(backtest: Backtest, folder: str | os.PathLike[str], command: str = "") -> Path:
    """Write a report of a backtest: report.html, report.md, tables as CSV, and reliability diagrams as SVG and PNG.

    Args:
        backtest: What ``tlogic.backtest`` measured.
        folder: Where the files are written.
        command: The command that reproduces the figures, which the report lists.

    Returns:
        The path of report.html.

    Raises:
        InputError: If matplotlib is not installed, or if a file cannot be written.

    Example:
        >>> import tlogic
        >>> from tempfile import TemporaryDirectory
        >>> graph = tlogic.sample(days=60)
        >>> measured = tlogic.backtest(graph, tlogic.fit(graph, evidence=["popularity"]), every=3)
        >>> with TemporaryDirectory() as folder:
        ...     report_backtest(measured, folder).name
        'report.html'
    """
    split = "" if backtest.split is None else f" of the {backtest.split} period"
    summary = (
        f"Forecasts from {backtest.n_steps:,} time steps{split}, {backtest.since} to {backtest.until}, each from the "
        "facts before it, compared with what happened."
    )
    sections = [_figures(backtest, command), _reliability(backtest)]
    misses = backtest.misses
    sections.append(_events("surprises", "Least probable events that happened", misses.events))
    sections.append(_events("missing", "Most probable events that failed to happen", misses.missing))
    return write_report(sections, Path(folder), _TITLE, summary)


def _figures(backtest: Backtest, command: str) -> Section:
    labels = ("horizon", "kind")
    columns = tuple(name for name in backtest.frame.columns if name not in labels)
    rows = [
        Row((str(row["horizon"]), row["kind"]), {"": {name: row[name] for name in columns}}, command)
        for row in backtest.frame.iter_rows(named=True)
    ]
    return Section(
        "figures",
        "Figures by horizon",
        "Horizons are in time steps. Recurring events happened before; new ones did not, and are sought among recent "
        "partners, relations and ends. Figures of the best decayed count are beside those of the model.",
        labels,
        columns,
        tuple(rows),
    )


def _reliability(backtest: Backtest) -> Section:
    columns = ("triples", "predicted", "observed", "standard_error")
    rows, charts = [], []
    for (horizon, kind), own in backtest.reliability.group_by(["horizon", "kind"], maintain_order=True):
        rows += [
            Row((str(horizon), str(kind)), {"": {name: row[name] for name in columns}})
            for row in own.iter_rows(named=True)
        ]
        charts.append(_diagram(int(horizon), str(kind), own))
    return Section(
        "reliability",
        "Reliability",
        "Triples in groups of neighbouring probabilities with about equally many events: the mean probability, the "
        "observed frequency and its standard error.",
        ("horizon", "kind"),
        columns,
        tuple(rows),
        charts=tuple(charts),
    )


def _diagram(horizon: int, kind: str, rows: pl.DataFrame) -> Chart:
    predicted = tuple(rows["predicted"].to_list())
    return Chart(
        f"reliability-{horizon}-{kind}",
        f"Reliability, horizon {horizon}, {kind} events",
        "predicted probability",
        "observed frequency",
        predicted,
        {"observed": tuple(rows["observed"].to_list()), "perfect calibration": predicted},
        {"observed": tuple(2 * error for error in rows["standard_error"].to_list())},
        has_ticks=False,
    )


def _events(name: str, title: str, frame: pl.DataFrame) -> Section:
    rows = [
        Row(
            (row["date"], f"{row['subject']} — {row['relation']} → {row['object']}"),
            {"": {"probability": row["probability"], "novelty": row["novelty"]}},
        )
        for row in frame.iter_rows(named=True)
    ]
    about = "The probability is that of the time step, from the facts before it."
    return Section(name, title, about, ("date", "event"), ("probability", "novelty"), tuple(rows))
