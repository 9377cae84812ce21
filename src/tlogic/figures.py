"""Shared by all figures: colours, fonts, and writing SVG and PNG files. matplotlib is imported only for drawing."""

import unicodedata
import warnings
from collections.abc import Collection, Iterator
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
_FONT = "DejaVu Sans"
"""The font of all figures, which comes with matplotlib."""
_FALLBACK_FONTS = (
    *(f"Noto Sans CJK {region}" for region in ("SC", "JP", "KR", "TC")),
    *("Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei"),
    *("Droid Sans Fallback", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "PingFang SC", "Hiragino Sans GB"),
    *("Arial Unicode MS", "Noto Sans Arabic", "Noto Naskh Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari"),
    *("Noto Sans Bengali", "Noto Sans Thai", "Nirmala UI", "Leelawadee UI", "Noto Emoji", "Segoe UI Emoji", "Symbola"),
)
"""Fonts for the characters that it lacks: those that are installed are used, in this order."""
_RIGHT_TO_LEFT = ("R", "AL", "AN")


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

    with context(["default", {"svg.hashsalt": "tlogic", "font.family": _families(), **(style or {})}]):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        with warnings.catch_warnings():
            # Viewers of SVG files have more fonts; in a PNG file, a box stands for a character without a font.
            warnings.filterwarnings("ignore", message=r"(?s)Glyph .* missing from")
            _save(figure, path)


def text_width(text: str) -> int:
    """The width of a text in characters; characters of East Asia and emoji are twice as wide as others.

    >>> text_width("Tokyo"), text_width("東京")
    (5, 4)
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def literal(text: str) -> str:
    r"""Escape dollar signs, which matplotlib would read as formulas.

    >>> print(literal("$5 to $9"))
    \$5 to \$9
    """
    return text.replace("$", r"\$")


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix.lower()[1:]
    metadata = {"Date": None} if kind == "svg" else None
    with atomic_write(path) as temporary, _as_text_if_needed(figure):
        figure.savefig(temporary, format=kind, dpi=_PNG_DPI, metadata=metadata)


def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    return installed_families({font.name for font in fontManager.ttflist})


def installed_families(installed: Collection[str]) -> list[str]:
    """The fonts of figures, of those that are installed.

    >>> installed_families(["Arial", "Noto Emoji", "Noto Sans CJK SC"])
    ['DejaVu Sans', 'Noto Sans CJK SC', 'Noto Emoji']
    """
    return [_FONT, *(name for name in _FALLBACK_FONTS if name in installed)]


@contextmanager
def _as_text_if_needed(figure: Any) -> Iterator[None]:
    """Write the texts of an SVG file as text, drawn with the fonts of the viewer, if the font lacks a character.

    The same if a text runs from right to left. All other texts are written as outlines, which look the same everywhere.
    """
    from matplotlib import rc_context
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    characters = {character for text in figure.findobj(Text) for character in text.get_text()}
    drawn = get_font(findfont(_FONT)).get_charmap()
    is_needed = any(
        (character.isprintable() and ord(character) not in drawn)
        or unicodedata.bidirectional(character) in _RIGHT_TO_LEFT
        for character in characters
    )
    with rc_context({"svg.fonttype": "none" if is_needed else "path"}):
        yield
