"""Files of queries and of their answers: CSV, Parquet, Arrow or JSON Lines."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tlogic.errors import InputError, located
from tlogic.files import atomic_write, write_parquet
from tlogic.forecasting.forecast import Forecast
from tlogic.forecasting.queries import MISSING, Query, as_queries
from tlogic.forecasting.query_rows import read_rows

ANSWER_FILES = (".csv", ".parquet", ".jsonl")


def read_queries(path: Path) -> dict[str, Query]:
    """The queries of a file with the columns subject, relation, object and at, by their location in the file.

    The missing end is empty or ``?``.
    """
    queries = {}
    for location, cells in read_rows(path):
        with located(location):
            [queries[location]] = as_queries(cells)
    return queries


def check_table_path(path: Path) -> None:
    """Raise an error if tables are not written to files of this kind."""
    if path.suffix.lower() not in ANSWER_FILES:
        raise InputError(f"Tables are written to {', '.join(ANSWER_FILES)} files, not to {path.name!r}.")


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a data frame to a .csv, .parquet or .jsonl file, atomically."""
    check_table_path(path)
    kind = path.suffix.lower()
    with atomic_write(path) as temporary:
        if kind == ".parquet":
            write_parquet(frame, temporary)
        elif kind == ".csv":
            frame.write_csv(temporary)
        else:
            frame.write_ndjson(temporary)


def write_answers(forecast: Forecast[Any], path: Path, more: Sequence[dict[str, Any]] | None = None) -> None:
    """Write the candidates of all queries: one candidate per row, or in JSON Lines one query per line.

    Args:
        forecast: The queries and their candidates.
        path: The file.
        more: Per query: what its line of JSON holds besides.
    """
    kind = path.suffix.lower()
    if kind not in ANSWER_FILES:
        raise InputError(f"Answers are written to {', '.join(ANSWER_FILES)} files, not to {path.name!r}.")
    with atomic_write(path) as temporary:
        if kind == ".parquet":
            write_parquet(forecast.frame, temporary)
        elif kind == ".csv":
            temporary.write_text(answers_as_csv(forecast), encoding="utf-8", newline="")
        else:
            temporary.write_text("".join(f"{line}\n" for line in answers_as_json(forecast, more)), encoding="utf-8")


def answers_as_csv(forecast: Forecast[Any]) -> str:
    """All candidates as CSV text."""
    return forecast.frame.write_csv(null_value=MISSING)


def answers_as_json(forecast: Forecast[Any], more: Sequence[dict[str, Any]] | None = None) -> Iterator[str]:
    """One JSON object per query, with more content if there is any."""
    for index in range(len(forecast)):
        yield json.dumps(forecast.to_dict(index) | (more[index] if more else {}), ensure_ascii=False)
