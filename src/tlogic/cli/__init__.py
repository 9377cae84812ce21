"""The `tlogic` command: thin commands that parse options, call the API and print."""

import gc
import sys

_INTERRUPTED = 130
"""The exit code of a process that is interrupted by Ctrl+C."""


def main() -> None:
    """Run the command. Errors for the user are printed as one message, with exit code 2."""
    gc.disable()  # commands are short-lived: collecting garbage costs time and frees little memory
    from tlogic.cli.app import app
    from tlogic.cli.warning_messages import warnings_as_messages
    from tlogic.errors import TLogicError

    try:
        with warnings_as_messages():
            app()
    except TLogicError as error:
        sys.exit(_fail(f"tlogic: {error}", 2))
    except KeyboardInterrupt:
        sys.exit(_interrupted())
    except SystemExit as end:
        if end.code == _INTERRUPTED:  # Typer converts an interrupt to this exit code without a message
            _interrupted()
        raise


def _interrupted() -> int:
    return _fail("tlogic: interrupted; no incomplete file was left behind.", _INTERRUPTED)


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
