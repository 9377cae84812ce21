"""Settings as keywords: signatures that list every setting, with the defaults of its dataclass."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from tlogic.errors import SettingsError

SettingsT = TypeVar("SettingsT")


class Default:
    """The default of a setting in a signature. It is shown as the value, and marks that no value was given."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


def default(settings: type, name: str) -> Any:
    """The default of a field of a settings dataclass, for use in a signature.

    >>> from tlogic.learning.settings import LearningSettings
    >>> default(LearningSettings, "walks")
    200
    """
    return Default(next(field.default for field in fields(settings) if field.name == name))


def settings_from(kind: type[SettingsT], arguments: Mapping[str, Any]) -> SettingsT:
    """The settings among the arguments of a function: whole as ``settings``, or one by one, but not both.

    >>> from tlogic.learning.settings import LearningSettings
    >>> settings_from(LearningSettings, {"settings": None, "walks": 50}).walks
    50
    """
    settings, single = arguments["settings"], given_keywords(kind, arguments)
    if settings is None:
        return kind(**single)
    if not isinstance(settings, kind):
        raise SettingsError(f"Expected settings of the type {kind.__name__}, found {type(settings).__name__}.")
    if single:
        raise SettingsError(
            f"Found settings and the keyword {next(iter(single))!r}. Give a {kind.__name__} or keywords, not both: "
            f"dataclasses.replace(settings, ...) changes single values."
        )
    return settings


def given_keywords(kind: type, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are fields of a settings dataclass and were given."""
    names = [field.name for field in fields(kind)]
    return {name: arguments[name] for name in names if not isinstance(arguments.get(name, Default(None)), Default)}
