"""Rules, or a model's kinds of evidence, that are switched off: chips that switch them on again, and the ways there."""

from dataclasses import replace

from nicegui import ui

from tlogic.serving.engine.predictors import RulePredictor
from tlogic.serving.engine.service import Service, rule_schema
from tlogic.serving.page.components import box, hint, text
from tlogic.serving.page.display_text import shorten, visible
from tlogic.serving.page.view_urls import ViewUrl


def show_switched_off(service: Service, here: ViewUrl, remark: str = "") -> None:
    """A chip for each that is off, which takes one to the same view with it on."""
    if not here.without:
        return
    version = service.versions.predictor.version
    with box("section", "chips", "Switched off"):
        text("Switched off:", "span", "muted")
        for number in here.without:
            _chip(_words_of(service, number), str(here.switched(number, version)))
        if len(here.without) > 1:
            ui.link("All on", str(replace(here, without=(), version=0)))
    if here.version not in (0, version):
        hint(f"These numbers are of version {here.version}; version {version} is in use, where they may be others.")
    if remark:
        hint(remark)


def switch(here: ViewUrl, number: str, version: int, what: str) -> None:
    """A link to the same view with this one switched off, or on."""
    off = number in here.without
    element = ui.link("Switch on" if off else "Switch off", str(here.switched(number, version))).classes("switch")
    element.props["aria-label"] = f"Switch {'on' if off else 'off'}: {shorten(what, 200)}"


def _chip(words: str, target: str) -> None:
    with ui.element("a").classes("chip") as chip:
        chip.props["href"] = target
        chip.props["title"] = visible(words)
        chip.props["aria-label"] = f"Switch on: {shorten(words, 200)}"
        text(words, "span", longest=60)
        text("×", "span").props("aria-hidden=true")


def _words_of(service: Service, number: str) -> str:
    """What the id of a rule stands for; an id that there is not is told as it is, and the forecast tells of it."""
    predictor = service.versions.predictor
    if (
        isinstance(predictor, RulePredictor)
        and number.isascii()
        and number.isdecimal()
        and int(number) < len(predictor.rules)
    ):
        return rule_schema(predictor, predictor.rules[int(number)]).words
    return number
