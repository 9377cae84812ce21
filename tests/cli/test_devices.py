"""Devices, full disks and interrupts: one message, no traceback, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, assert_refused, run

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")


def test_a_full_device_keeps_no_finished_work(world: Path) -> None:
    assert_refused(run("learn", world, "--out", FULL, "--walks", 5, "--quiet"), "Cannot write /dev/full: No space left")
    assert not Path("/dev/full.partial").exists()
    assert_refused(run("learn", world, "--out", FULL, "--resume"), "keeps no finished work")


@pytest.mark.parametrize("suffix", ["txt", "csv", "parquet", "rules"])
def test_a_full_disk_is_reported_for_every_format(rule_file: Path, tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"full.{suffix}").symlink_to(FULL)
    assert_refused(run("rules", rule_file, "--out", tmp_path / f"full.{suffix}"), "No space left on device")


@pytest.mark.parametrize("arguments", [["--version"], ["rules"]])
def test_a_full_standard_output_is_reported(rule_file: Path, arguments: list[str]) -> None:
    command = [*COMMAND, *arguments, *([str(rule_file)] if arguments == ["rules"] else [])]
    with FULL.open("w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "tlogic: Cannot write the output: No space left on device.\n"


def test_an_interrupt_during_imports_has_no_traceback() -> None:
    """The first import of the command waits until the interrupt arrives."""
    script = (
        "import sys, time\n"
        "from tlogic.cli import main\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'tlogic.cli.app':\n"
        "            print('importing', flush=True)\n"
        "            time.sleep(60)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "tlogic: interrupted; no incomplete file was left behind.\n"
