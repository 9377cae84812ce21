"""Files that are there whole or not at all, whatever stands in their place."""

import os
import time
from pathlib import Path
from threading import Thread

import pytest

from tlogic.errors import InputError
from tlogic.files import atomic_write, check_writable, write_atomically
from tlogic.locks import lock


def old(path: Path) -> Path:
    """The same file, as if it had been written an hour ago."""
    path.touch()
    os.utime(path, (time.time() - 3600, time.time() - 3600))
    return path


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("old")

    def fail() -> None:
        with atomic_write(tmp_path / "rules") as temporary:
            temporary.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["rules"]
    assert (tmp_path / "rules").read_text() == "old"


def test_a_link_stays_and_leads_to_the_new_content(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for text in ("first", "second"):
        write_atomically(tmp_path / "link", text)
        assert (tmp_path / "real").read_text() == text
    assert (tmp_path / "link").is_symlink()


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_atomically(pipe, "through it")
    reader.join()
    assert read == ["through it"]
    assert pipe.is_fifo()


def test_what_the_killed_left_is_removed_but_not_what_is_being_written(tmp_path: Path) -> None:
    left, others, written = (old(tmp_path / name) for name in (".a.1.unfinished", ".b.1.unfinished", ".a.2.unfinished"))
    (tmp_path / ".a.3.unfinished").touch()  # a moment ago
    with written.open("rb") as file:
        assert lock(file)
        write_atomically(tmp_path / "a", "new")
    assert not left.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [written.name, ".a.3.unfinished", others.name, "a"]


def test_unwritable_paths_are_rejected_before_work(tmp_path: Path) -> None:
    check_writable(tmp_path / "new")
    check_writable(Path("/dev/null"))
    for path, why in ((tmp_path, "it is a folder"), (tmp_path / "no" / "new", "there is no folder")):
        with pytest.raises(InputError, match=why):
            check_writable(path)


def test_a_loop_of_links_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InputError, match="Too many levels of symbolic links"):
        check_writable(tmp_path / "a")
    with pytest.raises(InputError, match="Too many levels of symbolic links"):
        write_atomically(tmp_path / "a", "new")
