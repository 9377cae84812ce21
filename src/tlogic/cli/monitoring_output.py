"""Tables of likely, surprising and changed events, and of how good their probabilities were."""

from collections.abc import Mapping
from typing import Any

import polars as pl
from rich.markup import escape
from rich.table import Table

from tlogic.cli.console import console
from tlogic.evaluation import Backtest
from tlogic.events.timeline import Timeline
from tlogic.evidence.statements import percent, rare
from tlogic.monitoring import Changes, Outlook, Surprises
from tlogic.monitoring.change_explanation import about_probabilities, factor_text

_BACKTEST_COLUMNS = {
    "horizon": "steps",
    "kind": "kind",
    "events": "events",
    "average_precision": "AP",
    "best_count": "count",
    "precision_at_100": "P@100",
    "brier_skill": "skill",
    "brier_skill_over_counts": "over",
    "calibration_error": "error",
}
_MAX_CURVE_ROWS = 20  # about, after the first seven
_RELIABILITY_COLUMNS = {
    "horizon": "steps",
    "kind": "kind",
    "triples": "triples",
    "predicted": "forecast",
    "observed": "came true",
    "standard_error": "± error",
}


def print_outlook(found: Outlook) -> None:
    """Print an outlook as a table."""
    period = found.since if found.horizon == 1 else f"{found.since} to {found.until}"
    table = Table(title=f"Likely events, {period}")
    table.add_column("probability", justify="right")
    table.add_column("event", overflow="fold")
    table.add_column("so far", justify="right")
    table.add_column("last", no_wrap=True)
    for row in found:
        event = f"{row.subject} — {row.relation} → {row.object}"
        last = row.last or ("new pair" if row.novelty == "new pair" else "new")
        table.add_row(percent(row.probability), escape(event), f"{row.events:,}", last)
    console.print(table)
    if not len(found):
        console.print("No event fits.")


def print_curve(found: Outlook) -> None:
    """Print by which date the first event of an outlook is how likely."""
    first, curve = found[0], found.curve(0)
    table = Table(title=escape(f"{first.subject} — {first.relation} → {first.object}"))
    table.add_column("by", no_wrap=True)
    table.add_column("probability", justify="right")
    every = 7 * (1 + curve.height // (7 * _MAX_CURVE_ROWS))
    for index in sorted({*range(0, 7), *range(6, curve.height, every), curve.height - 1} & set(range(curve.height))):
        date, probability = curve.row(index)
        table.add_row(date, percent(probability))
    console.print(table)
    longest = found.graph.timeline.span_of(max(curve.height, found.horizon))
    wait = f"more than {longest}" if first.median_wait is None else found.graph.timeline.span_of(first.median_wait)
    console.print(f"Median waiting time: {wait}", highlight=False)


def print_surprises(found: Surprises) -> None:
    """Print improbable events, and likely events that failed to happen."""
    period = f"{found.since} to {found.until}"
    _print_judged(f"Events that were improbable, {period}", found.events)
    _print_judged(f"Likely events that failed to happen, {period}", found.missing)


def _print_judged(title: str, frame: pl.DataFrame) -> None:
    table = Table(title=title)
    table.add_column("date", no_wrap=True)
    table.add_column("probability", justify="right")
    table.add_column("event", overflow="fold")
    table.add_column("")
    for row in frame.iter_rows(named=True):
        event = f"{row['subject']} — {row['relation']} → {row['object']}"
        mark = {"new pair": "new pair", "known pair": "new"}.get(row["novelty"], "")
        table.add_row(row["date"], rare(row["probability"]), escape(event), mark)
    console.print(table)


def print_changes(found: Changes, timeline: Timeline) -> None:
    """Print changes, one table per kind."""
    console.print(
        f"Events per time step, {' to '.join(found.after)}, compared to {' to '.join(found.before)}", highlight=False
    )
    if found.horizon is not None:
        span = timeline.span_of(found.horizon)
        console.print(about_probabilities(span, found.after[0]), highlight=False)
    for kind, plural in (("entity", "Entities"), ("pair", "Pairs"), ("relation", "Relations")):
        table = Table(title=plural)
        table.add_column("name", overflow="fold")
        for column in ("before", "after", "factor", *(() if found.horizon is None else ("p before", "p now"))):
            table.add_column(column, justify="right")
        for row in found.frame.filter(kind=kind).iter_rows(named=True):
            name = row["name"] if row["with"] is None else f"{row['name']} and {row['with']}"
            movement = factor_text(row["before"], row["after"]), *(() if found.horizon is None else _foreseen(row))
            table.add_row(escape(name), f"{row['before']:.2f}", f"{row['after']:.2f}", *movement)
        console.print(table)


def _foreseen(row: Mapping[str, Any]) -> list[str]:
    """The probabilities before and after."""
    likely = row["probability_before"], row["probability_after"]
    return ["–" if each is None else rare(each) for each in likely]


def print_backtest(measured: Backtest) -> None:
    """Print the figures, the reliability and the largest misses of a backtest."""
    _print_figures(measured.title, measured.frame, _BACKTEST_COLUMNS)
    console.print(
        "AP: average precision; count: that of the best decayed count; P@100: precision of the 100 most probable "
        "events per time step; skill, over: Brier skill against the base rate and over the count; "
        "error: of calibration.",
        highlight=False,
    )
    _print_figures("Reliability", measured.reliability, _RELIABILITY_COLUMNS)
    print_surprises(measured.misses)


def _print_figures(title: str, frame: pl.DataFrame, columns: Mapping[str, str]) -> None:
    """Print some columns of a frame under short names, so that they fit into 80 columns."""
    table = Table(title=title)
    for column, name in columns.items():
        table.add_column(name, justify="left" if column == "kind" else "right")
    for row in frame.select(list(columns)).iter_rows():
        table.add_row(*(_cell(value) for value in row))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "n/a"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
