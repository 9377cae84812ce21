"""What went wrong, said to the person who can mend it."""


class TLogicError(Exception):
    """Base of every error that tlogic raises on purpose; its message is meant for the user."""


class InputError(TLogicError):
    """The given data, file or name cannot be used; says where, what was found and what was expected."""


class UnknownNameError(InputError):
    """No entity or relation has this name; says which come near."""


class SettingsError(TLogicError):
    """A setting has a value outside its range."""
