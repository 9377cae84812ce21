"""Run the command in this process, which is fast, or in a process of its own, as users do."""

import gc
import io
import logging
import os
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout

import pytest

COMMAND = [sys.executable, "-c", "from tlogic.cli import main; main()"]


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this process and return its output and exit code."""
    words = ["tlogic", *map(str, arguments)]
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        patch.setattr(sys, "argv", words)
        patch.delenv("COLUMNS", raising=False)
        import tlogic.cli.console  # noqa: F401 (consoles keep the width that is set when they are created)

        for name, value in environment.items():
            patch.setenv(name, value)
        code = _main()
    return subprocess.CompletedProcess(words, code, _written(output), _written(errors))


def _main() -> int:
    from tlogic.cli import main

    loggers = [logging.getLogger(name) for name in ("tlogic.serving", "uvicorn", "nicegui")]
    logging_before = [(logger.handlers, logger.propagate, logger.level) for logger in loggers]
    excepthook = threading.excepthook
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:  # what commands change for the rest of their process
        gc.enable()
        threading.excepthook = excepthook
        for logger, (handlers, propagate, level) in zip(loggers, logging_before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)
    return 0


def _written(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def run_process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | environment,
        check=False,
    )


def assert_refused(done: subprocess.CompletedProcess[str], message: str) -> None:
    """Check that the command failed with one message for the user and printed nothing else."""
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
