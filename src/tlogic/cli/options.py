"""Options that several commands share, and helpers to define and parse options."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from tlogic.errors import SettingsError


def _output_path(given: str | Path) -> Path:
    """The path of an output. An empty one, as from an unset variable, would be the current folder."""
    if not str(given).strip():
        raise SettingsError("The path of --out is empty; give the file or folder to write.")
    return Path(given)


OutOption = partial(typer.Option, parser=_output_path)
"""An option for a file or folder to write."""
ExecutionOption = partial(typer.Option, rich_help_panel="Execution")

Threads = Annotated[int | None, ExecutionOption(help="The number of threads; by default one per core.", metavar="N")]


def _connect(address: str | None) -> str | None:
    """Connect before anything is read, so that a wrong address fails at once."""
    if address is not None:
        from tlogic.parallel import connect

        connect(address)
    return address


Cluster = Annotated[
    str | None,
    ExecutionOption(
        help="Run on a Ray cluster: its address, or auto for the cluster this machine belongs to.",
        metavar="ADDRESS",
        callback=_connect,
    ),
]


def default_of(function: Callable[..., Any], parameter: str) -> Any:
    """The default of a function's parameter.

    >>> default_of(sorted, "reverse")
    False
    """
    return signature(function).parameters[parameter].default


def integers(text: str) -> tuple[int, ...]:
    """Parse integers separated by commas.

    >>> integers("1,3")
    (1, 3)
    """
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"Expected integers separated by commas, such as 1,2,3; found {text!r}.") from None
