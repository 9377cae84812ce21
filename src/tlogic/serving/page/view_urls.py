"""The addresses of the views: what a view shows is in its address, so that it can be shared and gone back to."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self
from urllib.parse import urlencode

from tlogic.errors import InputError

SORTS = ("confidence", "support", "length", "head", "name")
_FARTHEST_PAGE = 1_000_000
_MAX_CANDIDATES = 1000


@dataclass(frozen=True)
class ViewUrl:
    """A path and what follows the question mark. Only what differs from its default is written.

    Rules that are switched off go along to every view. Their ids are those of one version of the rules.
    """

    path: ClassVar[str] = "/"
    without: tuple[str, ...] = ()
    version: int = 0

    def __str__(self) -> str:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        written = {name: _write(value) for name, value in given.items() if value != _default(type(self), name)}
        return f"{self.path}?{urlencode(written)}" if written else self.path

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """The address with this query; what is unknown in it is left aside, what cannot be meant is an error.

        >>> AskUrl.read({"subject": "Eskar", "relation": "visit", "without": "3,17"}).without
        ('3', '17')
        """
        names = {each.name for each in fields(cls)}
        return cls(**{name: _read(cls, name, text) for name, text in query.items() if name in names})

    def switched(self, number: str, version: int) -> Self:
        """The same view with a rule switched off, or on again."""
        rest = tuple(other for other in self.without if other != number)
        without = rest if number in self.without else (*rest, number)
        return replace(self, without=without, version=version if without else 0)


@dataclass(frozen=True)
class HomeUrl(ViewUrl):
    """What the data is, and where to begin."""


@dataclass(frozen=True)
class EntityUrl(ViewUrl):
    """What happened to an entity, and what is likely next.

    >>> str(EntityUrl(name="Police (India)", page=2))
    '/entity?name=Police+%28India%29&page=2'
    """

    path: ClassVar[str] = "/entity"
    name: str = ""
    page: int = 1

    def __post_init__(self) -> None:
        _check_range("page", self.page, 1, _FARTHEST_PAGE)


@dataclass(frozen=True)
class AskUrl(ViewUrl):
    """A question, its answers, and why one of them."""

    path: ClassVar[str] = "/ask"
    subject: str = ""
    relation: str = ""
    object: str = ""
    at: str = ""
    candidate: str = ""
    top: int = 10

    def __post_init__(self) -> None:
        _check_range("top", self.top, 1, _MAX_CANDIDATES)


@dataclass(frozen=True)
class RulesUrl(ViewUrl):
    """Some of the rules."""

    path: ClassVar[str] = "/rules"
    head: str = ""
    words: str = ""
    length: int = 0
    confidence: float = 0.0
    sort: str = "confidence"
    page: int = 1

    def __post_init__(self) -> None:
        _check_range("page", self.page, 1, _FARTHEST_PAGE)
        _check_range("confidence", self.confidence, 0, 1)
        if self.sort not in SORTS:
            raise InputError(f"sort: expected one of {', '.join(SORTS)}, found {self.sort!r}.")


def _default(kind: type[ViewUrl], name: str) -> Any:
    return getattr(kind, name)


def _write(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _read(kind: type[ViewUrl], name: str, text: str) -> Any:
    default = _default(kind, name)
    if isinstance(default, tuple):
        return tuple(dict.fromkeys(part for part in text.split(",") if part))
    try:
        return type(default)(text)
    except ValueError:
        expected = "a whole number" if isinstance(default, int) else "a number"
        raise InputError(f"{name}: expected {expected}, found {text!r}.") from None


def _check_range(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise InputError(f"{name}: expected a number from {least:,} to {most:,}, found {value}.")
