"""Warnings of forecasts as messages on standard error."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tlogic.errors import ForecastWarning


@contextmanager
def warnings_as_messages() -> Iterator[None]:
    """Print warnings of forecasts without the place in the code; others as usual."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ForecastWarning)
        show = warnings.showwarning

        def show_message(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, ForecastWarning):
                show(message, category, *where, **more)
                return
            from tlogic.cli.console import error_console

            error_console.print(f"Warning: {message}", markup=False)

        warnings.showwarning = show_message
        yield
