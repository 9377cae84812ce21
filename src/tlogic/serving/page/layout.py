"""What all views have in common: header, search, the switch between light and dark, and the footer."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, text
from tlogic.serving.page.display_text import shorten
from tlogic.serving.page.search_box import SearchBox, find_entities
from tlogic.serving.page.view_urls import AskUrl, EntityUrl, HomeUrl, RulesUrl, ViewUrl

_FOLDER = Path(__file__).parent
_STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
_SCRIPT = (_FOLDER / "script.js").read_text(encoding="utf-8")
_ACCENT = "#0f766e"


@contextmanager
def frame(service: Service, here: ViewUrl, title: str) -> Iterator[ui.element]:
    """A page with this title; what is made inside is its main part."""
    ui.page_title(f"{shorten(title, 100)} · tlogic")
    ui.add_head_html(f"<style>{_STYLE}</style><script>{_SCRIPT}</script>")
    ui.colors(primary=_ACCENT)
    # NiceGUI's content is in the landmark main already, to which the header does not belong.
    with ui.context.client.layout:
        _header(service, here).move(target_index=0)
        ui.link("Skip to content", "#content").classes("skip").move(target_index=0)
    with box(style="main") as main:
        main.props("id=content tabindex=-1")
        yield main


def entity_search(service: Service, here: ViewUrl) -> None:
    """The search that `/` leads to."""
    with box(style="main-search").props("role=search"):
        SearchBox(
            "Find an entity",
            find_entities(service),
            open_=lambda name: EntityUrl(name=name, without=here.without, version=here.version),
        )


def _header(service: Service, here: ViewUrl) -> ui.element:
    kept = here.without, here.version
    with box("header", "header") as header, box(style="header-inside"):
        ui.link("tlogic", str(HomeUrl(*kept))).classes("brand")
        with box("nav", "views", "Views"):
            _view("Explore", HomeUrl(*kept), here)
            _view("Ask", AskUrl(*kept), here)
            _view("Rules", RulesUrl(*kept), here)
        if not isinstance(here, HomeUrl):
            entity_search(service, here)
        with (
            ui.element("button").classes("theme").props('type=button aria-label="Light or dark" title="Light or dark"')
        ):
            text("◐", "span").props("aria-hidden=true")
    return header


def _view(words: str, address: ViewUrl, here: ViewUrl) -> None:
    element = ui.link(words, str(address))
    if type(address) is type(here):
        element.props("aria-current=page")
