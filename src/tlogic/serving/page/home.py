"""The home view: search, the size of the data, and the entities with the most events."""

from nicegui import ui

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, entity_tiles, hint, run_blocking, text
from tlogic.serving.page.layout import entity_search
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_urls import HomeUrl, RulesUrl

_MAX_ENTITIES = 12


def title_of(_: HomeUrl) -> str:
    """The title of the view."""
    return "Explore events and forecasts"


async def show(service: Service, current: HomeUrl) -> None:
    """Show the view."""
    with box("section", "welcome", "Search"):
        text(title_of(current), "h1")
        entity_search(service, current)
        hint("Small spelling mistakes are fine. Press / to search, the arrow keys to select, and Enter to open.")
    frequent = await run_blocking(service.entities, "", _MAX_ENTITIES)
    show_switched_off(service, current)
    health = await run_blocking(service.health)
    with box("section", label="Data"), box("dl", "numbers"):
        _show_size(health)
        await _show_version(service, health, current)
    with box("section", label="Entities with the most events"):
        text("Entities with the most events", "h2")
        entity_tiles(frequent.entities, current)


def _show_size(health: schemas.Health) -> None:
    _show_number("Events", f"{health.events:,}")
    _show_number("Entities", f"{health.entities:,}")
    _show_number("Relations", f"{health.relations:,}")
    _show_number("Dates", f"{health.first} – {health.last}", "wide")


async def _show_version(service: Service, health: schemas.Health, current: HomeUrl) -> None:
    if health.kind == "model":
        _show_number("In use", f"Model, version {health.version}", "wide")
        return
    rules = await run_blocking(
        service.rules, head=None, words="", lengths=(), min_confidence=0.0, sort="confidence", offset=0, limit=1
    )
    _show_number("Rules in use", f"{rules.total:,}", link=str(RulesUrl(current.without, current.version)))


def _show_number(label: str, value: str, style: str = "", link: str = "") -> None:
    with box(style=style):
        text(label, "dt")
        if link:
            with box("dd"):
                ui.link(value, link)
        else:
            text(value, "dd")
