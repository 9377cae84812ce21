"""The code blocks of a page, and a process that runs them in order: `python -m tests.pages PAGE`, in their folder.

A ```console block holds commands after `$ ` and, where it shows any, the lines that each prints. What a ```python block
prints stands in a ```text block right after it. `...` stands for anything.
"""

import io
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import traceback
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

# What cannot be run here: it sets the project up, measures it for long, needs the network, or large data.
ELSEWHERE = ("pip ", "make ", "tlogic download ", "tlogic learn icews", "tlogic evaluate icews", "tlogic rules icews")

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"(?<=--port )\d+")
_SHELL = {"|", ">", "<", "&&", ";"}


class Step(NamedTuple):
    """Something to run, and what the page says it prints."""

    kind: str
    source: str
    shown: str


def steps_of(text: str) -> list[Step]:
    """The commands and code of a page, in order, without what cannot be run here."""
    steps: list[Step] = []
    end_of_code = -1
    for block in _BLOCK.finditer(text):
        language, content = block.groups()
        if language == "console":
            steps += _commands(content)
        elif language == "python":
            steps.append(Step("python", content, ""))
            end_of_code = block.end()
        elif language == "text" and end_of_code >= 0 and not text[end_of_code : block.start()].strip():
            steps[-1] = steps[-1]._replace(shown=content)
    return [step for step in steps if not step.source.startswith(ELSEWHERE)]


def with_free_ports(text: str) -> str:
    """The page with other ports, as those that it shows may be taken on this machine."""
    with ExitStack() as held:  # all at once, so that no port is given twice
        for port in sorted(set(_PORT.findall(text))):
            free = held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            text = re.sub(rf"\b{port}\b", str(free), text)
    return text


def _commands(content: str) -> list[Step]:
    found: list[Step] = []
    for line in re.sub(r"\\\n\s*", "", content).splitlines(keepends=True):  # a command goes on after a backslash
        if line.startswith("$ "):
            found.append(Step("command", line.removeprefix("$ ").strip(), ""))
        else:
            found[-1] = found[-1]._replace(shown=found[-1].shown + line)
    return found


def is_printed(shown: str, printed: str) -> bool:
    """Does a page show what was printed? Blank lines and spaces at the end of lines do not count."""
    lines = ["(?:.*\n)*?" if line == "..." else _line_pattern(line) for line in _lines(shown)]
    return not lines or re.fullmatch("".join(lines), "".join(f"{line}\n" for line in _lines(printed))) is not None


def _line_pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split("..."))) + "\n"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def environment() -> dict[str, str]:
    """As on a terminal of 80 columns without colours; the command is found."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "FORCE_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}


def _run_command(command: str) -> int:
    """`tlogic` in this process, which saves the start of another one; others in a shell."""
    words = shlex.split(command, comments=True)
    if words[0] != "tlogic" or _SHELL & set(words):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr, sep="", end="")
        return done.returncode
    from tlogic.cli import main

    sys.argv = words
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _run(step: Step, names: dict[str, Any]) -> tuple[str, int]:
    output, code = io.StringIO(), 0
    with redirect_stdout(output), redirect_stderr(output):
        try:
            if step.kind == "command":
                code = _run_command(step.source)
            else:
                exec(compile(step.source, "<page>", "exec"), names)
        except Exception:
            traceback.print_exc()
            code = 1
    return output.getvalue(), code


if __name__ == "__main__":
    names: dict[str, Any] = {"__name__": "__main__"}
    results = [_run(step, names) for step in steps_of(Path(sys.argv[1]).read_text(encoding="utf-8"))]
    print(json.dumps(results))
