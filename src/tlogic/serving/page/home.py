"""The first view: what the data is, and where to begin."""

from nicegui import ui

from tlogic.serving import messages as say
from tlogic.serving.answering.service import Service
from tlogic.serving.page.addresses import HomeAddress, RulesAddress
from tlogic.serving.page.layout import entity_search
from tlogic.serving.page.parts import answer_of, box, entity_tiles, hint, text
from tlogic.serving.page.switches import show_switched_off

_BUSY = 12


def title_of(_: HomeAddress) -> str:
    """What the view is called."""
    return "What happened, what comes next, and why"


async def show(service: Service, here: HomeAddress) -> None:
    """Show the view."""
    with box("section", "welcome", "Search"):
        text(title_of(here), "h1")
        entity_search(service, here)
        hint("Search forgives spelling. Press / to search, arrow keys to choose, Enter to open.")
    busiest = await answer_of(service.entities, "", _BUSY)
    show_switched_off(service, here)
    health = await answer_of(service.health)
    with box("section", label="The data"), box("dl", "numbers"):
        _tell_data(health)
        await _tell_version(service, health, here)
    with box("section", label="Busy entities"):
        text("Busy entities", "h2")
        entity_tiles(busiest.entities, here)


def _tell_data(health: say.Health) -> None:
    _number("Events", f"{health.events:,}")
    _number("Entities", f"{health.entities:,}")
    _number("Relations", f"{health.relations:,}")
    _number("Dates", f"{health.first} – {health.last}", "wide")


async def _tell_version(service: Service, health: say.Health, here: HomeAddress) -> None:
    if health.kind == "model":
        _number("In use", f"Model, version {health.version}", "wide")
        return
    rules = await answer_of(
        service.rules, head=None, words="", lengths=(), min_confidence=0.0, sort="confidence", offset=0, limit=1
    )
    _number("Rules in use", f"{rules.total:,}", link=str(RulesAddress(here.without, here.version)))


def _number(label: str, value: str, style: str = "", link: str = "") -> None:
    with box(style=style):
        text(label, "dt")
        if link:
            with box("dd"):
                ui.link(value, link)
        else:
            text(value, "dd")
