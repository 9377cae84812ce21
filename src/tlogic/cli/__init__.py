"""The `tlogic` command: thin commands that parse, call the API and print."""

import gc
import sys


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
        sys.exit(_fail("tlogic: interrupted; nothing was written.", 130))


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
