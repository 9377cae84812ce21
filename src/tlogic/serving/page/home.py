"""The first view: what the data is, and where to begin."""

from nicegui import ui

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, entity_tiles, hint, run_blocking, text
from tlogic.serving.page.layout import entity_search
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_urls import HomeUrl, RulesUrl

_BUSY = 12


def title_of(_: HomeUrl) -> str:
    """What the view is called."""
    return "What happened, what comes next, and why"


async def show(service: Service, here: HomeUrl) -> None:
    """Show the view."""
    with box("section", "welcome", "Search"):
        text(title_of(here), "h1")
        entity_search(service, here)
        hint("Search forgives spelling. Press / to search, arrow keys to choose, Enter to open.")
    busiest = await run_blocking(service.entities, "", _BUSY)
    show_switched_off(service, here)
    health = await run_blocking(service.health)
    with box("section", label="The data"), box("dl", "numbers"):
        _tell_data(health)
        await _tell_version(service, health, here)
    with box("section", label="Busy entities"):
        text("Busy entities", "h2")
        entity_tiles(busiest.entities, here)


def _tell_data(health: schemas.Health) -> None:
    _number("Events", f"{health.events:,}")
    _number("Entities", f"{health.entities:,}")
    _number("Relations", f"{health.relations:,}")
    _number("Dates", f"{health.first} – {health.last}", "wide")


async def _tell_version(service: Service, health: schemas.Health, here: HomeUrl) -> None:
    if health.kind == "model":
        _number("In use", f"Model, version {health.version}", "wide")
        return
    rules = await run_blocking(
        service.rules, head=None, words="", lengths=(), min_confidence=0.0, sort="confidence", offset=0, limit=1
    )
    _number("Rules in use", f"{rules.total:,}", link=str(RulesUrl(here.without, here.version)))


def _number(label: str, value: str, style: str = "", link: str = "") -> None:
    with box(style=style):
        text(label, "dt")
        if link:
            with box("dd"):
                ui.link(value, link)
        else:
            text(value, "dd")
