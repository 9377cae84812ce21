"""The cost of compiling: `python -m benchmarks.first_use`.

Runs commands on the sample world with an empty cache of kernels, and then once more. What the first run of a command
takes more, in core-seconds, is the compilation of the kernels that no command before it has compiled.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.reference import DESCRIPTION, reference_seconds

MAX_CORE_SECONDS = 60
PREPARATION = ("sample --out world", "ingest world --store events.db")
QUERY = {"subject": "Aurelland", "relation": "instruct"}
_OPTIONS = " ".join(f"--{name} {value}" for name, value in QUERY.items())
COMMANDS = (
    "learn world --out world.rules --no-resume",
    f"forecast world --rules world.rules {_OPTIONS}",
    "fit world --out world.model",
    f"forecast world --model world.model {_OPTIONS}",
    "serve --store events.db --model world.model --port 0",
)


def core_seconds(command: str, folder: Path, kernels: str) -> float:
    """Run a command in a folder, with a cache of kernels; stop a service after its first forecast."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / kernels), "XDG_CACHE_HOME": str(folder / "cache")}
    with (folder / "output").open("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tlogic", *shlex.split(command)],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        if command.startswith("serve"):
            _ask(folder / "output")
            process.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"{command}: {output.read()}")
    return used.ru_utime + used.ru_stime


def _ask(output: Path, seconds: float = 300.0) -> None:
    """Ask a service whose log tells its address, as soon as it answers."""
    for _ in range(int(seconds / 0.1)):
        time.sleep(0.1)
        address = re.search(r"http://[\w.]+:\d+", output.read_text())
        try:
            if address:
                with urllib.request.urlopen(f"{address[0]}/api/forecast?{urlencode(QUERY)}") as response:
                    assert json.load(response)
                return
        except urllib.error.URLError:  # it is still loading
            continue
    raise TimeoutError(output.read_text())


def main() -> None:
    """Print what compiling takes in each command, and in all."""
    total = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in PREPARATION:
            core_seconds(command, folder, "kernels of preparation")
        first, second = ([core_seconds(each, folder, "kernels") for each in COMMANDS] for _ in range(2))
    for command, cold, warm in zip(COMMANDS, first, second, strict=True):
        total += cold - warm
        print(f"{cold - warm:5.1f} core-seconds  tlogic {command}")
    unit = reference_seconds()
    print(f"{total:5.1f} in all, of {MAX_CORE_SECONDS} at most; {total / unit:.0f} times {DESCRIPTION} ({unit:.2f} s)")


if __name__ == "__main__":
    main()
