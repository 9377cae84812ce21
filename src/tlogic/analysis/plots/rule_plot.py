"""A plot of rules by length, confidence and support."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import FILL, plotting, set_log_ticks, with_thousands
from tlogic.errors import InputError
from tlogic.figures import BLUE, LINE, ORANGE
from tlogic.graph.arrays import Floats
from tlogic.rules import RuleSet

_CONFIDENCES = np.linspace(0, 1, 21)
# Where a logarithmic axis of counts begins, so that a single rule shows.
_BELOW_ONE = 0.7


def plot_rules(rules: RuleSet, path: str | PathLike[str]) -> None:
    """Draw the confidences and supports of rules, a column a length, to an SVG or PNG file.

    Rules that were not measured yet have neither, and are left out.
    """
    by_length = _by_length(rules)
    supports = _support_bins(max(9, *(table["bodies"].max() for table in by_length.values())))
    with plotting(path, width=1.0 + 2.6 * max(len(by_length), 2), height=5.4) as figure:
        figure.suptitle(_title(rules), x=0.01, ha="left", fontsize=11)
        grid = figure.subplots(2, len(by_length), sharex="row", sharey="row", squeeze=False)
        for (length, table), (upper, lower) in zip(by_length.items(), grid.T, strict=True):
            upper.set_title(f"length {length}: {len(table):,}", fontsize=10)
            _draw_confidences(upper, table)
            _draw_supports(lower, table, supports)
        grid[0, 0].set_ylim(bottom=_BELOW_ONE)  # after all columns, whose highest bar sets the top
        for axes in grid[:, 0]:
            axes.set_ylabel("rules")
            axes.yaxis.set_major_formatter(with_thousands)
        grid[1, 0].legend(loc="lower left", bbox_to_anchor=(0, 1.02), ncols=2)


def _draw_confidences(axes: Any, table: Any) -> None:
    axes.hist(table["confidence"], _CONFIDENCES, color=BLUE, alpha=FILL)
    axes.set_yscale("log")
    axes.set_xlabel("confidence")


def _draw_supports(axes: Any, table: Any, bins: Floats) -> None:
    axes.hist(table["bodies"], bins, color=LINE, label="body support")
    axes.hist(table["heads"], bins, color=ORANGE, histtype="step", label="rule support")
    axes.set_xscale("log")
    set_log_ticks(axes.xaxis, bins[0], bins[-1])
    axes.xaxis.set_major_formatter(with_thousands)
    axes.set_xlabel("support")


def _title(rules: RuleSet) -> str:
    unmeasured = sum(not rule.is_measured for rule in rules)
    rest = f"; {unmeasured:,} unmeasured left out" if unmeasured else ""
    return f"Rules by length, confidence and support{rest}"


def _support_bins(most: float) -> Floats:
    """Some eight bins for each power of ten, with edges between whole numbers."""
    n_edges = 1 + round(8 * np.log10(most + 1))
    return np.unique(np.round(np.geomspace(1, most + 1, n_edges))) - 0.5


def _by_length(rules: RuleSet) -> dict[int, Any]:
    """By length: the confidences and supports of the rules that have them."""
    found: dict[int, Any] = {}
    for rule in rules:
        if rule.is_measured:
            row = rule.confidence, rule.rule_support, rule.body_support
            found.setdefault(len(rule.body), []).append(row)
    if not found:
        raise InputError(
            f"Found no rule with a confidence among {len(rules):,}; expected one or more. "
            "`tlogic measure DATA --rules RULES --out NEW` computes confidences."
        )
    columns = np.dtype([("confidence", "f8"), ("heads", "f8"), ("bodies", "f8")])
    return {length: np.array(found[length], columns) for length in sorted(found)}
