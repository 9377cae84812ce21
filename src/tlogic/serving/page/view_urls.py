"""URLs of the views. The URL contains the whole state of a view, so that it can be shared and bookmarked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self
from urllib.parse import urlencode

from tlogic.errors import InputError

SORTS = ("confidence", "support", "length", "head", "name")
_MAX_PAGE = 1_000_000
_MAX_CANDIDATES = 1000


@dataclass(frozen=True)
class ViewUrl:
    """A path and query parameters. Parameters with default values are left out.

    Rules that are switched off are part of every URL. Their ids belong to one version of the rules.
    """

    path: ClassVar[str] = "/"
    without: tuple[str, ...] = ()
    version: int = 0

    def __str__(self) -> str:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        changed = {name: _format(value) for name, value in given.items() if value != _default(type(self), name)}
        return f"{self.path}?{urlencode(changed)}" if changed else self.path

    @classmethod
    def parse(cls, parameters: Mapping[str, str]) -> Self:
        """Parse query parameters. Unknown parameters are ignored, invalid values are an error.

        >>> AskUrl.parse({"subject": "Eskar", "relation": "visit", "without": "3,17"}).without
        ('3', '17')
        """
        names = {each.name for each in fields(cls)}
        return cls(**{name: _parse(cls, name, text) for name, text in parameters.items() if name in names})

    def toggled(self, reason_id: str, version: int) -> Self:
        """The same view with a rule or kind of evidence switched off, or on again."""
        others = tuple(other for other in self.without if other != reason_id)
        without = others if reason_id in self.without else (*others, reason_id)
        return replace(self, without=without, version=version if without else 0)


@dataclass(frozen=True)
class HomeUrl(ViewUrl):
    """The home view."""


@dataclass(frozen=True)
class EntityUrl(ViewUrl):
    """Past and likely next events of an entity.

    >>> str(EntityUrl(name="Police (India)", page=2))
    '/entity?name=Police+%28India%29&page=2'
    """

    path: ClassVar[str] = "/entity"
    name: str = ""
    page: int = 1

    def __post_init__(self) -> None:
        _check_range("page", self.page, 1, _MAX_PAGE)


@dataclass(frozen=True)
class PairUrl(ViewUrl):
    """Past and likely next events between two entities.

    >>> str(PairUrl(entity="Eskar", other="Corvania"))
    '/pair?entity=Eskar&other=Corvania'
    """

    path: ClassVar[str] = "/pair"
    entity: str = ""
    other: str = ""
    page: int = 1

    def __post_init__(self) -> None:
        _check_range("page", self.page, 1, _MAX_PAGE)


@dataclass(frozen=True)
class TripleUrl(ViewUrl):
    """One event: how often it happened, its probability by horizon, and why."""

    path: ClassVar[str] = "/triple"
    subject: str = ""
    relation: str = ""
    object: str = ""
    at: str = ""
    horizon: str = "1"


@dataclass(frozen=True)
class AskUrl(ViewUrl):
    """A query, its candidates, and the explanation of one of them."""

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
class OutlookUrl(ViewUrl):
    """Likely events of an entity, a pair, a relation or anywhere, and the explanation of one of them.

    >>> str(OutlookUrl(entity="Eskar", horizon="7d"))
    '/outlook?entity=Eskar&horizon=7d'
    """

    path: ClassVar[str] = "/outlook"
    entity: str = ""
    other: str = ""
    relation: str = ""
    at: str = ""
    horizon: str = "1"
    new: int = 0
    top: int = 20
    why_subject: str = ""
    why_relation: str = ""
    why_object: str = ""

    def __post_init__(self) -> None:
        _check_range("top", self.top, 1, _MAX_CANDIDATES)
        _check_range("new", self.new, 0, 1)

    @property
    def event_to_explain(self) -> tuple[str, str, str] | None:
        """Subject, relation and object of the event to explain: the chosen one, or the only one of the view."""
        for event in (
            (self.why_subject, self.why_relation, self.why_object),
            (self.entity, self.relation, self.other),
        ):
            if all(event):
                return event
        return None


@dataclass(frozen=True)
class SurprisesUrl(ViewUrl):
    """Surprising events and changes since a date; without one, of the last time steps."""

    path: ClassVar[str] = "/surprises"
    since: str = ""
    horizon: str = "1"


@dataclass(frozen=True)
class BacktestUrl(ViewUrl):
    """How good the probabilities were since a date; without one, in the last time steps."""

    path: ClassVar[str] = "/backtest"
    since: str = ""
    every: int = 1

    def __post_init__(self) -> None:
        _check_range("every", self.every, 1, _MAX_PAGE)


@dataclass(frozen=True)
class RulesUrl(ViewUrl):
    """Rules that match filters."""

    path: ClassVar[str] = "/rules"
    head: str = ""
    words: str = ""
    length: int = 0
    confidence: float = 0.0
    sort: str = "confidence"
    page: int = 1

    def __post_init__(self) -> None:
        _check_range("page", self.page, 1, _MAX_PAGE)
        _check_range("confidence", self.confidence, 0, 1)
        if self.sort not in SORTS:
            raise InputError(f"sort: expected one of {', '.join(SORTS)}, found {self.sort!r}.")


def _default(kind: type[ViewUrl], name: str) -> Any:
    return getattr(kind, name)


def _format(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _parse(kind: type[ViewUrl], name: str, text: str) -> Any:
    default = _default(kind, name)
    if isinstance(default, tuple):
        return tuple(dict.fromkeys(part for part in text.split(",") if part))
    try:
        return type(default)(text)
    except ValueError:
        expected = "an integer" if isinstance(default, int) else "a number"
        raise InputError(f"{name}: expected {expected}, found {text!r}.") from None


def _check_range(name: str, value: float, minimum: float, maximum: float) -> None:
    if not minimum <= value <= maximum:
        raise InputError(f"{name}: expected a number from {minimum:,} to {maximum:,}, found {value}.")
