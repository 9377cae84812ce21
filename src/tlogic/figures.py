"""Shared by all figures: colours, and writing SVG and PNG files. matplotlib is imported only when a figure is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tlogic.errors import InputError
from tlogic.files import atomic_write

SUFFIXES = (".svg", ".png")

ORANGE = "#c2410c"
BLUE = "#1d4ed8"
SLATE = "#64748b"
LINE = "#cbd5e1"
TEXT = "#0f172a"

_PNG_DPI = 150


def check_figure_path(path: Path) -> None:
    """Raise InputError if the path is neither an SVG nor a PNG file, or if matplotlib is not installed."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"A figure must be an .svg or .png file, not {path.name!r}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError("Figures need matplotlib: pip install 'tlogic[plots]'.") from None


@contextmanager
def drawing(path: Path, width: float, height: float, style: dict[str, Any] | None = None) -> Iterator[Any]:
    """Yield an empty figure (size in inches) and write it to an SVG or PNG file on exit.

    The file contains no timestamp, and the user's matplotlib settings are ignored: equal drawings give equal bytes.
    """
    check_figure_path(path)
    from matplotlib.figure import Figure
    from matplotlib.style import context

    with context(["default", {"svg.hashsalt": "tlogic", **(style or {})}]):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        _save(figure, path)


def literal(text: str) -> str:
    r"""Escape dollar signs, which matplotlib would read as formulas.

    >>> print(literal("$5 to $9"))
    \$5 to \$9
    """
    return text.replace("$", r"\$")


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix.lower()[1:]
    metadata = {"Date": None} if kind == "svg" else None
    with atomic_write(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=_PNG_DPI, metadata=metadata)
