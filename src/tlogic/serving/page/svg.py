"""Builds SVG as text. All input is escaped here, and nowhere else."""

from html import escape

from tlogic.serving.page.display_text import shorten, visible


def tag(kind: str, *inside: str, **attributes: object) -> str:
    """An SVG element. ``class_`` becomes the attribute class, and ``text_anchor`` becomes text-anchor.

    >>> tag("circle", r=2, class_="fact")
    '<circle r="2" class="fact"></circle>'
    """
    written = "".join(f' {_attribute(name)}="{escape(_number(value))}"' for name, value in attributes.items())
    return f"<{kind}{written}>{''.join(inside)}</{kind}>"


def text(words: str, max_length: int, **attributes: object) -> str:
    """A shortened line of text. A tooltip shows the full text.

    >>> text("<b>", 10, x=1)
    '<text x="1">&lt;b&gt;</text>'
    """
    short = shorten(words, max_length)
    return tag("text", *([title(words)] if short != words else []), escape(short), **attributes)


def title(words: str) -> str:
    """The tooltip of an element."""
    return tag("title", escape(visible(words)))


def _attribute(name: str) -> str:
    return name.removesuffix("_").replace("_", "-")


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
