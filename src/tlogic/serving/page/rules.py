"""The view of the rules: which there are, and which of them are switched off."""

from dataclasses import replace

from nicegui import ui

from tlogic.errors import InputError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import bar, box, hint, pager, run_blocking, text
from tlogic.serving.page.display_text import counted, percent
from tlogic.serving.page.search_box import SearchBox, find_relations
from tlogic.serving.page.toggles import show_switched_off, switch
from tlogic.serving.page.view_urls import SORTS, RulesUrl

_ON_PAGE = 20
_LENGTHS = {0: "Any length", 1: "1 fact", 2: "2 facts", 3: "3 facts"}
_ORDERS = {sort: f"By {sort}" for sort in SORTS}


def title_of(here: RulesUrl) -> str:
    """What the view is called."""
    chosen = " ".join(part for part in (here.head, here.words) if part)
    return f"Rules: {chosen}" if chosen else "Rules"


async def show(service: Service, here: RulesUrl) -> None:
    """Show the view."""
    text("Rules", "h1")
    show_switched_off(service, here)
    found = await run_blocking(
        service.rules,
        head=here.head or None,
        words=here.words,
        lengths=(here.length,) if here.length else (),
        min_confidence=here.confidence,
        sort=here.sort,
        offset=(here.page - 1) * _ON_PAGE,
        limit=_ON_PAGE,
    )
    _show_filters(service, here)
    hint(f"{counted(found.total, 'rule fits', 'rules fit')}, version {service.versions.predictor.version}")
    with box("ol", "rules"):
        for rule in found.rules:
            _show_rule(rule, service.versions.predictor.version, here)
    pager(here, len(found.rules), _ON_PAGE, found.total)


def _show_filters(service: Service, here: RulesUrl) -> None:
    with box("form", "filters", "Filters").on("submit", js_handler="(event) => event.preventDefault()"):

        def apply() -> None:
            chosen = {"words": (words.value or "").strip(), "head": head.value, "length": str(length.value or 0)}
            chosen |= {"sort": str(sort.value), "confidence": (least.value or "").strip() or "0"}
            _open(chosen, least, here)

        words = ui.input(value=here.words, placeholder="Words").props("outlined dense clearable autocomplete=off")
        words.props["aria-label"] = "Words that the rule holds"
        head = SearchBox("Head: any relation", find_relations(service), value=here.head, on_enter=apply)
        length = ui.select(
            _LENGTHS | {here.length: _LENGTHS.get(here.length, f"{here.length} facts")}, value=here.length
        )
        sort = ui.select(_ORDERS, value=here.sort)
        least = ui.input(value=f"{here.confidence:g}" if here.confidence else "", placeholder="Least confidence")
        for field, label in ((length, "Length"), (sort, "Order"), (least, "Least confidence, from 0 to 1")):
            field.props("outlined dense").props["aria-label"] = label
        words.on("keydown.enter", apply)
        least.on("keydown.enter", apply)
        length.on_value_change(apply)
        sort.on_value_change(apply)
        ui.button("Apply", on_click=apply).props("unelevated no-caps")


def _open(chosen: dict[str, str], least: ui.input, here: RulesUrl) -> None:
    """Go to the rules that were chosen; a confidence that is none is told at its field."""
    try:
        address = RulesUrl.read(chosen)
    except InputError as error:
        least.props["error"], least.props["error-message"] = True, str(error)
        return
    ui.navigate.to(str(replace(address, without=here.without, version=here.version)))


def _show_rule(rule: schemas.Rule, version: int, here: RulesUrl) -> None:
    with box("li", "off" if rule.id in here.without else ""):
        with box(style="rule-words"):
            text(rule.words, "span")
            text(rule.text, "code", "muted")
        with box(style="rule-confidence"):
            bar(rule.confidence)
            text(percent(rule.confidence), "span", "number")
        text(f"{rule.rule_support:,} of {rule.body_support:,}", "span", "muted number rule-support")
        switch(here, rule.id, version, rule.words)
