"""Links that switch rules, or kinds of evidence of a model, off and on."""

from dataclasses import replace

from nicegui import ui

from tlogic.serving.engine.predictors import RulePredictor
from tlogic.serving.engine.responses import rule_schema
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, hint, text
from tlogic.serving.page.display_text import shorten, visible
from tlogic.serving.page.view_urls import ViewUrl


def show_switched_off(service: Service, current: ViewUrl, remark: str = "") -> None:
    """Show a chip for each rule or kind of evidence that is off. A click switches it on again."""
    if not current.without:
        return
    version = service.versions.predictor.version
    with box("section", "chips", "Switched off"):
        text("Switched off:", "span", "muted")
        for reason_id in current.without:
            _chip(_description(service, reason_id), str(current.toggled(reason_id, version)))
        if len(current.without) > 1:
            ui.link("Switch all on", str(replace(current, without=(), version=0)))
    if current.version not in (0, version):
        hint(
            f"These rules were switched off in version {current.version}. Version {version} is in use, "
            "where the same ids may mean other rules."
        )
    if remark:
        hint(remark)


def toggle_link(current: ViewUrl, reason_id: str, version: int, description: str) -> None:
    """A link to the same view with a rule or kind of evidence switched off, or on again."""
    label = "Switch on" if reason_id in current.without else "Switch off"
    element = ui.link(label, str(current.toggled(reason_id, version))).classes("switch")
    element.props["aria-label"] = f"{label}: {shorten(description, 200)}"


def _chip(words: str, url: str) -> None:
    with ui.element("a").classes("chip") as chip:
        chip.props["href"] = url
        chip.props["title"] = visible(words)
        chip.props["aria-label"] = f"Switch on: {shorten(words, 200)}"
        text(words, "span", max_length=60)
        text("×", "span").props("aria-hidden=true")


def _description(service: Service, reason_id: str) -> str:
    """The words of a rule. Kinds of evidence and unknown ids are returned unchanged."""
    predictor = service.versions.predictor
    if not isinstance(predictor, RulePredictor) or not (reason_id.isascii() and reason_id.isdecimal()):
        return reason_id
    index, rules = int(reason_id), predictor.rules
    return rule_schema(predictor, rules[index]).words if index < len(rules) else reason_id
