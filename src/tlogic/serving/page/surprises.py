"""The view of surprises and changes: improbable and missing events, and changed rates and probabilities."""

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.page.change_tables import show_changes
from tlogic.serving.page.components import box, hint, problem, run_blocking, text
from tlogic.serving.page.display_text import shorten
from tlogic.serving.page.judged_events import show_judged
from tlogic.serving.page.occurrence_explanation import MAX_SECONDS
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_tools import Row, show_tools
from tlogic.serving.page.view_urls import SurprisesUrl

_TOP_EVENTS, _TOP_CHANGES = 15, 8
_HOW_TO_READ = (
    "A surprise is an event that was improbable beforehand, given all events before its date, or a likely one that "
    "failed to happen. New: the two had other events before; new pair: they had none. Changes compare the number of "
    "events per time step with the time before, and the probability of at least one event within the horizon from the "
    "date on with that from now on. They are ranked by the better of their two positions. Why? shows the events behind "
    "a change. Files contain the surprises or, if rules are in use, the changes."
)


def title_of(current: SurprisesUrl) -> str:
    """The title of the view."""
    return f"Surprises and changes since {shorten(current.since, 30)}" if current.since else "Surprises and changes"


async def show(service: Service, current: SurprisesUrl) -> None:
    """Show the view."""
    text("Surprises and changes", "h1")
    since = current.since or await run_blocking(service.board.recent_date)
    _show_form(current, since)
    show_switched_off(service, current, "The probabilities below are computed with all of them switched on.")
    with box("section", "awaited", "Surprises") as surprises:
        text("Surprises", "h2")
    with box("section", "awaited", "Changes") as changes:
        text("Changes", "h2")
    with changes:
        await _show_changes(service, since, current)
    with surprises:
        await _show_surprises(service, since, current)
    show_tools("surprises", _HOW_TO_READ, lambda: _rows(service, since))


def _rows(service: Service, since: str) -> list[Row]:
    """The surprises for a file or, without probabilities, the changes."""
    if not service.monitor.has_occurrence:
        changes = service.monitor.changes(since, top=_TOP_CHANGES).changes
        return [change.model_dump(exclude={"explanation"}) for change in changes]
    found = service.monitor.surprises(since, top=_TOP_EVENTS, limit=TimeLimit.seconds(MAX_SECONDS))
    kinds = ("happened", found.events), ("missing", found.missing)
    return [{"kind": kind, **event.model_dump(exclude={"explanation"})} for kind, events in kinds for event in events]


def _show_form(current: SurprisesUrl, since: str) -> None:
    with box("form", "since-form", "Period").on("submit", js_handler="(event) => event.preventDefault()"):

        def apply() -> None:
            given = (date.value or "").strip()
            within = (horizon.value or "").strip() or SurprisesUrl.horizon
            ui.navigate.to(str(SurprisesUrl(current.without, current.version, since=given, horizon=within)))

        date = ui.input(value=since, placeholder="Since").props("clearable")
        horizon = ui.input(value=current.horizon, placeholder="Horizon").props("prefix=within")
        for field, label in ((date, "First date of the period"), (horizon, "Horizon of the probabilities of changes")):
            field.props("outlined dense autocomplete=off").props["aria-label"] = label
            field.on("keydown.enter", apply)
        ui.button("Show", on_click=apply).props("unelevated no-caps")


async def _show_surprises(service: Service, since: str, current: SurprisesUrl) -> None:
    try:
        found = await run_blocking(
            service.monitor.surprises, since, top=_TOP_EVENTS, limit=TimeLimit.seconds(MAX_SECONDS)
        )
    except TLogicError as error:
        problem(str(error))
        return
    hint(f"{found.since} to {found.until}, with the probability that each event had beforehand")
    for warning in found.warnings:
        hint(f"Warning: {warning}")
    show_judged(found.events, found.missing, current)


async def _show_changes(service: Service, since: str, current: SurprisesUrl) -> None:
    """Show the changes of rates at once, and with the changes of probabilities when a model has computed them."""
    try:
        rates = await run_blocking(_changes, service, since, None)
    except TLogicError as error:
        problem(str(error))
        return
    with box(style="changes") as tables:
        show_changes(rates, current)
    if not service.monitor.has_occurrence:
        return
    waiting = text("The probabilities are being computed …", "p", "hint").props("role=status")
    try:
        found = await run_blocking(_changes, service, since, current.horizon)
    except TLogicError as error:
        problem(str(error))
    else:
        tables.clear()
        with tables:
            show_changes(found, current)
    finally:
        waiting.delete()


def _changes(service: Service, since: str, horizon: str | None) -> schemas.Changes:
    limit = TimeLimit.seconds(MAX_SECONDS)
    return service.monitor.changes(since, top=_TOP_CHANGES, horizon=horizon, explain=True, limit=limit)
