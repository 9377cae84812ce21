"""The output of `tlogic forecast`: tables, JSON, files and warnings."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from tlogic.cli.console import console, error_console
from tlogic.errors import InputError
from tlogic.explaining import Comparison
from tlogic.forecasting import Forecast
from tlogic.forecasting.query_files import answers_as_csv, answers_as_json, write_answers


def give_answers(
    answers: Forecast[Any],
    explanations: Sequence[Any],
    texts: Sequence[str],
    out: Path | None,
    json_output: bool,
    *,
    is_batch: bool,
) -> None:
    """Write the answers to a file if there is one; otherwise print them as a table, CSV or JSON."""
    if out is not None:
        write_answers(answers, out)
        error_console.print(f"{len(answers):,} queries answered, written to {out}", markup=False)
        _print_texts(texts)
    elif is_batch:
        print("\n".join(answers_as_json(answers)) if json_output else answers_as_csv(answers).rstrip("\n"))
    elif json_output:
        found = answers.to_dict(0) | {"true_answers": answers.true_answers(0)}
        print(json.dumps(found | _as_dict(explanations), ensure_ascii=False))
    else:
        _print_candidates(answers)
        _print_texts(texts)


def _print_candidates(answers: Forecast[Any]) -> None:
    """Print the candidates of one query as a table. A tick marks true answers, if the data has facts of that time."""
    true = set(answers.true_answers(0))
    table = Table(title=escape(str(answers.queries[0])))
    table.add_column("rank", justify="right")
    table.add_column("candidate", overflow="fold")
    table.add_column("score", justify="right")
    if answers.by(0) == "model":
        table.add_column("probability", justify="right")
    for rank, name, score, probability in answers[0]:
        cells = [] if probability is None else [f"{probability:.1%}"]
        table.add_row(str(rank), escape(name) + (" [green]✓[/green]" if name in true else ""), f"{score:.4f}", *cells)
    console.print(table)
    if answers.by(0) == "fallback":
        console.print("No rule leads to a candidate; the fallback ranks the most frequent answers of the relation.")
    if true:
        console.print(f"✓ true answers in the data: {escape(', '.join(sorted(true)))}", highlight=False)


def _print_texts(texts: Sequence[str]) -> None:
    for text in texts:
        print(f"\n{text}")


def _as_dict(explanations: Sequence[Any]) -> dict[str, Any]:
    if not explanations:
        return {}
    name = "comparisons" if isinstance(explanations[0], Comparison) else "explanations"
    return {name: [each.to_dict() for each in explanations]}


def warn_of_unknown_relations(answers: Forecast[Any]) -> None:
    """Warn of rules that cannot be applied, because the data does not have their relations."""
    applied = answers.forecaster.description
    if applied.get("rules_foreign") or applied.get("rules") == 0:
        error_console.print(
            f"Warning: {applied['rules']:,} of {applied['rules_given']:,} rules apply; "
            f"{applied['rules_foreign']:,} have relations that the data does not have.",
            markup=False,
        )


def warn_of_later_facts(answers: Forecast[Any], until: str | None) -> None:
    """Warn if the forecaster was learned from facts at or after the time of a query.

    Such a forecast cannot be judged by the true answers.
    """
    timeline = answers.graph.timeline
    try:
        learned = None if until is None else timeline.step_of(until)
    except InputError:
        return  # the rules come from data with another kind of time
    late = [query.at for query in answers.queries if learned is not None and timeline.step_of(str(query.at)) <= learned]
    if late:
        error_console.print(
            f"Warning: the rules or model were learned from facts up to {until}, so they may reflect facts from "
            f"{late[0]} on.",
            markup=False,
        )
