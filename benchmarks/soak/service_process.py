"""A service in a process of its own, as users run it."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

_START_SECONDS = 300.0  # the first start may compile kernels


class ServiceProcess:
    """`tlogic serve` over a store. It must answer before the constructor returns."""

    def __init__(self, store: str, rules: Path, *, page: bool = False) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        script = "from tlogic.cli import main; main()"
        arguments = ["serve", "--store", store, "--rules", str(rules), "--port", str(self.port)]
        arguments.append("--page" if page else "--no-page")
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + _START_SECONDS
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise RuntimeError(f"the service did not start: exit code {self.process.returncode}")
            time.sleep(0.1)

    def is_healthy(self) -> bool:
        """Whether the service says that it is well."""
        try:
            return httpx.get(f"{self.url}/health", timeout=30).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """End the process at once, as a power failure does."""
        self.process.kill()
        self.process.wait()

    def resident_megabytes(self) -> float:
        """The memory of the process; Linux only."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024
