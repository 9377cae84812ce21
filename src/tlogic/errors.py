"""The exceptions of tlogic. Their messages are written for users: what is wrong, where, and what to do."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any


class TLogicError(Exception):
    """Base class of all errors that tlogic raises on purpose.

    Example:
        >>> import tlogic
        >>> try:
        ...     tlogic.read("no-such-file.csv")
        ... except tlogic.TLogicError as error:
        ...     print(type(error).__name__)
        InputError
    """


class InputError(TLogicError):
    """The given data, file or name cannot be used. The message gives the location, what was found and expected.

    Example:
        >>> import tlogic
        >>> tlogic.sample().split("future")
        Traceback (most recent call last):
        tlogic.errors.InputError: Unknown split 'future'; expected train, valid or test.
    """


class UnknownNameError(InputError):
    """No entity or relation has this name. The message lists similar names, searched when it is first read.

    Args:
        problem: What is unknown, without a full stop.
        search: Finds similar names.

    Example:
        >>> import tlogic
        >>> tlogic.sample().relations.id_of("sues")
        Traceback (most recent call last):
        tlogic.errors.UnknownNameError: Unknown relation 'sues'; did you mean 'sue'?
    """

    def __init__(self, problem: str, search: Callable[[], Sequence[str]] = tuple) -> None:
        super().__init__(problem)
        self.problem, self._search = problem, search

    @cached_property
    def similar(self) -> list[str]:
        """Similar names, the best first."""
        return list(self._search())

    def __str__(self) -> str:
        return self.problem + hint_at(self.similar)

    def __reduce__(self) -> Any:
        return type(self), (self.problem, _Found(self.similar))

    def located(self, where: str) -> "UnknownNameError":
        """The same error, with a location at the beginning of the message."""
        return UnknownNameError(f"{where}: {self.problem}", lambda: self.similar)


class _Found(list[str]):
    """Names that were found, as a search that can be pickled."""

    def __call__(self) -> Sequence[str]:
        return self


class SettingsError(TLogicError):
    """A setting has an invalid value.

    Example:
        >>> import tlogic
        >>> tlogic.sample(days=1)
        Traceback (most recent call last):
        tlogic.errors.SettingsError: seed 7, days 1: the seed must be 0 or more and the days 10 or more.
    """


class ForecastWarning(UserWarning):
    """Rules or a model do not fit the data, or a forecast reaches far beyond it. The message says why.

    ``tlogic.forecast``, ``evaluate``, ``outlook``, ``watch``, ``surprises`` and ``backtest`` warn if the rules or the
    model were learned from other data, with other time steps, or from facts that the queries must not know.

    Example:
        >>> import tlogic, warnings
        >>> warnings.simplefilter("ignore", tlogic.ForecastWarning)
    """


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put a location at the beginning of the message of an input error.

    >>> with located("list.csv line 3"):
    ...     raise InputError("The time is empty.")
    Traceback (most recent call last):
    tlogic.errors.InputError: list.csv line 3: The time is empty.
    """
    try:
        yield
    except UnknownNameError as error:
        raise error.located(where) from None
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def hint_at(similar: Sequence[str]) -> str:
    """The end of a message about an unknown name.

    >>> hint_at(["fine"]), hint_at([])
    ("; did you mean 'fine'?", '.')
    """
    return f"; did you mean {', '.join(map(repr, similar))}?" if similar else "."
