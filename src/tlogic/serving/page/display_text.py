"""Names and numbers as people read them. Names come from data and may be of any length and hold anything."""

import unicodedata

_LONGEST = 80


def visible(text: str) -> str:
    r"""Text without characters that cannot be shown, or that turn the direction of what follows.

    >>> visible("a\x00b")
    'a\ufffdb'
    """
    return "".join("\ufffd" if _is_hidden(character) else character for character in text)


def shorten(text: str, longest: int = _LONGEST) -> str:
    """The beginning of a long text, with an ellipsis.

    >>> shorten("Kite Aviation", 6)
    'Kite …'
    """
    text = visible(text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def spoken(relation: str, longest: int = _LONGEST) -> str:
    """A relation as one says it.

    >>> spoken("bid_for")
    'bid for'
    """
    return shorten(relation.replace("_", " "), longest)


def percent(share: float) -> str:
    """A share of one.

    >>> percent(0.3757)
    '37.6%'
    """
    return f"{share:.1%}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "event"), counted(1200, "entity", "entities")
    ('1 event', '1,200 entities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _is_hidden(character: str) -> bool:
    kind = unicodedata.category(character)
    # Cf holds the marks that turn the direction of text, but also the joiners that some scripts are written with.
    return kind in ("Cc", "Cs") or (kind == "Cf" and character not in "\u200c\u200d")
