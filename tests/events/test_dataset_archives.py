"""Archives of TGB are downloaded, verified by their shape, and unpacked completely or not at all."""

import io
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import tlogic
from tests.cli.running import run
from tests.events.serving import Server, serving
from tests.tgb_data import write_dataset
from tlogic.errors import TLogicError
from tlogic.events import downloads
from tlogic.events.datasets import DATASETS, Dataset
from tlogic.events.downloads import download

NAME = "tkgl-smallpedia"


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small dataset is published under the name of one of TGB."""
    graph = tlogic.sample(days=60)
    shape = (len(graph),), len(graph.entities), len(graph.relations.base), graph.end
    monkeypatch.setitem(DATASETS, NAME, Dataset(NAME, *shape, unit="years", is_archived=True))
    monkeypatch.setattr(downloads, "_FIRST_PAUSE_SECONDS", 0.0)
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / NAME


def archive(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as written:
        for name, text in files.items():
            written.writestr(name, text)
    return content.getvalue()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    edges = write_dataset(tmp_path / "published", NAME).read_bytes()
    files = {f"{NAME}_edgelist.csv": edges, f"__MACOSX/._{NAME}": b"", f"{NAME}_test_ns.pkl": b"pickle"}
    with serving({f"{NAME}.zip": archive(files)}) as server:
        monkeypatch.setenv("TLOGIC_DOWNLOAD_FROM", server.address)
        yield server


def test_an_archive_is_downloaded_verified_and_read_by_name(server: Server, data_folder: Path) -> None:
    done = run("download", NAME)
    assert done.returncode == 0, done.stderr
    assert "No hashes are published for it" in done.stderr
    names = {path.name for path in data_folder.iterdir()}
    assert names == {f"{NAME}_edgelist.csv", f"{NAME}_test_ns.pkl", ".lock"}
    assert len(tlogic.read(NAME)) == sum(DATASETS[NAME].facts)
    n_requests = len(server.requests)
    assert download(NAME).present == (f"{NAME}_edgelist.csv",)
    assert len(server.requests) == n_requests


def test_an_interrupted_download_resumes(server: Server, data_folder: Path) -> None:
    data_folder.mkdir(parents=True)
    whole = server.files[f"{NAME}.zip"]
    (data_folder / f"{NAME}.zip.part").write_bytes(whole[:1000])
    assert download(NAME).fetched == (f"{NAME}_test_ns.pkl", f"{NAME}_edgelist.csv")
    assert server.requests[-1] == (f"/{NAME}.zip", "bytes=1000-")


def test_other_data_is_refused(server: Server, data_folder: Path) -> None:
    server.files[f"{NAME}.zip"] = archive({f"{NAME}_edgelist.csv": b"ts,head,tail,relation_type\n1,Q1,Q2,P1\n"})
    with pytest.raises(TLogicError, match=r"it has 1 facts, expected"):
        download(NAME)
    assert not list(data_folder.glob("*_edgelist.csv"))


def test_damaged_archives_and_archives_without_facts_are_refused(server: Server, data_folder: Path) -> None:
    server.files[f"{NAME}.zip"] = archive({"readme.csv": b"nothing"})
    with pytest.raises(TLogicError, match=f"has no file {NAME}_edgelist.csv"):
        download(NAME)
    (data_folder / f"{NAME}.zip.part").unlink()
    server.files[f"{NAME}.zip"] = b"no archive"
    with pytest.raises(TLogicError, match="is damaged"):
        download(NAME)
    assert not list(data_folder.glob("*.zip.part"))


def test_a_server_that_does_not_announce_the_size_is_refused(server: Server) -> None:
    server.tells_length = False
    with pytest.raises(TLogicError, match="does not say how large it is"):
        download(NAME)


def test_the_datasets_of_tgb_are_listed() -> None:
    done = run("datasets", "--json")
    assert all(f'"name": "{name}"' in done.stdout for name in ("tkgl-polecat", "tkgl-icews", "tkgl-wikidata"))
    assert "15,513,446" in run("datasets").stdout
