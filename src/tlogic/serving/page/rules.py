"""The rules view: filters, and the matching rules with a link to switch each off."""

from dataclasses import replace

from nicegui import ui

from tlogic.errors import InputError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import bar, box, hint, pager, run_blocking, text
from tlogic.serving.page.display_text import percent, pluralize
from tlogic.serving.page.search_box import SearchBox, find_relations
from tlogic.serving.page.toggles import show_switched_off, toggle_link
from tlogic.serving.page.view_urls import SORTS, RulesUrl

_RULES_PER_PAGE = 20
_LENGTHS = {0: "Any length", 1: "1 fact", 2: "2 facts", 3: "3 facts"}
_SORT_LABELS = {sort: f"By {sort}" for sort in SORTS}


def title_of(current: RulesUrl) -> str:
    """The title of the view."""
    filters = " ".join(part for part in (current.head, current.words) if part)
    return f"Rules: {filters}" if filters else "Rules"


async def show(service: Service, current: RulesUrl) -> None:
    """Show the view."""
    text("Rules", "h1")
    show_switched_off(service, current)
    found = await run_blocking(
        service.rules,
        head=current.head or None,
        words=current.words,
        lengths=(current.length,) if current.length else (),
        min_confidence=current.confidence,
        sort=current.sort,
        offset=(current.page - 1) * _RULES_PER_PAGE,
        limit=_RULES_PER_PAGE,
    )
    _show_filters(service, current)
    version = service.versions.predictor.version
    hint(f"{pluralize(found.total, 'rule')} in version {version}")
    with box("ol", "rules"):
        for rule in found.rules:
            _show_rule(rule, version, current)
    pager(current, len(found.rules), _RULES_PER_PAGE, found.total)


def _show_filters(service: Service, current: RulesUrl) -> None:
    with box("form", "filters", "Filters").on("submit", js_handler="(event) => event.preventDefault()"):

        def apply() -> None:
            chosen = {"words": (words.value or "").strip(), "head": head.value, "length": str(length.value or 0)}
            chosen |= {"sort": str(sort.value), "confidence": (confidence.value or "").strip() or "0"}
            _open(chosen, confidence, current)

        words = ui.input(value=current.words, placeholder="Words").props("outlined dense clearable autocomplete=off")
        words.props["aria-label"] = "Words in the rule"
        head = SearchBox("Head: any relation", find_relations(service), value=current.head, on_enter=apply)
        length = ui.select(
            _LENGTHS | {current.length: _LENGTHS.get(current.length, f"{current.length} facts")}, value=current.length
        )
        sort = ui.select(_SORT_LABELS, value=current.sort)
        confidence = ui.input(
            value=f"{current.confidence:g}" if current.confidence else "", placeholder="Min. confidence"
        )
        for field, label in ((length, "Length"), (sort, "Order"), (confidence, "Minimum confidence, from 0 to 1")):
            field.props("outlined dense").props["aria-label"] = label
        words.on("keydown.enter", apply)
        confidence.on("keydown.enter", apply)
        length.on_value_change(apply)
        sort.on_value_change(apply)
        ui.button("Apply", on_click=apply).props("unelevated no-caps")


def _open(chosen: dict[str, str], confidence: ui.input, current: RulesUrl) -> None:
    """Open the rules with the chosen filters. An invalid confidence is reported at its field."""
    try:
        url = RulesUrl.parse(chosen)
    except InputError as error:
        confidence.props["error"], confidence.props["error-message"] = True, str(error)
        return
    ui.navigate.to(str(replace(url, without=current.without, version=current.version)))


def _show_rule(rule: schemas.Rule, version: int, current: RulesUrl) -> None:
    with box("li", "off" if rule.id in current.without else ""):
        with box(style="rule-words"):
            text(rule.words, "span")
            text(rule.text, "code", "muted")
        with box(style="rule-confidence"):
            bar(rule.confidence)
            text(percent(rule.confidence), "span", "number")
        text(f"{rule.rule_support:,} of {rule.body_support:,}", "span", "muted number rule-support")
        toggle_link(current, rule.id, version, rule.words)
