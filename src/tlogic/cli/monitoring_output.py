"""Tables of likely, surprising and changed events."""

from rich.markup import escape
from rich.table import Table

from tlogic.cli.console import console
from tlogic.evidence.statements import percent
from tlogic.monitoring import Outlook


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
    for index in sorted({*range(0, 7), *range(6, curve.height, 7), curve.height - 1} & set(range(curve.height))):
        date, probability = curve.row(index)
        table.add_row(date, percent(probability))
    console.print(table)
    longest = found.graph.timeline.span_of(curve.height)
    wait = f"more than {longest}" if first.median_wait is None else found.graph.timeline.span_of(first.median_wait)
    console.print(f"Median waiting time: {wait}", highlight=False)
