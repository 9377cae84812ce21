"""SVG as text. All that goes in is escaped here, and nowhere else."""

from html import escape

from tlogic.serving.page.display_text import shorten, visible


def tag(kind: str, *inside: str, **attributes: object) -> str:
    """An element around others; ``class_`` is the attribute class, and ``text_anchor`` is text-anchor.

    >>> tag("circle", r=2, class_="fact")
    '<circle r="2" class="fact"></circle>'
    """
    written = "".join(f' {_attribute(name)}="{escape(_number(value))}"' for name, value in attributes.items())
    return f"<{kind}{written}>{''.join(inside)}</{kind}>"


def text(words: str, longest: int, **attributes: object) -> str:
    """A line of text, shortened; the whole of it is shown where one points at it.

    >>> text("<b>", 10, x=1)
    '<text x="1">&lt;b&gt;</text>'
    """
    short = shorten(words, longest)
    return tag("text", *([title(words)] if short != words else []), escape(short), **attributes)


def title(words: str) -> str:
    """What is shown where one points at an element."""
    return tag("title", escape(visible(words)))


def _attribute(name: str) -> str:
    return name.removesuffix("_").replace("_", "-")


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
