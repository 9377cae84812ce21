"""`tlogic stats`: dataset statistics, and how often facts recur."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.data_options import DataOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from tlogic.analysis.statistics import Statistics

_RECURRENCE = {
    "seen_before": "same subject, relation and object seen before",
    "seen_just_before": "same subject, relation and object in the previous step",
    "pair_seen_before": "same subject and object seen before, any relation",
    "new_entity": "with an entity that is not in train",
    "repeated_queries": "of the queries: repeated within a step",
}


def stats(
    data: DataOptions,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Count the facts, entities, relations and time steps of DATA, and how many facts occurred before."""
    from tlogic.analysis.statistics import statistics
    from tlogic.cli.console import console

    found = statistics(data.read())
    if json_output:
        print(json.dumps(found.to_dict(), ensure_ascii=False))
        return
    console.print(
        f"{found.facts:,} facts from {found.first_date} to {found.last_date}, in steps of {found.step_size}",
        highlight=False,
    )
    for table in _tables(found):
        console.print()
        console.print(table)


def _tables(found: "Statistics") -> "Iterator[Table]":
    yield _sizes(found)
    yield _spreads(found)
    yield _recurrence(found)
    yield _top("relations", found.top_relations, found.facts)
    yield _top("entities", found.top_entities, found.facts)


def _sizes(found: "Statistics") -> "Table":
    """The counts that the paper's appendix lists for its datasets."""
    table = _table("", "train", "valid", "test", "entities", "relations", "steps", "self-loops")
    steps = f"{found.steps:,}" + (f" of {found.span:,}" if found.steps < found.span else "")
    counts = (found.train, found.valid, found.test, found.entities, found.relations)
    table.add_row(*(f"{count:,}" for count in counts), steps, f"{found.self_loops:,}")
    return table


def _spreads(found: "Statistics") -> "Table":
    table = _table("number of", "mean", "median", "max")
    for name in ("facts_per_step", "facts_per_entity", "facts_per_relation", "neighbours_per_entity"):
        spread = getattr(found, name)
        numbers = (f"{spread.mean:,.1f}", f"{spread.median:,.1f}".removesuffix(".0"), f"{spread.max:,}")
        table.add_row(name.replace("_", " "), *numbers)
    return table


def _recurrence(found: "Statistics") -> "Table":
    table = _table("share of the facts", *found.recurrence)
    for name, description in _RECURRENCE.items():
        table.add_row(description, *(f"{getattr(split, name):.1%}" for split in found.recurrence.values()))
    return table


def _top(kind: str, counts: dict[str, int], facts: int) -> "Table":
    from rich.markup import escape

    table = _table(f"{kind} with the most facts", "facts", "share")
    for name, count in counts.items():
        table.add_row(escape(name), f"{count:,}", f"{count / facts:.1%}")
    return table


def _table(text_column: str, *number_columns: str) -> "Table":
    """A table whose first column holds text, unless its name is empty; all others hold numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False)
    if text_column:
        table.add_column(text_column, overflow="fold")
    for column in number_columns:
        table.add_column(column, justify="right", overflow="fold")
    return table
