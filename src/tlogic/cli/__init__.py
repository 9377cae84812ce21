"""The `tlogic` command: thin commands that parse options, call the API and print."""

import gc
import os
import sys

_INTERRUPTED = 130
"""The exit code of a process that is interrupted by Ctrl+C."""


def main() -> None:
    """Run the command. Errors for the user are printed as one message, with exit code 2."""
    gc.disable()  # commands are short-lived: collecting garbage costs time and frees little memory
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(_interrupted())
    except SystemExit as end:
        if end.code == _INTERRUPTED:  # Typer converts an interrupt to this exit code without a message
            _interrupted()
        raise


def _run() -> None:
    from tlogic.cli.app import app
    from tlogic.cli.warning_messages import warnings_as_messages
    from tlogic.errors import TLogicError

    try:
        try:
            with warnings_as_messages():
                app()
        finally:
            sys.stdout.flush()
    except TLogicError as error:
        sys.exit(_fail(f"tlogic: {error}", 2))
    except OSError as error:
        if not _is_full(error):
            raise
        _close_output()
        sys.exit(_fail(f"tlogic: Cannot write the output: {error.strerror}.", 2))


def _is_full(error: OSError) -> bool:
    """Whether an error is that of a full disk or device, a quota or a limit of file sizes."""
    import errno

    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _close_output() -> None:
    """Discard what is left in the buffer of standard output, which Python would try to write at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())


def _interrupted() -> int:
    return _fail("tlogic: interrupted; no incomplete file was left behind.", _INTERRUPTED)


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
