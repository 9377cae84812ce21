"""HTML for notebooks: small tables that follow the notebook's own style."""

from collections.abc import Iterable, Sequence
from html import escape

MAX_ROWS = 20
"""Rows of a table that a notebook shows; the rest is counted."""


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """A captioned table. Cells are escaped; numbers are aligned to the right.

    >>> html_table("1 fact", ["who"], [["Ann <3"]])[:63]
    '<table><caption>1 fact</caption><thead><tr><th>who</th></tr></t'
    """
    shown = list(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown[:MAX_ROWS])
    more = f"and {len(shown) - MAX_ROWS:,} more rows" if len(shown) > MAX_ROWS else ""
    notes = "".join(f"<p>{escape(text)}</p>" for text in (more, note) if text)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
    )


def html_text(text: str) -> str:
    """Preformatted text, escaped; long lines are wrapped between words.

    >>> html_text("a < b")[-15:]
    '>a &lt; b</pre>'
    """
    return f'<pre style="white-space: pre-wrap; word-break: normal; overflow-wrap: normal">{escape(text)}</pre>'


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4f}</td>'
    if isinstance(value, int):
        return f'<td style="text-align: right">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"
