"""A file of results, so that the same settings on the same data are not evaluated twice."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tlogic.errors import InputError


class ResultCache:
    """Results by the settings and data they depend on, one JSON object per line.

    An incomplete last line, left by an interrupted run, is dropped.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     ResultCache(Path(folder) / "results.jsonl").add({"seed": 12}, {"mrr": 0.5})
    ...     ResultCache(Path(folder) / "results.jsonl").find({"seed": 12})
    {'mrr': 0.5}
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values: dict[str, Any] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        except OSError as error:
            raise InputError(f"Cannot use {path}: {error.strerror or error}.") from None
        complete = [line for line in lines if line.endswith(b"\n")]
        for number, line in enumerate(complete, 1):
            try:
                entry = json.loads(line)
                self._values[_to_text(entry["of"])] = entry["value"]
            except (ValueError, KeyError, TypeError):
                raise InputError(
                    f"{path} line {number} is not a cached result; choose another folder, or delete the file."
                ) from None
        if len(complete) < len(lines):
            path.write_bytes(b"".join(complete))

    def find(self, key: Mapping[str, Any]) -> Any:
        """The cached result, or None."""
        return self._values.get(_to_text(key))

    def add(self, key: Mapping[str, Any], value: Any) -> None:
        """Append a result to the file."""
        self._values[_to_text(key)] = value
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"of": key, "value": value}, ensure_ascii=False) + "\n")
        except OSError as error:
            raise InputError(f"Cannot write {self._path}: {error.strerror or error}.") from None


def _to_text(key: Mapping[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)
