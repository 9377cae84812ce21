"""The foot of a view: how to read it, its address, and its content as a CSV or JSON file."""

import csv
import io
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving.page.components import box, run_blocking, text

Row = Mapping[str, object]
MAX_ROWS = 10_000
"""The largest number of rows in a file."""


def show_tools(name: str, how_to_read: str, rows: Callable[[], Sequence[Row]] | None = None) -> None:
    """Show the foot of a view.

    Args:
        name: The beginning of the names of files.
        how_to_read: What the view shows, in a few sentences.
        rows: Makes the content of files, in a thread, when somebody downloads one; None if there is none.
    """
    with box("section", "tools", "About this view"):
        with box("details", "how-to-read"):
            text("How to read this", "summary")
            text(how_to_read, "p", max_length=2000)
        with box(style="links"):
            _button("Copy address").props["data-copy-address"] = "Address copied"
            if rows is not None:
                for kind, write in (("CSV", csv_text), ("JSON", json_text)):
                    _button(kind).on("click", _download(name, kind, write, rows))


def csv_text(rows: Sequence[Row]) -> str:
    """Rows as CSV, with all columns that any row has.

    >>> print(csv_text([{"name": "Ann"}, {"name": "Bo", "events": 2}]))
    name,events
    Ann,
    Bo,2
    <BLANKLINE>
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def json_text(rows: Sequence[Row]) -> str:
    """Rows as a JSON array.

    >>> json_text([{"name": "Ann"}])
    '[{"name": "Ann"}]'
    """
    return json.dumps(rows, ensure_ascii=False)


def _button(words: str) -> ui.element:
    with ui.element("button").classes("tool").props("type=button") as button:
        text(words, "span")
    return button


def _download(
    name: str, kind: str, write: Callable[[Sequence[Row]], str], rows: Callable[[], Sequence[Row]]
) -> Callable[[], Awaitable[None]]:
    async def download() -> None:
        try:
            content = await run_blocking(lambda: write(rows()))
        except TLogicError as error:
            ui.notify(str(error))
            return
        ui.download.content(content.encode(), f"{name}.{kind.lower()}", f"text/{kind.lower()}; charset=utf-8")

    return download
