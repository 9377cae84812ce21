"""The files that `tlogic outlook`, `surprises` and `changes` write: one event or change per row."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlogic.errors import SettingsError

if TYPE_CHECKING:
    import polars as pl


def check_event_file(out: Path | None, *, explain: bool = False, when: bool = False) -> None:
    """Raise an error, before any work, if the file cannot hold the events or what is wanted with them."""
    from tlogic.forecasting.query_files import check_table_path

    if out is not None:
        check_table_path(out)
        check_details(out.suffix.lower() == ".jsonl", explain=explain, when=when)


def check_details(is_json_lines: bool, *, explain: bool, when: bool, or_json: str = "") -> None:
    """Raise an error if explanations or probabilities by date are wanted in tables, which cannot hold them."""
    if not is_json_lines and (explain or when):
        wanted = " and ".join(name for name, is_given in (("--explain", explain), ("--when", when)) if is_given)
        raise SettingsError(f"The output of {wanted} is JSON Lines: use {or_json}--out FILE.jsonl.")


def write_events(frame: "pl.DataFrame", out: Path, details: Mapping[str, Sequence[Any]]) -> None:
    """Write events to a file; each line of JSON also holds the details of its event, such as its explanation."""
    from tlogic.files import write_atomically
    from tlogic.forecasting.query_files import write_table

    if not details:
        write_table(frame, out)
        return
    lines = []
    for index, row in enumerate(frame.iter_rows(named=True)):
        more = {name: values[index] for name, values in details.items()}
        lines.append(json.dumps(row | more, ensure_ascii=False) + "\n")
    write_atomically(out, "".join(lines))
