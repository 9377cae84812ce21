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


def settings_from(kind: type[SettingsT], settings: SettingsT | None, keywords: Mapping[str, Any]) -> SettingsT:
    """The settings that were given: whole, or one by one as keywords, but not both.

    >>> from tlogic.learning.settings import LearningSettings
    >>> settings_from(LearningSettings, None, {"walks": 50, "seed": default(LearningSettings, "seed")}).walks
    50
    """
    given = {name: value for name, value in keywords.items() if not isinstance(value, Default)}
    if settings is None:
        return kind(**given)
    if not isinstance(settings, kind):
        raise SettingsError(f"Expected settings of the type {kind.__name__}, found {type(settings).__name__}.")
    if given:
        raise SettingsError(
            f"Found settings and the keyword {next(iter(given))!r}. Give a {kind.__name__} or keywords, not both: "
            f"dataclasses.replace(settings, ...) changes single values."
        )
    return settings
