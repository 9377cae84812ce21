"""Results that are kept: what was measured once, under the same settings on the same data, is not measured again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tlogic.errors import InputError


class Results:
    """Measured values by what they depend on, in a file with a line for each; a torn last line does not count.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Results(Path(folder) / "results.jsonl").keep({"seed": 12}, {"mrr": 0.5})
    ...     Results(Path(folder) / "results.jsonl").find({"seed": 12})
    {'mrr': 0.5}
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, Any] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        except OSError as error:
            raise InputError(f"Cannot use {path}: {error.strerror or error}.") from None
        sound = [line for line in lines if line.endswith(b"\n")]
        for number, line in enumerate(sound, 1):
            try:
                entry = json.loads(line)
                self._found[_key(entry["of"])] = entry["value"]
            except (ValueError, KeyError, TypeError):
                raise InputError(f"{path} line {number} is no result; choose another folder, or delete it.") from None
        if len(sound) < len(lines):
            path.write_bytes(b"".join(sound))

    def find(self, of: Mapping[str, Any]) -> Any:
        """What was measured, or None."""
        return self._found.get(_key(of))

    def keep(self, of: Mapping[str, Any], value: Any) -> None:
        """Write down what was measured."""
        self._found[_key(of)] = value
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"of": of, "value": value}, ensure_ascii=False) + "\n")
        except OSError as error:
            raise InputError(f"Cannot write {self._path}: {error.strerror or error}.") from None


def _key(of: Mapping[str, Any]) -> str:
    return json.dumps(of, sort_keys=True)
