"""The `tlogic` command: thin commands that parse, call the API and print."""

import gc
import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command; errors meant for the user are told in one message, with exit code 2."""
    gc.disable()  # a command ends soon, and its many small objects are no garbage until then
    from tlogic.cli.app import app
    from tlogic.errors import TLogicError

    try:
        app()
    except TLogicError as error:
        sys.exit(_fail(f"tlogic: {error}", 2))
    except KeyboardInterrupt:
        sys.exit(_interrupted())
    except SystemExit as end:
        if end.code == _INTERRUPTED:  # Typer makes this of an interrupt, and says nothing
            _interrupted()
        raise


def _interrupted() -> int:
    return _fail("tlogic: interrupted; no half-written file was left.", _INTERRUPTED)


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
