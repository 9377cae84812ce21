"""User interface components that the views share. Text from data is inserted as text or properties, never as HTML."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from nicegui import run, ui
from nicegui.elements.mixins.text_element import TextElement

from tlogic.errors import InputError, UnknownNameError
from tlogic.monitoring.change_explanation import factor_text
from tlogic.serving import schemas
from tlogic.serving.engine.board import LikelyTriple
from tlogic.serving.page.display_text import MAX_NAME_LENGTH, percent, pluralize, relation_text, shorten, visible
from tlogic.serving.page.view_urls import EntityUrl, PairUrl, RulesUrl, TripleUrl, ViewUrl

Result = TypeVar("Result")
Item = TypeVar("Item")

_N_OPEN_REASONS = 3
"""The number of reasons that are shown at once."""


async def run_blocking(call: Callable[..., Result], *arguments: object, **named: object) -> Result:
    """Run a blocking call of the service in a thread, so that other pages stay responsive."""
    result = await run.io_bound(_call, call, arguments, named)
    if result is None:
        raise InputError("The service is shutting down.")
    return result


def _call(call: Callable[..., Result], arguments: Sequence[object], named: Mapping[str, object]) -> Result:
    try:
        return call(*arguments, **named)
    except UnknownNameError as error:
        _ = error.similar  # searched in this thread
        raise


def text(words: str, tag: str = "div", style: str = "", max_length: int = 400) -> TextElement:
    """Shortened text in an element. A tooltip shows the full text."""
    short = shorten(words, max_length)
    element = TextElement(tag=tag, text=short).classes(style)
    if short != words:
        element.props["title"] = visible(words)
    return element


def name(words: str, tag: str = "span", style: str = "") -> TextElement:
    """A name from the data, isolated from the direction of the surrounding text."""
    element = text(words, tag, f"name {style}", max_length=MAX_NAME_LENGTH)
    element.props["title"] = visible(words)
    element.props["dir"] = "auto"
    return element


def link(words: str, url: ViewUrl, style: str = "") -> ui.link:
    """A link with a name from the data."""
    element = ui.link(shorten(words), str(url)).classes(f"name {style}")
    element.props["title"] = visible(words)
    element.props["dir"] = "auto"
    return element


def entity_link(entity: str, current: ViewUrl, style: str = "") -> ui.link:
    """A link to the view of an entity. Rules that are switched off stay off."""
    return link(entity, EntityUrl(name=entity, without=current.without, version=current.version), style)


def entity_tiles(entities: Sequence[schemas.Entity], current: ViewUrl) -> None:
    """Entities side by side, each with its number of events."""
    with box("ul", "tiles"):
        for each in entities:
            with box("li"):
                entity_link(each.name, current)
                text(pluralize(each.events, "event"), "span", "muted number")


def fact_list(facts: Sequence[schemas.Fact], current: ViewUrl) -> None:
    """Facts with their dates. Entities are links, except the one whose view this is."""
    with box("ul", "facts"):
        for fact in facts:
            with box("li"):
                text(fact.time, "span", "number date")
                event_phrase(fact.subject, fact.relation, fact.object, current)


def event_phrase(subject: str, relation: str, object: str, current: ViewUrl) -> ui.element:
    """An event without its date. Entities are links, except the one whose view this is."""
    with box("span", "phrase") as phrase:
        _fact_entity(subject, current)
        url = TripleUrl(current.without, current.version, subject=subject, relation=relation, object=object)
        relation_link(relation, None if isinstance(current, TripleUrl) else url)
        _fact_entity(object, current)
    return phrase


def relation_link(relation: str, url: TripleUrl | None) -> None:
    """The relation of an event between its entities, with a link to the view of the event."""
    words = f"— {relation_text(relation)} →"
    if url is None:
        text(words, "span", "relation")
    else:
        ui.link(words, str(url)).classes("relation").props["title"] = "This event: how often, how likely, and why"


def _fact_entity(entity: str, current: ViewUrl) -> None:
    if isinstance(current, EntityUrl) and current.name == entity:
        name(entity)
    else:
        entity_link(entity, current)


def likely_rows(
    events: Sequence[LikelyTriple],
    current: ViewUrl,
    *,
    has_probabilities: bool,
    mark: Callable[[LikelyTriple], None] = lambda _: None,
) -> None:
    """Likely events with a bar and, if a model is in use, the probability. `mark` can add to each event."""
    with box("ol", "rows"):
        for event in events:
            with box("li"):
                with event_phrase(*event[:3], current):
                    mark(event)
                bar(event.share)
                if has_probabilities:
                    text(percent(event.share), "span", "number")
    if not events:
        hint("No event is expected.")


def changed_names(change: schemas.Change, current: ViewUrl) -> ui.element:
    """The entity, pair or relation of a change."""
    with box("span", "phrase") as phrase:
        if change.kind == "relation":
            text(relation_text(change.name), "span", "name")
        else:
            entity_link(change.name, current)
        if change.other is not None:
            pair = PairUrl(current.without, current.version, entity=change.name, other=change.other)
            ui.link("and", str(pair)).classes("relation").props["title"] = "All events of the two"
            entity_link(change.other, current)
    return phrase


def change_factor(change: schemas.Change, tag: str) -> None:
    """How many times as many events there are as before."""
    text(factor_text(change.before, change.after), tag, f"number {'more' if change.significance > 0 else 'less'}")


def problem(words: str) -> None:
    """An error message, at the position of the result."""
    text(words, style="problem", max_length=1000).props("role=alert")


def hint(words: str) -> None:
    """A remark in muted colour."""
    text(words, "p", "hint")


def box(tag: str = "div", style: str = "", label: str = "") -> ui.element:
    """A container element. With a label it is a landmark of the page."""
    element = ui.element(tag).classes(style)
    if label:
        element.props["aria-label"] = label
    return element


@contextmanager
def table(headings: Sequence[str], label: str, style: str = "") -> Iterator[None]:
    """A table. Headings that begin with # belong to columns of numbers."""
    with box("table", style, label):
        with box("thead"), box("tr"):
            for heading in headings:
                text(heading.lstrip("#"), "th", "number" if heading.startswith("#") else "").props("scope=col")
        with box("tbody"):
            yield


def cell(words: str, heading: str = "", style: str = "") -> None:
    """A cell of a table with a number or a date. Where a phone shows no headings, the heading precedes it."""
    text(words, "td", f"number {style}").props["data-label"] = heading


def labelled(label: str, value: str, remark: str = "") -> ui.element:
    """A value below its label."""
    with box() as part:
        text(label, "span", "muted")
        text(value, "span", "number")
        if remark:
            text(remark, "span", "muted number")
    return part


def bar(share: float, style: str = "") -> None:
    """A share between 0 and 1 as a bar. Screen readers skip it, because the number is beside it."""
    with box("span", f"bar {style}") as outer:
        outer.props("aria-hidden=true")
        ui.element("span").style(f"width: {100 * min(max(share, 0.0), 1.0):.1f}%")


def drawing(svg: str) -> None:
    """An SVG drawing. Its text is already escaped; the sanitizer of the browser checks it again."""
    ui.html(svg, sanitize=True).classes("drawing")


def strongest_first(reasons: Sequence[Item], show: Callable[[int, Item], None], noun: str) -> None:
    """Show reasons one below the other: the strongest at once, the others in a section that opens with a click."""
    for index, reason in enumerate(reasons[:_N_OPEN_REASONS]):
        show(index, reason)
    others = reasons[_N_OPEN_REASONS:]
    if not others:
        return
    with box("details", "weaker"):
        text(f"{pluralize(len(others), f'weaker {noun}')}", "summary")
        for index, reason in enumerate(others, _N_OPEN_REASONS):
            show(index, reason)


def pager(url: EntityUrl | PairUrl | RulesUrl, shown: int, size: int, total: int) -> None:
    """The range of items on this page, and links to the previous and next page."""
    first = (url.page - 1) * size
    with box("nav", "pager", "Pages"):
        text(f"{first + 1:,}–{first + shown:,} of {total:,}" if shown else f"none of {total:,}", "span", "number")
        if url.page > 1:
            ui.link("← Previous", str(replace(url, page=url.page - 1))).props("rel=prev")
        if first + shown < total:
            ui.link("Next →", str(replace(url, page=url.page + 1))).props("rel=next")
