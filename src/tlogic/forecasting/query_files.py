"""Files of queries and of their answers: CSV, Parquet, Arrow or JSON Lines."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.delimited_files import find_separator
from tlogic.files import atomic_write, write_parquet
from tlogic.forecasting.forecast import Forecast
from tlogic.forecasting.queries import MISSING, Query, as_queries

_READERS = {
    ".csv": lambda path: pl.read_csv(path, infer_schema=False, separator=find_separator(path)),
    ".tsv": lambda path: pl.read_csv(path, infer_schema=False, separator="\t"),
    ".parquet": lambda path: pl.read_parquet(path, glob=False),
    ".arrow": pl.read_ipc,
    ".jsonl": pl.read_ndjson,
}
ANSWER_FILES = (".csv", ".parquet", ".jsonl")


def read_queries(path: Path) -> list[Query]:
    """The queries of a file with the columns subject, relation, object and at; the missing end is empty or ``?``."""
    return as_queries(read_query_file(path))


def read_query_file(path: Path) -> pl.DataFrame:
    """The rows of a file, with all cells as text in files of text."""
    if path.suffix.lower() not in _READERS:
        raise InputError(f"Queries are read from {', '.join(_READERS)} files, not from {path.name!r}.")
    try:
        frame = _READERS[path.suffix.lower()](path)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    if frame.height == 0:
        raise InputError(f"{path} holds no queries.")
    return frame


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
