"""A plot of rules by length, confidence and support."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import BELOW_ONE, FILL_ALPHA, plotting, set_log_ticks, with_thousands
from tlogic.errors import InputError
from tlogic.figures import BLUE, LINE, ORANGE
from tlogic.graph.arrays import Floats
from tlogic.rules import RuleSet

_CONFIDENCE_EDGES = np.linspace(0, 1, 21)
_SUPPORT_BINS_PER_DECADE = 8


def plot_rules(rules: RuleSet, path: str | PathLike[str]) -> None:
    """Plot histograms of the confidence and support of rules, one column per rule length.

    Rules without a measured confidence are left out.

    Args:
        rules: The rules, at least one of them measured.
        path: The SVG or PNG file to write.

    Raises:
        InputError: If no rule is measured, if the path is not an SVG or PNG file, or if matplotlib is not installed.

    Example:
        >>> import tlogic
        >>> rules = tlogic.learn(tlogic.sample(days=60), walks=10)
        >>> plot_rules(rules, "rules.svg")
    """
    by_length = _by_length(rules)
    support_edges = _support_edges(max(9, *(table["bodies"].max() for table in by_length.values())))
    with plotting(path, width=1.0 + 2.6 * max(len(by_length), 2), height=5.4) as figure:
        figure.suptitle(_title(rules), x=0.01, ha="left", fontsize=11)
        grid = figure.subplots(2, len(by_length), sharex="row", sharey="row", squeeze=False)
        for (length, table), (upper, lower) in zip(by_length.items(), grid.T, strict=True):
            upper.set_title(f"length {length}: {len(table):,}", fontsize=10)
            _draw_confidences(upper, table)
            _draw_supports(lower, table, support_edges)
        grid[0, 0].set_ylim(bottom=BELOW_ONE)  # after all columns, whose highest bar sets the top
        for axes in grid[:, 0]:
            axes.set_ylabel("rules")
            axes.yaxis.set_major_formatter(with_thousands)
        grid[1, 0].legend(loc="lower left", bbox_to_anchor=(0, 1.02), ncols=2)


def _draw_confidences(axes: Any, table: Any) -> None:
    axes.hist(table["confidence"], _CONFIDENCE_EDGES, color=BLUE, alpha=FILL_ALPHA)
    axes.set_yscale("log")
    axes.set_xlabel("confidence")


def _draw_supports(axes: Any, table: Any, edges: Floats) -> None:
    axes.hist(table["bodies"], edges, color=LINE, label="body support")
    axes.hist(table["heads"], edges, color=ORANGE, histtype="step", label="rule support")
    axes.set_xscale("log")
    set_log_ticks(axes.xaxis, edges[0], edges[-1])
    axes.xaxis.set_major_formatter(with_thousands)
    axes.set_xlabel("support")


def _title(rules: RuleSet) -> str:
    n_unmeasured = sum(not rule.is_measured for rule in rules)
    suffix = f"; {n_unmeasured:,} unmeasured left out" if n_unmeasured else ""
    return f"Rules by length, confidence and support{suffix}"


def _support_edges(max_support: float) -> Floats:
    """Bin edges that lie between whole numbers."""
    n_edges = 1 + round(_SUPPORT_BINS_PER_DECADE * np.log10(max_support + 1))
    return np.unique(np.round(np.geomspace(1, max_support + 1, n_edges))) - 0.5


def _by_length(rules: RuleSet) -> dict[int, Any]:
    """The confidence and support of the measured rules, by rule length."""
    found: dict[int, Any] = {}
    for rule in rules:
        if rule.is_measured:
            row = rule.confidence, rule.rule_support, rule.body_support
            found.setdefault(len(rule.body), []).append(row)
    if not found:
        raise InputError(
            f"Found no rule with a confidence among {len(rules):,} rules; expected at least one. "
            "`tlogic measure DATA --rules RULES --out NEW` computes confidences."
        )
    columns = np.dtype([("confidence", "f8"), ("heads", "f8"), ("bodies", "f8")])
    return {length: np.array(found[length], columns) for length in sorted(found)}
