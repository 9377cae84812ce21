"""A plot of a model's counted rules: the probability of the head by the age of the body."""

from os import PathLike
from typing import Any

from tlogic.analysis.plots.plot_style import plotting, with_thousands
from tlogic.errors import InputError, SettingsError
from tlogic.evidence.rule_kinds import Span
from tlogic.figures import BLUE, ORANGE, SLATE, literal
from tlogic.models.counted_rules import CountedRule, of_kind, unit_of
from tlogic.models.model import Model
from tlogic.rules.selection import check_relations, select_rules

MAX_RULES = 6
_COLORS = (BLUE, ORANGE, SLATE)
_STYLES = ("-", "--")
_MAX_LABEL_CHARACTERS = 100


def plot_ages(
    model: Model, path: str | PathLike[str], *, head: str | None = None, kind: str = "rules", top: int = MAX_RULES
) -> None:
    """Plot the probability of a model's strongest rules by the age of their body.

    Each point stands for a range of ages. For chains, the age applies to both facts of the body.

    Args:
        model: A fitted model with counted rules.
        path: The SVG or PNG file to write.
        head: Only rules for this relation; rules for any relation if None.
        kind: The kind of rules: "rules" (of length 1), "chains" or "acyclic".
        top: The number of rules to plot.

    Raises:
        InputError: If the path is not an SVG or PNG file, if matplotlib is not installed, if the relation is unknown,
            or if no rule was counted at several ages.
        SettingsError: If ``kind`` or ``top`` is invalid.

    Example:
        >>> import tlogic
        >>> model = tlogic.fit(tlogic.sample(days=60))
        >>> plot_ages(model, "ages.svg", top=3)
    """
    if top < 1:
        raise SettingsError(f"top must be 1 or more, not {top}.")
    rules = _strongest(of_kind(model.rules, kind), head, top)
    with plotting(path, width=7.6, height=3.9 + 0.19 * len(rules)) as figure:
        axes = figure.add_subplot()
        for i, rule in enumerate(rules):
            _draw(axes, rule, _COLORS[i % len(_COLORS)], _STYLES[i // len(_COLORS) % len(_STYLES)])
        axes.set_xscale("log")
        axes.set_xticks(_ticks(rules), minor=False)
        axes.minorticks_off()
        axes.xaxis.set_major_formatter(with_thousands)
        axes.set_ylim(0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel(f"age of the body, {unit_of(model.data.get('step'))}")
        axes.set_ylabel("probability of the head")
        axes.set_title("Rules by age" if head is None else f"Rules for {literal(rules[0].head)} by age")
        figure.legend(loc="outside lower left")


def _strongest(rules: list[CountedRule], head: str | None, top: int) -> list[CountedRule]:
    if head is not None:
        check_relations(rules, [head])
    with_curve = [rule for rule in select_rules(rules, head) if len(rule.by_age) > 1]
    if not with_curve:
        raise InputError("Found no rule that was counted at several ages; expected at least one to plot.")
    return with_curve[:top]


def _draw(axes: Any, rule: CountedRule, color: str, style: str) -> None:
    ages = [_middle(span) for span, _ in rule.by_age]
    probabilities = [probability for _, probability in rule.by_age]
    label = str(rule)
    if len(label) > _MAX_LABEL_CHARACTERS:
        label = f"{label[: _MAX_LABEL_CHARACTERS - 1]}…"
    axes.plot(ages, probabilities, style, color=color, marker="o", markersize=3, label=literal(label), clip_on=False)


def _middle(span: Span) -> float:
    """The middle of a range of ages on a logarithmic axis; the start of a range without an end."""
    first, last = span
    return float(first) if last is None else (first * last) ** 0.5


def _ticks(rules: list[CountedRule]) -> list[int]:
    oldest = max(_middle(span) for rule in rules for span, _ in rule.by_age)
    return [age for age in (1, 2, 3, 5, 7, 14, 30, 60, 120, 365, 730) if age <= oldest]
