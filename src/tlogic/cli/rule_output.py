"""The output of `tlogic rules` for rule files: tables, lines, JSON and differences."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from tlogic.cli import console as terminal
from tlogic.cli.rule_selection import SelectionOptions
from tlogic.rules import Rule, RuleSet, in_words
from tlogic.rules.table_format import rule_row
from tlogic.rules.text_format import rule_line


@dataclass(frozen=True)
class Style:
    """How to show rules: only in logic, only in words, or in both; or as JSON."""

    logic: bool
    words: bool
    json: bool

    @property
    def padding(self) -> tuple[int, int, int, int]:
        """The padding of table cells: rules with two lines each are set apart by an empty line."""
        return (0, 2, 0 if self.logic or self.words else 1, 0)

    def cell(self, logic: str, words: str) -> Text:
        """The table cell of a rule."""
        lines = [] if self.words else [Text(logic)]
        lines += [] if self.logic else [Text(words, style="" if self.words else "dim")]
        return Text("\n").join(lines)


def print_rules(selected: RuleSet, selection: SelectionOptions, total: int, style: Style) -> None:
    """Print one JSON object, a table on a terminal, or otherwise lines that form a rule file."""
    is_table = terminal.console.is_terminal and not style.json
    shown = selected.select(top=selection.limit(is_table))
    if style.json:
        print(json.dumps({"total": total, "selected": len(selected), "rules": [rule_row(rule) for rule in shown]}))
    elif is_table:
        terminal.console.print(_table(shown, style))
        print_counts(len(shown), len(selected), total)
    else:
        sys.stdout.writelines(f"{_line(rule, style)}\n" for rule in shown)


def print_counts(n_shown: int, n_selected: int, total: int) -> None:
    """Print how many rules are shown, and how to show all."""
    more = "" if n_shown == n_selected else f"; --top {n_selected} shows all"
    terminal.error_console.print(f"{n_shown:,} of {n_selected:,} selected rules, {total:,} in total{more}")


def print_comparison(
    first: RuleSet, second: RuleSet, files: tuple[Path, Path], selection: SelectionOptions, as_json: bool
) -> None:
    """Print the differences of two rule files.

    As in diff, - marks rules only in the first file and + rules only in the second; ~ marks different supports.
    """
    found = first.compare(second)
    if as_json:
        parts = {name: [rule_row(rule) for rule in getattr(found, name)] for name in ("only_first", "only_second")}
        changed = [{"first": rule_row(a), "second": rule_row(b)} for a, b in found.changed]
        print(json.dumps({**parts, "changed": changed, "equal": len(found.equal)}))
        return
    top = selection.limit(terminal.console.is_terminal)
    lines = [f"- {_supports(rule):<8} {rule}" for rule in found.only_first[:top]]
    lines += [f"+ {_supports(rule):<8} {rule}" for rule in found.only_second[:top]]
    lines += [f"~ {_supports(a)} -> {_supports(b)}  {a}" for a, b in found.changed[:top]]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    terminal.error_console.print(
        f"{len(found.only_first):,} rules only in {files[0]} (-), {len(found.only_second):,} only in {files[1]} (+), "
        f"{len(found.changed):,} in both with different supports (~), {len(found.equal):,} equal in both",
        markup=False,
    )


def _table(rules: RuleSet, style: Style) -> Table:
    table = Table(box=None, padding=style.padding)
    for column in ("confidence", "support", "rule"):
        table.add_column(column, justify="left" if column == "rule" else "right", overflow="fold")
    for rule in rules:
        table.add_row(_confidence(rule), _supports(rule), style.cell(str(rule), in_words(rule)))
    return table


def _line(rule: Rule, style: Style) -> str:
    if style.words:
        return f"{_confidence(rule):<8} {in_words(rule)}"
    return rule_line(rule) if style.logic else f"{rule_line(rule)}  # {in_words(rule)}"


def _confidence(rule: Rule) -> str:
    return f"{rule.confidence:.3f}" if rule.is_measured else "?"


def _supports(rule: Rule) -> str:
    return f"{rule.rule_support}/{rule.body_support}" if rule.is_measured else "?"
