"""`tlogic download` and `tlogic datasets`, with the published files from a local server."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, run, run_process
from tests.datasets import Datasets
from tests.events.serving import Server, serving
from tests.waiting import PATIENCE, wait_until

FILES = ("test.txt", "valid.txt", "train.txt")


@pytest.fixture
def icews14_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of icews14 in an empty cache."""
    monkeypatch.delenv("TLOGIC_DATA", raising=False)
    for variable in ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    above = Path("Library/Caches") if sys.platform == "darwin" else Path()
    return tmp_path / above / "tlogic" / "icews14"


@pytest.fixture
def server(dataset: Datasets, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    folder = dataset("icews14")
    with serving({f"icews14/{name}": (folder / name).read_bytes() for name in FILES}) as server:
        monkeypatch.setenv("TLOGIC_DOWNLOAD_FROM", server.address)
        yield server


def listed(name: str) -> dict[str, object]:
    done = run("datasets", "--json")
    assert done.returncode == 0, done.stderr
    return next(entry for entry in json.loads(done.stdout) if entry["name"] == name)


def test_published_files_are_downloaded_and_found_by_name(server: Server, icews14_folder: Path, tmp_path: Path) -> None:
    rules = tmp_path / "icews14.rules"
    learn = ["learn", "icews14", "--walks", 2, "--lengths", 1, "--out", rules]
    refused = run(*learn)
    assert refused.returncode == 2
    assert "get it with `tlogic download icews14`" in refused.stderr

    server.cut_after = [2_000_000]
    done = run_process("download", "icews14")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert [f"icews14/{name}: downloaded" in done.stderr for name in FILES] == [True] * 3
    assert {name: (icews14_folder / name).read_bytes() for name in FILES} == {
        name: server.files[f"icews14/{name}"] for name in FILES
    }
    assert list(icews14_folder.glob("*.part")) == []
    n_requests = len(server.requests)
    assert n_requests == 1 + 1 + 3

    again = run("download", "icews14")
    assert again.returncode == 0
    assert [f"icews14/{name}: already present" in again.stderr for name in FILES] == [True] * 3
    assert len(server.requests) == n_requests

    learned = run(*learn)
    assert learned.returncode == 0, learned.stderr
    assert json.loads(rules.read_text(encoding="utf-8"))["data"]["facts"] == 63_685
    assert listed("icews14") == {
        "name": "icews14",
        "state": "whole",
        "folder": str(icews14_folder),
        "downloadable": True,
        "facts": {"train": 63_685, "valid": 13_823, "test": 13_222},
        "entities": 7_128,
        "relations": 230,
        "steps": 365,
        "unit": "days",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_download_is_resumed(server: Server, icews14_folder: Path, how: signal.Signals) -> None:
    server.silences = [PATIENCE]
    process = subprocess.Popen([*COMMAND, "download", "icews14"], stderr=subprocess.PIPE, text=True)
    part = icews14_folder / "test.txt.part"
    wait_until(lambda: part.exists() and part.stat().st_size >= 400_000)
    process.send_signal(how)
    messages = process.communicate()[1]
    assert "Traceback" not in messages
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "run the same command again to resume" in messages
    there = part.stat().st_size
    assert not (icews14_folder / "test.txt").exists()
    assert listed("icews14")["state"] == "partly"
    done = run("download", "icews14")
    assert done.returncode == 0, done.stderr
    assert server.requests[1] == ("/icews14/test.txt", f"bytes={there}-")
    assert listed("icews14")["state"] == "whole"


def test_two_processes_at_the_same_time(server: Server, icews14_folder: Path) -> None:
    server.silences = [3.0]
    both = [subprocess.Popen([*COMMAND, "download", "icews14"], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    messages = [process.communicate()[1] for process in both]
    assert sorted(process.returncode for process in both) in ([0, 0], [0, 2]), messages
    assert "Traceback" not in "".join(messages)
    assert all((icews14_folder / name).read_bytes() == server.files[f"icews14/{name}"] for name in FILES)


def test_wrong_bytes_end_with_one_message(server: Server, icews14_folder: Path) -> None:
    server.files["icews14/test.txt"] = server.files["icews14/test.txt"].replace(b"\t2014-12-31", b"\t2014-12-30")
    done = run("download", "icews14")
    assert done.returncode == 2
    assert "expected fe0d1acce6817132962ccf1e7565f88030323e6a" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in icews14_folder.iterdir()] == [".lock"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX")
def test_a_full_disk_ends_with_one_message(server: Server, icews14_folder: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)); "
    command = [sys.executable, "-c", limit + COMMAND[-1], "download", "icews14"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"Cannot write to {icews14_folder}: File too large. The part downloaded so far is kept." in done.stderr
    assert "Traceback" not in done.stderr
    assert not (icews14_folder / "test.txt").exists()
    there = (icews14_folder / "test.txt.part").read_bytes()
    assert server.files["icews14/test.txt"].startswith(there)
    assert run("download", "icews14").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["download", "icews15"],
            "'icews15' cannot be downloaded; choose icews14, icews18, icews0515, tkgl-smallpedia",
        ),
        (["download", "yago"], "'yago' cannot be downloaded"),
        (["download", "icews14", "--to", "{file}"], "choose another folder"),
        (["learn", "icews18", "--out", "x.rules"], "get it with `tlogic download icews18`"),
    ],
)
@pytest.mark.usefixtures("icews14_folder")
def test_bad_input_ends_with_one_message(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "file").touch()
    done = run(*(argument.format(file=tmp_path / "file") for argument in arguments))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_table_lists_all_datasets_and_the_searched_folders(icews14_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "villages").mkdir(parents=True)
    (tmp_path / "data" / "villages" / "train.csv").touch()
    done = run("datasets", TLOGIC_DATA=str(tmp_path / "data"), COLUMNS="120")
    assert done.returncode == 0, done.stderr
    for shown in ("icews14", "icews18", "icews0515", "yago", "wiki", "villages", "461,329", "4,017 days"):
        assert shown in done.stdout
    assert "Available with `tlogic download NAME`: icews14, icews18, icews0515, tkgl-smallpedia" in done.stderr
    assert f"Searched in {tmp_path / 'data'} and {icews14_folder.parent}." in done.stderr
