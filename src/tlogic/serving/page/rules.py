"""The rules view: filters, and the matching rules with a link to switch each off."""

from dataclasses import replace
from typing import cast

from nicegui import ui

from tlogic.errors import InputError
from tlogic.rules.selection import Sort
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import bar, box, hint, pager, run_blocking, text
from tlogic.serving.page.display_text import percent, pluralize
from tlogic.serving.page.search_box import SearchBox, find_relations
from tlogic.serving.page.toggles import show_switched_off, toggle_link
from tlogic.serving.page.view_tools import MAX_ROWS, show_tools
from tlogic.serving.page.view_urls import SORTS, RulesUrl

_RULES_PER_PAGE = 20
_LENGTHS = {0: "Any length", 1: "1 fact", 2: "2 facts", 3: "3 facts"}
_HOW_TO_READ = (
    "A rule says what tends to happen after what: X, Y and Z stand for any entities. The confidence is the share "
    "of cases in which it came true, with the numbers beside it. Files contain all rules that match the filters."
)
_MODEL_REMARK = (
    ", counted by the evidence of the model; the confidence is the probability at the best age. Forecasts combine them "
    "with other evidence; to switch off a kind of evidence, use the reasons of a forecast."
)
_SORT_LABELS = {sort: f"By {sort}" for sort in SORTS}


def title_of(current: RulesUrl) -> str:
    """The title of the view."""
    filters = " ".join(part for part in (current.head, current.words) if part)
    return f"Rules: {filters}" if filters else "Rules"


async def show(service: Service, current: RulesUrl) -> None:
    """Show the view."""
    text("Rules", "h1")
    show_switched_off(service, current)
    found = await run_blocking(_find, service, current, (current.page - 1) * _RULES_PER_PAGE, _RULES_PER_PAGE)
    _show_filters(service, current)
    version, is_model = service.versions.predictor.version, service.versions.predictor.kind == "model"
    hint(f"{pluralize(found.total, 'rule')} in version {version}{_MODEL_REMARK if is_model else ''}")
    with box("ol", "rules"):
        for rule in found.rules:
            _show_rule(rule, version, current)
    pager(current, len(found.rules), _RULES_PER_PAGE, found.total)
    show_tools(
        "rules", _HOW_TO_READ, lambda: [rule.model_dump() for rule in _find(service, current, 0, MAX_ROWS).rules]
    )


def _find(service: Service, current: RulesUrl, offset: int, limit: int) -> schemas.RulePage:
    return service.rules(
        head=current.head or None,
        words=current.words,
        lengths=(current.length,) if current.length else (),
        min_confidence=current.confidence,
        sort=cast(Sort, current.sort),
        offset=offset,
        limit=limit,
    )


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
        if rule.id:
            toggle_link(current, rule.id, version, rule.words)
