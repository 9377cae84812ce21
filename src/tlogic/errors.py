"""The exceptions of tlogic. Their messages are written for users: what is wrong, where, and what to do."""


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
    """No entity or relation has this name. The message lists similar names.

    Example:
        >>> import tlogic
        >>> tlogic.sample().relations.id_of("sues")
        Traceback (most recent call last):
        tlogic.errors.UnknownNameError: Unknown relation 'sues'; did you mean 'sue', 'sue^-1'?
    """


class SettingsError(TLogicError):
    """A setting has an invalid value.

    Example:
        >>> import tlogic
        >>> tlogic.sample(days=1)
        Traceback (most recent call last):
        tlogic.errors.SettingsError: seed 7, days 1: the seed must be 0 or more and the days 10 or more.
    """
