"""In a picture of why, nothing hides an arrow, nothing is cut off, and names of all scripts are shown."""

from pathlib import Path
from typing import Any

import pytest

import tlogic
from tlogic import figures
from tlogic.events import Timeline
from tlogic.explaining.rule_explanation import Fact, Reason, RuleExplanation
from tlogic.forecasting.queries import Query

LONG = "Express_intent_to_engage_in_diplomatic_cooperation_(such_as_policy_support)"
FACTS = (
    Fact("China", LONG, "Japan", "2014-11-13"),
    Fact("Japan", LONG, "China", "2014-11-13"),
    Fact("Iran", "Consult", "China", "2014-11-14"),
    Fact("Iran", LONG, "Iran", "2014-11-15"),
    Fact("China", "Pay_$5_to_$9", "City_Manager_(United_States)", "2014-11-15"),
)


def explanation(*facts: Fact) -> RuleExplanation:
    rule = tlogic.Rule("Consult", ("Consult",), (0, 1), 1, 2)
    reasons = (Reason(rule, 0.5, 1, 0.25, 0.25, (facts,)),) if facts else ()
    return RuleExplanation(
        query=Query("China", "Consult", None, "2014-11-20"),
        candidate="City_Manager_(United_States)",
        score=0.5 if facts else 0.0,
        rank=1 if facts else None,
        n_equal=0,
        n_candidates=1,
        reasons=reasons,
        untried=(),
        n_rules=1,
        n_rules_tried=1,
        above=(),
        timeline=Timeline("day", 1, "2014-01-01"),
    )


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn, laid out as they would be written."""
    drawn_figures: list[Any] = []

    def keep(figure: Any, _: Path) -> None:
        figure.draw_without_rendering()
        drawn_figures.append(figure)

    monkeypatch.setattr(figures, "_save", keep)
    return drawn_figures


@pytest.mark.parametrize("n_facts", [0, 1, 2, 5])
def test_nothing_hides_an_arrow_and_nothing_is_cut_off(n_facts: int, drawn: list[Any]) -> None:
    from matplotlib.text import Annotation

    explanation(*FACTS[:n_facts]).draw("why.svg")
    [figure] = drawn
    [axes] = figure.axes
    arrows: list[Any] = [text.arrow_patch for text in axes.texts if isinstance(text, Annotation)]
    texts = [text for text in axes.texts if not isinstance(text, Annotation)] + list(figure.texts)
    assert len(arrows) == n_facts + 1
    for text in texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0
        assert box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(arrow.get_window_extent()) for arrow in arrows), text
    for number, text in enumerate(texts):
        assert not any(text.get_window_extent().overlaps(other.get_window_extent()) for other in texts[:number]), text


def test_an_explanation_is_shown_in_a_line() -> None:
    query = "(China, Consult, ?, 2014-11-20)"
    assert repr(explanation(*FACTS)) == (
        f"RuleExplanation({query}: City_Manager_(United_States), rank 1 of 1, score 0.5000 by 1 rule)"
    )
    assert "not a candidate, score 0.0000 by 0 rules)" in repr(explanation())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["東京電力", "شركة الطيران", "Rocket 🚀", "한국전력", "भारत"])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_names_of_all_scripts_are_drawn_without_warnings(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"why.{kind}"
    explanation(Fact("China", "Consult", name, "2014-11-13")).draw(path)
    if kind == "svg":
        # As text, the viewer of the file draws it with its own fonts.
        assert f">{name}</text>" in path.read_text(encoding="utf-8")
    else:
        assert path.stat().st_size > 0


def test_other_names_are_drawn_as_outlines(tmp_path: Path) -> None:
    explanation(Fact("China", "Consult", "Škoda", "2014-11-13")).draw(tmp_path / "why.svg")
    assert "<text" not in (tmp_path / "why.svg").read_text(encoding="utf-8")
