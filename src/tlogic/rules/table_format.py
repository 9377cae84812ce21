"""Rules as a table: polars data frames, CSV and Parquet."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlogic.errors import InputError
from tlogic.files import atomic_write, write_parquet
from tlogic.rules.rule import Rule, are_supports
from tlogic.rules.text_format import parse_rule
from tlogic.rules.verbalisation import in_words

if TYPE_CHECKING:
    import polars as pl

TABLE_SUFFIXES = (".csv", ".parquet")


def rule_row(rule: Rule) -> dict[str, Any]:
    """A rule as a table row, by column.

    >>> row = rule_row(Rule("consult", ("meet",), (0, 1), 57, 100))
    >>> row["rule"], row["length"], row["confidence"]
    ('consult(X, Y, T2) <- meet(X, Y, T1)', 1, 0.57)
    """
    return {
        "rule": str(rule),
        "words": in_words(rule),
        "head": rule.head,
        "body": list(rule.body),
        "variables": list(rule.variables),
        "length": len(rule.body),
        "confidence": rule.confidence if rule.is_measured else None,
        "rule_support": rule.rule_support,
        "body_support": rule.body_support,
    }


def to_frame(rules: Iterable[Rule]) -> "pl.DataFrame":
    """The rules as a polars data frame, one rule per row.

    >>> to_frame([Rule("consult", ("meet",), (0, 1), 57, 100)]).select("head", "confidence").row(0)
    ('consult', 0.57)
    """
    import polars as pl

    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        **dict.fromkeys(("rule", "words", "head"), pl.String),
        "body": pl.List(pl.String),
        "variables": pl.List(pl.Int64),
        "length": pl.Int64,
        "confidence": pl.Float64,
        **dict.fromkeys(("rule_support", "body_support"), pl.Int64),
    }
    return pl.DataFrame([rule_row(rule) for rule in rules], schema)


def write_table(rules: Sequence[Rule], path: Path) -> None:
    """Write rules as CSV or Parquet, depending on the suffix; CSV holds lists as JSON."""
    import polars as pl

    frame = to_frame(rules)
    with atomic_write(path) as temporary:
        if path.suffix.lower() == ".parquet":
            write_parquet(frame, temporary)
        else:
            bodies = [json.dumps(rule.body, ensure_ascii=False) for rule in rules]
            variables = [json.dumps(rule.variables) for rule in rules]
            frame = frame.with_columns(
                pl.Series("body", bodies, pl.String), pl.Series("variables", variables, pl.String)
            )
            frame.write_csv(temporary)


def read_table(path: Path) -> tuple[Rule, ...]:
    """The rules of a CSV or Parquet table, from the columns `rule`, `rule_support` and `body_support`."""
    import polars as pl

    try:
        parquet = path.suffix.lower() == ".parquet"
        frame = pl.read_parquet(path) if parquet else pl.read_csv(path, infer_schema=False)
    except FileNotFoundError:
        raise InputError(f"There is no rule file {path}; `tlogic learn` creates one.") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path} is not a table of rules: {str(error).splitlines()[0]}.") from None
    if "rule" not in frame.columns:
        raise InputError(f"{path} needs a column named rule; found the columns {', '.join(frame.columns)}.")
    supports = [
        _supports(frame[name], path) if name in frame.columns else [0] * frame.height
        for name in ("rule_support", "body_support")
    ]
    rows = zip(frame["rule"].cast(pl.String), *supports, strict=True)
    return tuple([_rule(path, number, *row) for number, row in enumerate(rows, 1)])


def _supports(column: "pl.Series", path: Path) -> "pl.Series":
    import polars as pl

    supports = column.cast(pl.Int64, strict=False)
    wrong = (supports.is_null() & column.is_not_null()).arg_true()
    if len(wrong):
        found = column[int(wrong[0])]
        raise InputError(f"{path} row {wrong[0] + 1}: expected an integer as {column.name}; found {found!r}.")
    return supports


def _rule(path: Path, number: int, text: str | None, rule_support: int | None, body_support: int | None) -> Rule:
    rule_support, body_support = rule_support or 0, body_support or 0
    try:
        rule = parse_rule(text or "")
    except InputError as error:
        raise InputError(f"{path} row {number}: {error}") from None
    if not are_supports(rule_support, body_support):
        raise InputError(
            f"{path} row {number}: expected 0 <= rule_support <= body_support; found {rule_support} and {body_support}."
        )
    return rule if rule.is_measured else rule._replace(rule_support=rule_support, body_support=body_support)
