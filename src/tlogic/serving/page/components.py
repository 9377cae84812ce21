"""The parts that views are made of. Text from data goes into them as text and as properties, never as HTML."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from nicegui import run, ui
from nicegui.elements.mixins.text_element import TextElement

from tlogic.errors import InputError
from tlogic.serving import schemas
from tlogic.serving.page.display_text import counted, shorten, spoken, visible
from tlogic.serving.page.view_urls import EntityUrl, RulesUrl, ViewUrl

Answer = TypeVar("Answer")


async def run_blocking(call: Callable[..., Answer], *arguments: object, **named: object) -> Answer:
    """What a blocking call of the service answers, while other pages go on."""
    answer = await run.io_bound(call, *arguments, **named)
    if answer is None:
        raise InputError("The service is stopping.")
    return answer


def text(words: str, kind: str = "div", style: str = "", longest: int = 400) -> TextElement:
    """Words in an element of some kind, shortened; the whole is shown where one points at it."""
    short = shorten(words, longest)
    element = TextElement(tag=kind, text=short).classes(style)
    if short != words:
        element.props["title"] = visible(words)
    return element


def name(words: str, kind: str = "span", style: str = "") -> TextElement:
    """A name from the data, on one line, which does not change the direction of the text around it."""
    element = text(words, kind, f"name {style}", longest=80)
    element.props["title"] = visible(words)
    element.props["dir"] = "auto"
    return element


def link(words: str, address: ViewUrl, style: str = "") -> ui.link:
    """A link with a name from the data."""
    element = ui.link(shorten(words), str(address)).classes(f"name {style}")
    element.props["title"] = visible(words)
    element.props["dir"] = "auto"
    return element


def entity_link(entity: str, here: ViewUrl, style: str = "") -> ui.link:
    """A link to the view of an entity; rules that are switched off stay so."""
    return link(entity, EntityUrl(name=entity, without=here.without, version=here.version), style)


def entity_tiles(entities: Sequence[schemas.Entity], here: ViewUrl) -> None:
    """Entities side by side, each with the number of its events."""
    with box("ul", "tiles"):
        for each in entities:
            with box("li"):
                entity_link(each.name, here)
                text(counted(each.events, "event"), "span", "muted number")


def fact_list(facts: Sequence[schemas.Fact], here: ViewUrl) -> None:
    """Facts with their dates; their entities are links, but for the one whose view this is."""
    with box("ul", "facts"):
        for fact in facts:
            with box("li"):
                text(fact.time, "span", "number date")
                with box("span", "phrase"):
                    _end(fact.subject, here)
                    text(f"— {spoken(fact.relation)} →", "span", "relation")
                    _end(fact.object, here)


def _end(entity: str, here: ViewUrl) -> None:
    if isinstance(here, EntityUrl) and here.name == entity:
        name(entity)
    else:
        entity_link(entity, here)


def problem(words: str) -> None:
    """What is wrong, told where the answer would be."""
    text(words, style="problem", longest=1000).props("role=alert")


def hint(words: str) -> None:
    """A quiet remark."""
    text(words, "p", "hint")


def box(kind: str = "div", style: str = "", label: str = "") -> ui.element:
    """An element around others; with a label it is a landmark of the page."""
    element = ui.element(kind).classes(style)
    if label:
        element.props["aria-label"] = label
    return element


@contextmanager
def table(headings: Sequence[str], label: str) -> Iterator[None]:
    """A table; headings that begin with # are those of numbers."""
    with box("table", label=label):
        with box("thead"), box("tr"):
            for heading in headings:
                text(heading.lstrip("#"), "th", "number" if heading.startswith("#") else "").props("scope=col")
        with box("tbody"):
            yield


def bar(share: float, style: str = "") -> None:
    """A share of one as the length of a bar. Its number stands beside it, so that it says nothing to be read."""
    with box("span", f"bar {style}") as outer:
        outer.props("aria-hidden=true")
        ui.element("span").style(f"width: {100 * min(max(share, 0.0), 1.0):.1f}%")


def picture(drawn: str) -> None:
    """A drawing, in which all text was escaped when it was made; the browser's sanitizer looks at it once more."""
    ui.html(drawn, sanitize=True).classes("drawing")


def pager(address: EntityUrl | RulesUrl, shown: int, size: int, total: int) -> None:
    """Where one is in a long list, and the ways to the next and the last page."""
    first = (address.page - 1) * size
    with box("nav", "pager", "Pages"):
        text(f"{first + 1:,}–{first + shown:,} of {total:,}" if shown else f"none of {total:,}", "span", "number")
        if address.page > 1:
            ui.link("← Previous", str(replace(address, page=address.page - 1))).props("rel=prev")
        if first + shown < total:
            ui.link("Next →", str(replace(address, page=address.page + 1))).props("rel=next")
