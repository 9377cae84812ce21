"""Pictures: how they are begun, coloured and kept. They need matplotlib, which is imported when one is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tlogic.errors import InputError
from tlogic.files import replacing

KINDS = (".svg", ".png")

ORANGE = "#c2410c"
BLUE = "#1d4ed8"
SLATE = "#64748b"
LINE = "#cbd5e1"
TEXT = "#0f172a"


def check_picture(path: Path) -> None:
    """Refuse what cannot be drawn: a file of another kind, or any, where matplotlib is missing."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"A picture is an .svg or .png file, not {path.name!r}.")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError("Pictures need matplotlib: pip install 'tlogic[plots]'.") from None


@contextmanager
def drawing(path: Path, width: float, height: float, style: dict[str, Any] | None = None) -> Iterator[Any]:
    """An empty figure of so many inches, which is written to an SVG or PNG file when all was drawn.

    Neither the time nor the user's own matplotlib settings are in the file: the same drawing gives the same bytes.
    """
    check_picture(path)
    from matplotlib.figure import Figure
    from matplotlib.style import context

    with context(["default", {"svg.hashsalt": "tlogic", **(style or {})}]):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        _save(figure, path)


def literal(text: str) -> str:
    r"""Text as it stands: dollar signs would begin a formula.

    >>> print(literal("$5 to $9"))
    \$5 to \$9
    """
    return text.replace("$", r"\$")


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix.lower()[1:]
    metadata = {"Date": None} if kind == "svg" else None
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)
