"""Keeps the files that a command reads: no option may overwrite one of them."""

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

from tlogic.errors import InputError

_OUTPUTS = ("out", "picture")
"""The parameters of commands that are files to write; all other paths are files to read."""


def check_not_read(out: Path, files: Iterable[Path], option: str = "out") -> None:
    """Raise an error if the output of an option is one of the files to read."""
    from tlogic.files import is_device

    if out.exists() and not is_device(out) and any(file.exists() and out.samefile(file) for file in files):
        raise InputError(f"{out} is one of the files to read and would be overwritten; choose another --{option}.")


def keeping_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that compares the paths to write with those to read before it runs.

    The files of DATA are found by `DataOptions.read`.

    >>> @keeping_inputs
    ... def convert(source: Path, out: Path) -> None:
    ...     print("converted")
    >>> convert(source=Path(__file__), out=Path(__file__))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tlogic.errors.InputError: ... is one of the files to read and would be overwritten; choose another --out.
    """

    @wraps(command)
    def checked(**values: Any) -> None:
        paths = {name: value for name, value in values.items() if isinstance(value, Path)}
        read = [path for name, path in paths.items() if name not in _OUTPUTS]
        for name in _OUTPUTS:
            if name in paths:
                check_not_read(paths[name], read, name)
        command(**values)

    return checked
