"""What `tlogic rules` shows of a model: the rules that it counted, with their probability by age."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tlogic.models.counted_rules import CountedRule

_AGES = (1, 7, 30, 120)
_FORMAT = re.compile(rb'\s*\{\s*"format"\s*:\s*"tlogic model"')


def is_model_file(path: Path) -> bool:
    """Does a file begin as model files do?"""
    try:
        with path.open("rb") as file:
            return _FORMAT.match(file.read(100)) is not None
    except OSError:
        return False


def as_json(shown: "Sequence[CountedRule]", n_chosen: int, total: int, step: str | None) -> str:
    """One object for all."""
    return json.dumps(
        {"total": total, "selected": n_chosen, "step": step, "rules": [rule.to_dict() for rule in shown]},
        ensure_ascii=False,
    )


def write_lines(shown: "Sequence[CountedRule]", unit: str, logic: bool, words: bool) -> None:
    """A rule a line; in logic it is a line of a rule file, with the rest as its comment."""
    for rule in shown:
        support = f"{rule.rule_support}/{rule.body_support}"
        if words:
            line = f"{rule.confidence:.3f}    {rule.words}; {_by_age(rule, unit)}"
        else:
            line = f"{support:<12} {rule}" + ("" if logic else f"  # {_by_age(rule, unit)}; {rule.words}")
        sys.stdout.write(f"{line}\n")


def _by_age(rule: "CountedRule", unit: str) -> str:
    found = ((age, rule.at(age)) for age in _AGES)
    return f"by age in {unit} " + ", ".join(f"{age}: {_share(p)}" for age, p in found if p is not None)


def _share(probability: float | None) -> str:
    return "" if probability is None else f"{probability:.1%}"


def table_of(shown: "Sequence[CountedRule]", unit: str, logic: bool, words: bool) -> Any:
    """Rules with the probability at their best age and at some others."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None,
        padding=(0, 2, 0 if logic or words else 1, 0),
        title=f"probability at the best age, and by age in {unit}",
        title_justify="left",
    )
    for column in ("best", *map(str, _AGES), "support"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("rule", overflow="fold")
    for rule in shown:
        told = [] if words else [Text(str(rule))]
        told += [] if logic else [Text(rule.words, style="" if words else "dim")]
        ages = (_share(rule.at(age)) for age in _AGES)
        support = f"{rule.rule_support:,}/{rule.body_support:,}"
        table.add_row(_share(rule.confidence), *ages, support, Text("\n").join(told))
    return table
