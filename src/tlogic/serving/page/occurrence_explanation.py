"""The explanation of the probability of an event: a curve by date, and factors of its odds with their facts."""

from collections.abc import Sequence
from math import log

from nicegui import ui

from tlogic.evidence.statements import rare
from tlogic.explaining.occurrence_explanation import STARTS
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.page.components import (
    bar,
    box,
    cell,
    drawing,
    event_phrase,
    fact_list,
    hint,
    run_blocking,
    strongest_first,
    table,
    text,
)
from tlogic.serving.page.display_text import pluralize
from tlogic.serving.page.probability_curve import draw_curve
from tlogic.serving.page.view_urls import OutlookUrl, TripleUrl

_HORIZONS = 1, 7, 30, 90
MAX_SECONDS = 60.0
"""The time limit of a view."""


async def show(service: Service, event: tuple[str, str, str], current: OutlookUrl | TripleUrl) -> None:
    """Show the explanation of an event: subject, relation and object."""
    explained = await run_blocking(_explained, service, event, current)
    explanation = explained.explanation
    assert explanation is not None
    with box("h2", "asked").props("id=why tabindex=-1"):
        text(f"Why {rare(explanation.probability)}?", "span")
        event_phrase(explained.subject, explained.relation, explained.object, current)
    effect = "multiplies its odds by:" if explanation.factors else "no kind of evidence changes its odds."
    hint(
        f"Within {explanation.period}. The model starts from {rare(explanation.base_rate)} for "
        f"{STARTS[explained.novelty]}, and {effect}"
    )
    if explanation.note:
        hint(explanation.note)
    with box(style="columns why-columns"):
        with box("section", label="Factors"):
            strongest_first(
                explanation.factors,
                lambda index, factor: _show_factor(factor, explanation, current, is_open=index == 0),
                "reason",
            )
        with box("section", "curve-section", "Probability by date"):
            text("Probability by date", "h3")
            drawing(draw_curve(explained.curve, explained.median_wait))
            _show_horizons(explained.curve)
    if isinstance(current, OutlookUrl):
        ui.run_javascript("requestAnimationFrame(showExplanation)")


def _show_horizons(curve: Sequence[schemas.CurvePoint]) -> None:
    with table(["#Time steps", "By the end of", "#Probability"], "Probability by horizon"):
        for n_steps in sorted({n for n in _HORIZONS if n <= len(curve)} | {len(curve)}):
            with box("tr"):
                cell(f"{n_steps:,}")
                cell(curve[n_steps - 1].date, style="date")
                cell(rare(curve[n_steps - 1].probability))


def _explained(service: Service, event: tuple[str, str, str], current: OutlookUrl | TripleUrl) -> schemas.LikelyEvent:
    subject, relation, object_ = event
    found = service.monitor.outlook(
        subject,
        object_,
        relation,
        current.at or None,
        horizon=current.horizon,
        top=1,
        when=True,
        explain=True,
        limit=TimeLimit.seconds(MAX_SECONDS),
    )
    return found.events[0]


def _show_factor(
    factor: schemas.OddsFactor,
    explanation: schemas.OccurrenceExplanation,
    current: OutlookUrl | TripleUrl,
    is_open: bool,
) -> None:
    largest = max(abs(log(each.factor)) for each in explanation.factors) or 1.0
    with box("article", "reason"):
        with box(style="reason-head"):
            text(factor.sentence[:1].upper() + factor.sentence[1:], "h3")
            text(f"× {factor.factor:.3g}", "span", "number").props["title"] = "What it multiplies the odds by"
        bar(abs(log(factor.factor)) / largest, "against" if factor.factor < 1.0 else "")
        if factor.facts:
            with box("details") as details:
                if is_open:
                    details.props("open")
                text(_summary(factor), "summary")
                fact_list(factor.facts, current)


def _summary(factor: schemas.OddsFactor) -> str:
    n = len(factor.facts)
    return pluralize(n, "fact") if n == factor.facts_in_all else f"{n} of {factor.facts_in_all:,} facts"
