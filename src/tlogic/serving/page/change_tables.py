"""Tables of changed entities, pairs and relations. Each change has the events behind it, which a click shows."""

from collections.abc import Sequence

from nicegui import ui

from tlogic.evidence.statements import rare
from tlogic.monitoring.change_explanation import about_probabilities
from tlogic.serving import schemas
from tlogic.serving.page.components import box, cell, change_factor, changed_names, event_phrase, hint, table, text
from tlogic.serving.page.display_text import pluralize, shorten
from tlogic.serving.page.view_urls import ViewUrl

_KINDS = {"entity": "Entities", "pair": "Pairs", "relation": "Relations"}


def show_changes(changes: schemas.Changes, current: ViewUrl) -> None:
    """The compared periods, and a table of each kind of change."""
    before, after = changes.before, changes.after
    hint(
        f"Events per time step, {after.since} to {after.until}, compared to {before.since} to {before.until}; the "
        "largest changes first"
    )
    if changes.horizon is not None:
        span = pluralize(changes.horizon, "time step")
        hint(about_probabilities(span, after.since))
    for warning in changes.warnings:
        hint(f"Warning: {warning}")
    with box(style="three-columns" if changes.horizon is None else "columns even"):
        for kind, heading in _KINDS.items():
            with box("section", label=heading):
                text(heading, "h3")
                of_kind = [each for each in changes.changes if each.kind == kind]
                _show_kind(of_kind, changes.horizon is not None, heading, current)


def _show_kind(changes: Sequence[schemas.Change], has_probabilities: bool, label: str, current: ViewUrl) -> None:
    headings = ["Name", "#Before", "#After", "#Factor", *(["#p before", "#p now"] if has_probabilities else []), ""]
    with table(headings, label, "figures"):
        for change in changes:
            with box("tr"):
                with box("td", "cell-name"):
                    changed_names(change, current)
                cell(f"{change.before:.2f}", "Before")
                cell(f"{change.after:.2f}", "After")
                change_factor(change, "td")
                if has_probabilities:
                    for value, heading in (
                        (change.probability_before, "p before"),
                        (change.probability_after, "p now"),
                    ):
                        cell("–" if value is None else rare(value), heading)
                with box("td"):
                    button = _why_button(change)
            _add_explanation(change, button, len(headings), current)


def _why_button(change: schemas.Change) -> ui.element:
    with ui.element("button").classes("tool").props("type=button aria-expanded=false") as button:
        text("Why?", "span")
    names = change.name if change.other is None else f"{change.name} and {change.other}"
    button.props["aria-label"] = f"Why? {shorten(names, 200)}"
    return button


def _add_explanation(change: schemas.Change, button: ui.element, n_columns: int, current: ViewUrl) -> None:
    """Add a hidden row below the change, which the button fills and shows, or hides again."""
    with box("tr", "why") as row, box("td") as content:
        content.props(f"colspan={n_columns}")
    row.set_visibility(False)

    def toggle() -> None:
        if not content.default_slot.children:
            with content:
                _show_explanation(change.explanation, current)
        row.set_visibility(not row.visible)
        button.props(f"aria-expanded={str(row.visible).lower()}")

    button.on("click", toggle)


def _show_explanation(explanation: schemas.ChangeExplanation | None, current: ViewUrl) -> None:
    assert explanation is not None
    _show_events(explanation.summary, explanation.triples, explanation.triples_in_all, current)
    if explanation.probability_summary is not None:
        _show_events(explanation.probability_summary, explanation.likely, explanation.likely_in_all, current)


def _show_events(summary: str, events: Sequence[schemas.ChangedTriple], n_events: int, current: ViewUrl) -> None:
    with box(style="moved"):
        hint(summary)
        with box("ul", "facts"):
            for event in events:
                with box("li"):
                    text(event.movement, "span", "number date")
                    with box():
                        event_phrase(event.subject, event.relation, event.object, current)
                        text(event.sentence, "span", "hint")
        if n_events > len(events):
            hint(f"and {pluralize(n_events - len(events), 'other event')}")
