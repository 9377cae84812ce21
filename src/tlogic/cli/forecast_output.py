"""The output of `tlogic forecast`: tables, JSON and files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from tlogic.cli.console import console, error_console
from tlogic.cli.explanation_output import print_explanations
from tlogic.explaining import Comparison
from tlogic.forecasting import Forecast
from tlogic.forecasting.answers import NOT_PROBABILITIES, as_percent
from tlogic.forecasting.query_files import answers_as_csv, answers_as_json, write_answers


def give_answers(
    answers: Forecast[Any],
    explanations: Sequence[Any],
    texts: Sequence[str],
    out: Path | None,
    json_output: bool,
) -> None:
    """Write the answers of one query to a file if there is one; otherwise print them as a table or JSON."""
    if out is not None:
        _write(answers, out)
        print_explanations(texts)
    elif json_output:
        found = answers.to_dict(0) | {"true_answers": answers.true_answers(0)}
        print(json.dumps(found | _as_dict(explanations), ensure_ascii=False))
    else:
        _print_candidates(answers, with_note=not texts)
        print_explanations(texts)


def give_batch(
    answers: Forecast[Any], explanations: Sequence[Sequence[Any]] | None, out: Path | None, json_output: bool
) -> None:
    """Write the answers of many queries to a file if there is one; otherwise print them as CSV or JSON Lines."""
    more = None if explanations is None else [_as_dict(each) for each in explanations]
    if out is not None:
        _write(answers, out, more)
    elif json_output:
        print("\n".join(answers_as_json(answers, more)))
    else:
        print(answers_as_csv(answers).rstrip("\n"))


def _write(answers: Forecast[Any], out: Path, more: Sequence[dict[str, Any]] | None = None) -> None:
    write_answers(answers, out, more)
    error_console.print(f"{len(answers):,} queries answered, written to {out}", markup=False)


def _print_candidates(answers: Forecast[Any], with_note: bool) -> None:
    """Print the candidates of one query as a table. A tick marks true answers, if the data has facts of that time."""
    true = set(answers.true_answers(0))
    table = Table(title=escape(str(answers.queries[0])))
    table.add_column("rank", justify="right")
    table.add_column("candidate", overflow="fold")
    table.add_column("score", justify="right")
    if answers.by(0) == "model":
        table.add_column("probability", justify="right")
    for rank, name, score, probability in answers[0]:
        cells = [] if probability is None else [as_percent(probability)]
        table.add_row(str(rank), escape(name) + (" [green]✓[/green]" if name in true else ""), f"{score:.4f}", *cells)
    console.print(table)
    if answers.by(0) == "fallback":
        console.print("No rule leads to a candidate; the fallback ranks the most frequent answers of the relation.")
    if with_note and answers.by(0) != "model":
        console.print(NOT_PROBABILITIES, highlight=False)
    if true:
        console.print(f"✓ true answers in the data: {escape(', '.join(sorted(true)))}", highlight=False)


def _as_dict(explanations: Sequence[Any]) -> dict[str, Any]:
    if not explanations:
        return {}
    name = "comparisons" if isinstance(explanations[0], Comparison) else "explanations"
    return {name: [each.to_dict() for each in explanations]}
