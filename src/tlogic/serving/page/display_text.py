"""Formats names and numbers for display. Names come from data: they may be long and contain any character."""

import unicodedata

from tlogic.names import noun_for

MAX_NAME_LENGTH = 120
_SMALL_SHARE = 0.001


def visible(text: str) -> str:
    r"""Replace control characters, and characters that change the direction of text.

    >>> visible("a\x00b")
    'a\ufffdb'
    """
    return "".join("\ufffd" if _is_control(character) else character for character in text)


def shorten(text: str, max_length: int = MAX_NAME_LENGTH) -> str:
    """Cut the middle of a long text: names often differ at the end only.

    >>> shorten("Ministry of Energy (Corvania)", 20)
    'Ministry of…orvania)'
    """
    if len(text) <= max_length:
        return visible(text)
    n_last = max_length * 2 // 5
    return visible(text[: max_length - n_last - 1]) + "…" + visible(text[len(text) - n_last :])


def relation_text(relation: str, max_length: int = MAX_NAME_LENGTH) -> str:
    """A relation with spaces instead of underscores.

    >>> relation_text("bid_for")
    'bid for'
    """
    return shorten(relation.replace("_", " "), max_length)


def percent(share: float) -> str:
    """A share as a percentage; never a rounded 0% or 100%.

    >>> percent(0.3757), percent(0.0001), percent(0.0), percent(0.9999)
    ('37.6%', '< 0.1%', '0.0%', '> 99.9%')
    """
    if 0.0 < share < _SMALL_SHARE / 2:
        return f"< {_SMALL_SHARE:.1%}"
    if 1.0 - _SMALL_SHARE / 2 < share < 1.0:
        return f"> {1.0 - _SMALL_SHARE:.1%}"
    return f"{share:.1%}"


def pluralize(count: int, singular: str, plural: str | None = None) -> str:
    """A count with its noun.

    >>> pluralize(1, "event"), pluralize(1200, "entity", "entities")
    ('1 event', '1,200 entities')
    """
    return f"{count:,} {noun_for(count, singular, plural)}"


def _is_control(character: str) -> bool:
    category = unicodedata.category(character)
    # Cf contains direction marks, but also the joiners that some scripts need.
    return category in ("Cc", "Cs") or (category == "Cf" and character not in "\u200c\u200d")
