"""Downloads over a real connection: whatever goes wrong, a file is there whole and right, or not at all."""

import errno
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha1
from pathlib import Path
from random import Random

import pytest

from tests.events.serving import Server, serving
from tests.waiting import PATIENCE, wait_until
from tlogic.errors import InputError, TLogicError
from tlogic.events import downloads
from tlogic.events.datasets import DATASETS, Dataset, PublishedFile, find_dataset, list_datasets
from tlogic.events.downloads import download
from tlogic.events.sources.source_files import find_files
from tlogic.files import cache_folder

TEST, TRAIN = (Random(seed).randbytes(300_000) for seed in (1, 2))


def published(name: str, content: bytes) -> PublishedFile:
    return PublishedFile(name, len(content), sha1(b"blob %d\0" % len(content) + content).hexdigest())


@pytest.fixture(autouse=True)
def towns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up dataset is known, and has its place."""
    files = published("test.txt", TEST), published("train.txt", TRAIN)
    monkeypatch.setitem(DATASETS, "towns", Dataset("towns", (3, 2, 1), 7, 2, 5, "days", files))
    monkeypatch.setattr(downloads, "_FIRST_PAUSE_SECONDS", 0.0)
    monkeypatch.delenv("TLOGIC_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return cache_folder() / "towns"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving({"towns/test.txt": TEST, "towns/train.txt": TRAIN}) as server:
        monkeypatch.setenv("TLOGIC_DOWNLOAD_FROM", server.address + "/")
        yield server


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


WHOLE = {"test.txt": TEST, "train.txt": TRAIN}


def refusal(name: str = "towns", **more: object) -> str:
    with pytest.raises(TLogicError) as refused:
        download(name, **more)  # type: ignore[arg-type]
    return str(refused.value)


def test_files_are_fetched_checked_and_not_fetched_again(server: Server, towns: Path) -> None:
    told: list[tuple[str, int, int]] = []
    done = download("towns", progress=lambda *state: told.append(state))
    assert done == (towns, ("test.txt", "train.txt"), (), False)
    assert contents(towns) == WHOLE
    assert told[0] == ("test.txt", 0, len(TEST))
    assert told[-1] == ("train.txt", len(TRAIN), len(TRAIN))
    assert told == sorted(told)
    assert server.requests == [("/towns/test.txt", None), ("/towns/train.txt", None)]
    (towns / ".lock").unlink()
    assert download("towns") == (towns, (), ("test.txt", "train.txt"), False)
    assert len(server.requests) == 2
    assert not (towns / ".lock").exists(), "what is whole may lie where nobody can write"


def test_another_folder_can_be_chosen(
    server: Server, towns: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert download("towns", tmp_path / "mine").folder == tmp_path / "mine" / "towns"
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path / "ours"))
    assert download("towns").folder == tmp_path / "ours" / "towns"
    assert contents(tmp_path / "mine" / "towns") == contents(tmp_path / "ours" / "towns") == WHOLE
    assert not towns.exists()
    assert len(server.requests) == 4


@pytest.mark.parametrize("there", [1, 299_999])
@pytest.mark.parametrize("ranges", [True, False])
def test_a_part_is_gone_on_with(server: Server, towns: Path, there: int, ranges: bool) -> None:
    server.ranges = ranges
    towns.mkdir(parents=True)
    (towns / "test.txt.part").write_bytes(TEST[:there])
    download("towns")
    assert server.requests[0] == ("/towns/test.txt", f"bytes={there}-")
    assert contents(towns) == WHOLE


def test_a_part_with_all_its_bytes_is_only_checked(server: Server, towns: Path) -> None:
    towns.mkdir(parents=True)
    (towns / "test.txt.part").write_bytes(TEST)
    download("towns")
    assert server.requests == [("/towns/train.txt", None)]
    assert contents(towns) == WHOLE


def test_a_part_that_is_too_long_is_dropped(server: Server, towns: Path) -> None:
    towns.mkdir(parents=True)
    (towns / "test.txt.part").write_bytes(TEST + b"more")
    download("towns")
    assert server.requests[0] == ("/towns/test.txt", None)
    assert contents(towns) == WHOLE


@pytest.mark.parametrize("how", ["told length", "no length", "chunked"])
def test_cut_connections_are_taken_up_again(server: Server, towns: Path, how: str) -> None:
    server.tells_length, server.chunked = how == "told length", how == "chunked"
    server.cut_after = [90_000]
    download("towns")
    assert contents(towns) == WHOLE
    assert next(asked for _, asked in server.requests if asked) in ("bytes=90000-", "bytes=89993-")  # 7 tell a chunk
    assert len(server.requests) == 8, "cuts that bring the file on are not counted against it"


def test_a_server_without_parts_that_always_cuts_is_given_up(server: Server, towns: Path) -> None:
    server.ranges, server.cut_after = False, [90_000]
    message = refusal()
    assert f"Cannot download {server.address}/towns/test.txt: the connection was closed early, 4 times" in message
    assert f"copy the published file to {towns / 'test.txt'}." in message
    assert contents(towns) == {"test.txt.part": TEST[:90_000]}
    assert len(server.requests) == 4
    server.cut_after = []
    download("towns")
    assert contents(towns) == WHOLE


def test_cuts_right_away_are_given_up(server: Server, towns: Path) -> None:
    server.cut_after = [0]
    refusal()
    assert contents(towns) == {"test.txt.part": b""}
    assert len(server.requests) == 4


@pytest.mark.parametrize("tells_length", [True, False])
def test_wrong_bytes_are_deleted_and_named(server: Server, towns: Path, tells_length: bool) -> None:
    wrong = TEST[:-1] + b"?"
    server.files["towns/test.txt"], server.tells_length = wrong, tells_length
    expected, found = (published("", content).sha1 for content in (TEST, wrong))
    assert f"its hash is {found}, expected {expected}" in refusal()
    assert contents(towns) == {}


def test_a_part_of_wrong_bytes_does_not_stay(server: Server, towns: Path) -> None:
    towns.mkdir(parents=True)
    (towns / "test.txt.part").write_bytes(b"?" * 1000)
    assert "differs from the published file" in refusal()
    assert contents(towns) == {}
    download("towns")
    assert contents(towns) == WHOLE
    assert server.requests[0][1] == "bytes=1000-"


@pytest.mark.parametrize("there", [0, 5, 200_000])
@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("size", [100_000, 400_000])
def test_a_file_of_another_size(server: Server, towns: Path, size: int, ranges: bool, there: int) -> None:
    server.files["towns/test.txt"], server.ranges = (TEST * 2)[:size], ranges
    towns.mkdir(parents=True)
    (towns / "test.txt.part").write_bytes(TEST[:there])
    assert f"it has {size:,} bytes, expected 300,000" in refusal()
    assert set(contents(towns)) == {"test.txt.part"}


def test_more_bytes_than_announced_nowhere(server: Server, towns: Path) -> None:
    server.tells_length = False
    server.files["towns/test.txt"] = b"?" + TEST
    assert "differs from the published file" in refusal()
    assert contents(towns) == {}


@pytest.mark.parametrize("told", ["bytes 7-299999/300000", "bytes 200000-299999/300000", "bytes */300000", "parts"])
def test_a_range_that_was_not_asked_for(server: Server, towns: Path, told: str) -> None:
    server.wrong_range = told
    towns.mkdir(parents=True)
    (towns / "test.txt.part").write_bytes(TEST[:1000])
    refusal()
    assert "test.txt" not in contents(towns)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_passing_errors_are_waited_out(server: Server, towns: Path, status: int) -> None:
    server.statuses = [status] * 3
    download("towns")
    assert contents(towns) == WHOLE


def test_a_server_that_stays_broken(server: Server, towns: Path) -> None:
    server.statuses = [500] * 4
    assert "the server responded 500 Internal Server Error, 4 times in a row" in refusal()
    assert contents(towns) == {"test.txt.part": b""}


@pytest.mark.parametrize("status", [403, 404, 410])
def test_lasting_errors_are_told_at_once(server: Server, towns: Path, status: int) -> None:
    server.statuses = [status]
    message = refusal()
    assert f"the server responded {status}" in message
    assert "TLOGIC_DOWNLOAD_FROM" in message
    assert len(server.requests) == 1
    assert contents(towns) == {"test.txt.part": b""}


def test_a_silent_server_is_asked_again(server: Server, towns: Path) -> None:
    server.silences = [PATIENCE]
    download("towns", timeout=3.0)  # long enough for a busy machine to answer
    assert contents(towns) == WHOLE
    assert server.requests[1] == ("/towns/test.txt", "bytes=150000-")


def test_a_server_that_stays_silent_is_given_up(towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("TLOGIC_DOWNLOAD_FROM", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert "timed out, 4 times in a row" in refusal(timeout=0.1)
    assert contents(towns) == {"test.txt.part": b""}


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://no such host", "http://x..y", "http://[1"])
def test_nobody_is_there(towns: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("TLOGIC_DOWNLOAD_FROM", address)
    assert "Without a network, copy the published file" in refusal()
    assert contents(towns) == {"test.txt.part": b""}


def test_bad_addresses_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("villages").startswith("'villages' cannot be downloaded; choose icews14, icews18")
    assert "'yago' cannot be downloaded" in refusal("yago")
    monkeypatch.setenv("TLOGIC_DOWNLOAD_FROM", "file:///etc")
    assert "must begin with http:// or https://" in refusal()


@pytest.mark.usefixtures("server")
def test_a_file_of_that_name_with_other_content_is_left_alone(towns: Path) -> None:
    towns.mkdir(parents=True)
    (towns / "train.txt").write_text("my own facts")
    message = refusal()
    assert f"{towns / 'train.txt'} differs from the published file" in message
    assert contents(towns) == {"train.txt": b"my own facts"}


def test_a_place_that_cannot_be_written(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "choose another folder for datasets with --to" in refusal(to=tmp_path / "file")
    assert server.requests == []


def test_a_full_disk(server: Server, towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(downloads.os, "fsync", full)
    assert f"Cannot write to {towns}: No space left on device. The part downloaded so far is kept." in refusal()
    assert contents(towns) == {"test.txt.part": TEST}
    assert len(server.requests) == 1


def test_two_at_the_same_time_do_not_disturb_each_other(server: Server, towns: Path) -> None:
    server.silences = [PATIENCE]
    with ThreadPoolExecutor() as pool:
        first = pool.submit(download, "towns")
        try:
            wait_until(lambda: (towns / "test.txt.part").exists() or first.done())
            assert "Another process is downloading" in refusal()
        finally:
            server.go_on.set()
        assert first.result().fetched == ("test.txt", "train.txt")
    assert contents(towns) == WHOLE


def test_a_dataset_is_found_when_it_is_whole(
    server: Server, towns: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state() -> str:
        return next(presence.state for presence in list_datasets() if presence.name == "towns")

    assert state() == "absent"
    server.statuses = [404]
    refusal()
    assert state() == "absent"
    server.files["towns/train.txt"] = b""
    refusal()
    assert state() == "partly"
    assert find_dataset("towns") is None
    with pytest.raises(InputError, match="get it with `tlogic download towns`"):
        find_files("towns")
    server.files["towns/train.txt"] = TRAIN
    download("towns")
    assert state() == "whole"
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path / "elsewhere"))
    assert find_files("towns") == {"train": towns / "train.txt", "test": towns / "test.txt"}
    own = tmp_path / "elsewhere" / "towns" / "train.csv"
    own.parent.mkdir(parents=True)
    own.touch()
    assert find_files("towns") == {"train": own}
    assert state() == "different"


def test_other_folders_are_listed_behind_the_known_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wiki", "villages", "empty", "begun"):
        (tmp_path / name).mkdir()
    for path in ("wiki/train.txt", "villages/train.csv.gz", "begun/train.txt.part"):
        (tmp_path / path).touch()
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path))
    states = {presence.name: presence.state for presence in list_datasets()}
    assert list(states) == [*DATASETS, "villages"]
    assert states["wiki"] == states["villages"] == "unchecked"
    assert states["yago"] == states["icews14"] == "absent"
