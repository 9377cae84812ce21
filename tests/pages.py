"""The code blocks of pages. `python -m tests.pages` runs them in order.

Each line that it reads names a page and a folder to run it in; it prints one line with the results per page.

A ```console block holds commands after `$ `, each optionally followed by its output. A ```text block right after a
```python block holds the output of the code. `...` matches anything.
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

# Commands that the tests skip, because they install software, take long, or need the network or large data.
ELSEWHERE = (
    "pip ",
    "make ",
    "tlogic download ",
    "tlogic learn icews",
    "tlogic learn tkgl",
    "tlogic fit tkgl",
    "tlogic evaluate tkgl",
    "tlogic evaluate icews18",
    "tlogic evaluate icews14 --rules",
)

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"(?<=--port )\d+")
_SHELL = {"|", ">", "<", "&&", ";"}


class Step(NamedTuple):
    """A command or code block, and the output that the page shows."""

    kind: str
    source: str
    shown: str


def steps_of(text: str) -> list[Step]:
    """The commands and code blocks of a page, in order, without those that the tests skip."""
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
    """The page with free ports, because the ports that it shows may be in use."""
    with ExitStack() as held:  # all open at once, so that no port is used twice
        for port in sorted(set(_PORT.findall(text))):
            free = held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            text = re.sub(rf"\b{port}\b", str(free), text)
    return text


def _commands(content: str) -> list[Step]:
    found: list[Step] = []
    for line in re.sub(r"\\\n\s*", "", content).splitlines(keepends=True):  # a backslash continues a command
        if line.startswith("$ "):
            found.append(Step("command", line.removeprefix("$ ").strip(), ""))
        else:
            found[-1] = found[-1]._replace(shown=found[-1].shown + line)
    return found


def is_printed(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, except for blank lines and trailing spaces."""
    lines = ["(?:.*\n)*?" if line == "..." else _line_pattern(line) for line in _lines(shown)]
    return not lines or re.fullmatch("".join(lines), "".join(f"{line}\n" for line in _lines(printed))) is not None


def _line_pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split("..."))) + "\n"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def environment() -> dict[str, str]:
    """The environment of a terminal with 80 columns and no colours, with `tlogic` on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "FORCE_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}


def _run_command(command: str) -> int:
    """Run `tlogic` in this process, which is faster than starting another one, and other commands in a shell."""
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


def _run_page(page: str, folder: str) -> list[tuple[str, int]]:
    os.chdir(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_run(step, names) for step in steps_of(Path(page).read_text(encoding="utf-8"))]


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_run_page(*json.loads(line))), flush=True)
