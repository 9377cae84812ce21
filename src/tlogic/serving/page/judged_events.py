"""Tables of improbable events, and of likely ones that failed to happen."""

from collections.abc import Sequence

from nicegui import ui

from tlogic.evidence.statements import rare
from tlogic.serving import schemas
from tlogic.serving.page.components import box, cell, event_phrase, hint, table, text
from tlogic.serving.page.display_text import shorten
from tlogic.serving.page.view_urls import OutlookUrl, ViewUrl

_MARKS = {"known triple": "", "known pair": "new", "new pair": "new pair"}


def show_judged(
    events: Sequence[schemas.JudgedEvent], missing: Sequence[schemas.JudgedEvent], current: ViewUrl
) -> None:
    """Both kinds side by side, each event with the probability that it had on its date and a link to the reasons."""
    with box(style="columns even"):
        with box("section", label="Improbable events"):
            text("Events that were improbable", "h3")
            _show_table(events, "Improbable events, the least probable first", current)
        with box("section", label="Missing events"):
            text("Likely events that failed to happen", "h3")
            _show_table(missing, "Missing events, the most probable first", current)


def _show_table(events: Sequence[schemas.JudgedEvent], label: str, current: ViewUrl) -> None:
    if not events:
        hint("There are none.")
        return
    with table(["Date", "Event", "#Probability", ""], label, "judged"):
        for event in events:
            with box("tr"):
                cell(event.date, style="date")
                with box("td", "cell-name"), event_phrase(event.subject, event.relation, event.object, current):
                    if _MARKS[event.novelty]:
                        text(_MARKS[event.novelty], "span", "mark")
                cell(rare(event.probability))
                with box("td"):
                    _why_link(event, current)


def _why_link(event: schemas.JudgedEvent, current: ViewUrl) -> None:
    url = OutlookUrl(
        current.without,
        current.version,
        entity=event.subject,
        other=event.object,
        relation=event.relation,
        at=event.date,
    )
    words = f"Why? {event.subject} {event.relation} {event.object}"
    ui.link("Why?", str(url)).props["aria-label"] = shorten(words, 200)
