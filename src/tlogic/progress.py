"""Progress bars: in terminals and notebooks; elsewhere, nothing is shown."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

    from tlogic.execution import Progress

Item = TypeVar("Item")

_SECONDS_BETWEEN_UPDATES = 0.2


@contextmanager
def progress_bars(console: "Console | None" = None) -> "Iterator[Progress]":
    """Show progress while the block runs: in a notebook, or on standard error if it is a terminal.

    Args:
        console: The console of a terminal; by default, one on standard error.
    """
    if _is_notebook():
        yield _follow_in_notebook
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    shown = console or Console(stderr=True)
    with Bars(console=shown, transient=True, disable=not shown.is_terminal) as bars:

        def follow(items: Iterable[Item], *, total: float | None = None, description: str = "") -> Iterator[Item]:
            task = bars.add_task(description, total=total)
            yield from bars.track(items, total=total, task_id=task)
            bars.remove_task(task)

        yield follow


def no_progress(items: Iterable[Item], **_: object) -> Iterable[Item]:
    """The items, with nothing shown."""
    return items


def _is_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def _follow_in_notebook(items: Iterable[Item], *, total: float | None = None, description: str = "") -> Iterator[Item]:
    """The items, with a bar below the cell that vanishes at the end."""
    from IPython.display import HTML, display

    handle: Any = display(HTML(_bar(0, total, description)), display_id=True)
    shown = monotonic()
    for n, item in enumerate(items, 1):
        yield item
        if monotonic() - shown > _SECONDS_BETWEEN_UPDATES:
            handle.update(HTML(_bar(n, total, description)))
            shown = monotonic()
    handle.update(HTML(""))


def _bar(n: int, total: float | None, description: str) -> str:
    """A bar as HTML.

    >>> _bar(1, 4, "evidence")
    'evidence <progress value="1" max="4"></progress> 1 of 4'
    """
    if total is None:
        return f"{description} <progress></progress> {n}"
    return f'{description} <progress value="{n}" max="{total:g}"></progress> {n} of {total:g}'
