"""How the tests run the command: as a user does, in a process of its own."""

import os
import subprocess
import sys

COMMAND = [sys.executable, "-c", "from tlogic.cli import main; main()"]


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | environment,
        check=False,
    )


def assert_refused(done: subprocess.CompletedProcess[str], message: str) -> None:
    """The command ended with one message for the user, and gave nothing else."""
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
