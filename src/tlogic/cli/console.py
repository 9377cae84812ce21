"""Output for people: tables on standard output; progress and messages on standard error."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from tlogic.progress import progress_bars

if TYPE_CHECKING:
    from tlogic.execution import Progress as ShowsProgress

console = Console()
error_console = Console(stderr=True, highlight=False, soft_wrap=True)


def progress() -> AbstractContextManager["ShowsProgress"]:
    """Show progress bars on standard error while the block runs, if it is a terminal."""
    return progress_bars(error_console)


@contextmanager
def wait_for_kernels(*kernels: Any) -> Iterator[None]:
    """Explain the wait if one of the kernels must be compiled, as on the first run after installation."""
    if not all(map(_is_compiled, kernels)):
        error_console.print("Compiling the kernels of this command for this machine; this happens once.")
    yield


def _is_compiled(kernel: Any) -> bool:
    name = f"{kernel.py_func.__module__.rsplit('.', 1)[-1]}.{kernel.py_func.__name__}"
    return any(Path(kernel.stats.cache_path).glob(f"{name}-*.nbi"))
