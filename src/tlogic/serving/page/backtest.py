"""The backtest view: how good the probabilities of events were, by horizon, for recurring and new events."""

from asyncio import wrap_future
from collections.abc import Mapping
from itertools import groupby

from nicegui import ui

from tlogic.errors import InputError
from tlogic.evidence.statements import rare
from tlogic.serving import schemas
from tlogic.serving.engine.board import BACKTEST_STEPS
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.page.components import box, cell, drawing, hint, run_blocking, table, text
from tlogic.serving.page.display_text import pluralize, shorten
from tlogic.serving.page.judged_events import show_judged
from tlogic.serving.page.occurrence_explanation import MAX_SECONDS
from tlogic.serving.page.reliability_diagram import draw_reliability, observed_share
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_tools import show_tools
from tlogic.serving.page.view_urls import BacktestUrl

_HOW_TO_READ = (
    "At each time step of the period, all probabilities are forecast from the events before it and compared with what "
    "happened. Recurring events happened before, new ones did not. Average precision: how well events rank above the "
    "rest; best count: the same for a ranking by decayed counts. Precision at 100: of the 100 most probable per time "
    "step. Brier skill: how much of the squared error of the base rate, or of the best count, is avoided. In the "
    "diagrams, error bars have two standard errors on each side. Files contain the figures."
)
_COLUMNS = {
    "average_precision": "Average precision",
    "best_count": "Best count",
    "precision_at_100": "Precision at 100",
    "brier_skill": "Brier skill",
    "brier_skill_over_counts": "Over the count",
    "calibration_error": "Calibration error",
}


def title_of(current: BacktestUrl) -> str:
    """The title of the view."""
    return f"Backtest since {shorten(current.since, 30)}" if current.since else "Backtest"


async def show(service: Service, current: BacktestUrl) -> None:
    """Show the view."""
    text("Backtest", "h1")
    hint("How good the probabilities of events were, each from the events before it.")
    _show_form(current, current.since or await run_blocking(service.board.recent_date, BACKTEST_STEPS))
    show_switched_off(service, current, "The probabilities below are computed with all of them switched on.")
    with box(style="awaited") as waiting:
        measured = await _measured(service, current)
    waiting.delete()
    spans = await run_blocking(_spans, service, measured)
    with box("section", label="Figures"):
        _show_figures(measured, spans)
    with box("section", label="Reliability"):
        _show_reliability(measured, spans)
    with box("section", label="Largest misses"):
        text("Largest misses", "h2")
        show_judged(measured.misses.events, measured.misses.missing, current)
    show_tools("backtest", _HOW_TO_READ, lambda: [each.model_dump() for each in measured.figures])


async def _measured(service: Service, current: BacktestUrl) -> schemas.Backtest:
    """The backtest of the last time steps, which all views share, or that of a period that somebody chose."""
    if not current.since and current.every == BacktestUrl.every:
        return await wrap_future(service.board.backtest.latest())
    since = current.since or await run_blocking(service.board.recent_date, BACKTEST_STEPS)
    limit = TimeLimit.seconds(MAX_SECONDS)
    return await run_blocking(service.monitor.backtest, since, every=current.every, limit=limit)


def _spans(service: Service, measured: schemas.Backtest) -> Mapping[int, str]:
    """The horizons in words."""
    with service.live_store.reading() as graph:
        return {each.horizon: graph.timeline.span_of(each.horizon) for each in measured.figures}


def _show_form(current: BacktestUrl, since: str) -> None:
    with box("form", "since-form", "Period").on("submit", js_handler="(event) => event.preventDefault()"):

        def apply() -> None:
            state = current.without, current.version
            given = {"since": (date.value or "").strip(), "every": (every.value or "").strip()}
            try:
                url = BacktestUrl.parse({name: value for name, value in given.items() if value})
            except InputError as error:
                ui.notify(str(error))
                return
            ui.navigate.to(str(BacktestUrl(*state, since=url.since, every=url.every)))

        date = ui.input(value=since, placeholder="Since")
        every = ui.input(value=str(current.every)).props('prefix=every suffix="time steps"')
        for field, label in ((date, "First date of the period"), (every, "Forecast from every so many time steps")):
            field.props("outlined dense autocomplete=off").props["aria-label"] = label
            field.on("keydown.enter", apply)
        ui.button("Show", on_click=apply).props("unelevated no-caps")


def _show_figures(measured: schemas.Backtest, spans: Mapping[int, str]) -> None:
    text("Figures", "h2")
    hint(f"Forecast from {pluralize(measured.time_steps, 'time step')}, {measured.since} to {measured.until}")
    for warning in measured.warnings:
        hint(f"Warning: {warning}")
    headings = ["Events", "#Triples", "#Happened", *(f"#{heading}" for heading in _COLUMNS.values())]
    with table(headings, "Figures by horizon and kind of events", "figures"):
        for each in measured.figures:
            with box("tr"):
                with box("td", "cell-name"):
                    text(_kind(each, spans), "span")
                cell(f"{each.triples:,}", "Triples")
                cell(f"{each.events:,}", "Happened")
                for column, heading in _COLUMNS.items():
                    value = getattr(each, column)
                    cell("n/a" if value is None else f"{value:.3f}", heading)


def _kind(figures: schemas.BacktestFigures | schemas.ReliabilityGroup, spans: Mapping[int, str]) -> str:
    return f"{figures.kind.capitalize()}, within {spans[figures.horizon]}"


def _show_reliability(measured: schemas.Backtest, spans: Mapping[int, str]) -> None:
    text("Reliability", "h2")
    hint("The share of events that happened, by their probability; on the dashed line, both are equal")
    with box(style="three-columns"):
        for _, own in groupby(measured.reliability, lambda each: (each.horizon, each.kind)):
            groups = list(own)
            label = _kind(groups[0], spans)
            with box("section", label=f"Reliability: {label}"):
                text(label, "h3")
                drawing(draw_reliability(groups))
                with box("details"):
                    text("Numbers", "summary")
                    _show_groups(groups, label)


def _show_groups(groups: list[schemas.ReliabilityGroup], label: str) -> None:
    with table(["#Forecast", "#Happened", "#± error", "#Triples"], f"Groups: {label}"):
        for each in groups:
            with box("tr"):
                cell(rare(each.predicted))
                cell(observed_share(each))
                cell(f"{each.standard_error:.2%}")
                cell(f"{each.triples:,}")
