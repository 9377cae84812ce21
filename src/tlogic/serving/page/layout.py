"""The frame of all views: header, search and the switch between light and dark."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, text
from tlogic.serving.page.display_text import shorten
from tlogic.serving.page.search_box import SearchBox, find_entities
from tlogic.serving.page.view_urls import (
    AskUrl,
    BacktestUrl,
    EntityUrl,
    HomeUrl,
    OutlookUrl,
    RulesUrl,
    SurprisesUrl,
    ViewUrl,
)

_FOLDER = Path(__file__).parent
_STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
_SCRIPT = (_FOLDER / "script.js").read_text(encoding="utf-8")
_ACCENT = "#0f766e"


@contextmanager
def frame(service: Service, current: ViewUrl, title: str) -> Iterator[ui.element]:
    """Build a page with a title. Elements created inside the context form its main part."""
    ui.page_title(f"{shorten(title, 100)} · tlogic")
    ui.add_head_html(f"<style>{_STYLE}</style><script>{_SCRIPT}</script>")
    ui.colors(primary=_ACCENT)
    # The content of NiceGUI is inside the landmark main; the header belongs outside it.
    with ui.context.client.layout:
        _header(service, current).move(target_index=0)
        ui.link("Skip to content", "#content").classes("skip").move(target_index=0)
    with box(style="main") as main:
        main.props("id=content tabindex=-1")
        yield main


def entity_search(service: Service, current: ViewUrl) -> None:
    """The main search field, which the key / focuses."""
    with box(style="main-search").props("role=search"):
        SearchBox(
            "Find an entity",
            find_entities(service),
            open_=lambda name: EntityUrl(name=name, without=current.without, version=current.version),
        )


def _header(service: Service, current: ViewUrl) -> ui.element:
    switched_off = current.without, current.version
    with box("header", "header") as header, box(style="header-inside"):
        ui.link("tlogic", str(HomeUrl(*switched_off))).classes("brand")
        with box("nav", "views", "Views"):
            _view_link("Explore", HomeUrl(*switched_off), current)
            _view_link("Ask", AskUrl(*switched_off), current)
            _view_link("Outlook", OutlookUrl(*switched_off), current)
            _view_link("Surprises", SurprisesUrl(*switched_off), current)
            _view_link("Backtest", BacktestUrl(*switched_off), current)
            _view_link("Rules", RulesUrl(*switched_off), current)
        if not isinstance(current, HomeUrl):
            entity_search(service, current)
        with (
            ui.element("button").classes("theme").props('type=button aria-label="Light or dark" title="Light or dark"')
        ):
            text("◐", "span").props("aria-hidden=true")
    return header


def _view_link(words: str, url: ViewUrl, current: ViewUrl) -> None:
    element = ui.link(words, str(url))
    if type(url) is type(current):
        element.props("aria-current=page")
