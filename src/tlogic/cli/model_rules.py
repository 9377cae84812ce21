"""The output of `tlogic rules` for model files: counted rules with their probability by age."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from tlogic.cli import console as terminal
from tlogic.cli.rule_output import Style, print_counts
from tlogic.cli.rule_selection import SelectionOptions
from tlogic.forecasting.answers import as_percent
from tlogic.models import CountedRule, Model
from tlogic.models.counted_rules import unit_of

_SHOWN_AGES = (1, 7, 30, 120)


def print_model_rules(path: Path, selection: SelectionOptions, style: Style) -> None:
    """Print the rules of a model as one JSON object, as a table on a terminal, or otherwise as lines."""
    model = Model.load(path)
    selection.check(model.rules)
    selected = selection.select_counted(model.rules)
    is_table = terminal.console.is_terminal and not style.json
    shown = selected[: selection.limit(is_table)]
    step = model.data.get("step")
    if style.json:
        counts = {"total": len(model.rules), "selected": len(selected)}
        rules = [rule.to_dict() for rule in shown]
        print(json.dumps({**counts, "step": step, "rules": rules}, ensure_ascii=False))
    elif is_table:
        terminal.console.print(_table(shown, unit_of(step), style))
        print_counts(len(shown), len(selected), len(model.rules))
    else:
        sys.stdout.writelines(f"{_line(rule, unit_of(step), style)}\n" for rule in shown)


def _table(shown: Sequence[CountedRule], unit: str, style: Style) -> Table:
    """Rules with their probability at the best age and at some other ages."""
    title = f"probability at the best age, and by age in {unit}"
    table = Table(box=None, padding=style.padding, title=title, title_justify="left")
    for column in ("best", *map(str, _SHOWN_AGES), "support"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("rule", overflow="fold")
    for rule in shown:
        ages = (_percent(rule.at(age)) for age in _SHOWN_AGES)
        support = f"{rule.rule_support:,}/{rule.body_support:,}"
        table.add_row(_percent(rule.confidence), *ages, support, style.cell(str(rule), rule.words))
    return table


def _line(rule: CountedRule, unit: str, style: Style) -> str:
    """One line per rule; in logic it is a line of a rule file, with the rest as a comment."""
    if style.words:
        return f"{rule.confidence:.3f}    {rule.words}; {_by_age(rule, unit)}"
    line = f"{rule.rule_support}/{rule.body_support}".ljust(12) + f" {rule}"
    return line if style.logic else f"{line}  # {_by_age(rule, unit)}; {rule.words}"


def _by_age(rule: CountedRule, unit: str) -> str:
    found = ((age, rule.at(age)) for age in _SHOWN_AGES)
    return f"by age in {unit} " + ", ".join(f"{age}: {_percent(p)}" for age, p in found if p is not None)


def _percent(probability: float | None) -> str:
    return "" if probability is None else as_percent(probability)
