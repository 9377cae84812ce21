"""Checkpoints keep finished chunks intact, and a resumed run finds the same rules."""

import json
from pathlib import Path

import numpy as np
import pytest

import tlogic
from tests.damage import flipped
from tlogic.graph.arrays import Ints
from tlogic.learning.checkpoint import Checkpoint, Chunk, count_finished, discard

RUN = {"seed": 12, "lengths": [1, 2], "relations": "all"}
TABLES: dict[Chunk, Ints] = {
    Chunk("walks", 1, 0): np.array([[1, 2, 3], [4, 5, 6]], np.int32),
    Chunk("walks", 1, 1): np.empty((0, 3), np.int32),
    Chunk("confidence", 1, 0): np.array([[1 << 40, -1]], np.int64),
}
SETTINGS = tlogic.LearningSettings(lengths=(1, 2), walks=20, body_samples=20)
RELATIONS = ["fine", "sue^-1", "bid_for"]


def write(path: Path) -> list[int]:
    """Write a checkpoint; returns the offsets at which its first line and each of its records end."""
    ends = []
    with Checkpoint(path, RUN) as checkpoint:
        ends.append(path.stat().st_size)
        for chunk, rows in TABLES.items():
            checkpoint.keep(chunk, rows)
            ends.append(path.stat().st_size)
    return ends


def read(path: Path) -> dict[Chunk, list[list[int]]]:
    with Checkpoint(path, RUN) as checkpoint:
        taken = {chunk: checkpoint.take(chunk) for chunk in TABLES if chunk in checkpoint}
    return {chunk: rows.tolist() for chunk, rows in taken.items() if rows is not None}


def first_tables(n: int) -> dict[Chunk, list[list[int]]]:
    return {chunk: rows.tolist() for chunk, rows in list(TABLES.items())[:n]}


def test_arrays_are_restored(tmp_path: Path) -> None:
    path = tmp_path / "run.partial"
    write(path)
    assert count_finished(path) == len(TABLES)
    with Checkpoint(path, RUN) as checkpoint:
        for chunk, rows in TABLES.items():
            taken = checkpoint.take(chunk)
            assert taken is not None
            assert (taken.dtype, taken.shape) == (rows.dtype, rows.shape)
            assert np.array_equal(taken, rows)
            assert checkpoint.take(chunk) is None
    assert read(path) == first_tables(len(TABLES)), "taking leaves the file alone"


def test_a_file_truncated_at_any_byte_keeps_its_complete_records(tmp_path: Path) -> None:
    path = tmp_path / "run.partial"
    ends = write(path)
    whole = path.read_bytes()
    late = Chunk("confidence", 2, 63)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        n_whole = sum(size >= end for end in ends[1:])
        assert count_finished(path) == n_whole
        assert read(path) == first_tables(n_whole)
        assert path.stat().st_size == max(end for end in ends if end <= max(size, ends[0]))
        with Checkpoint(path, RUN) as checkpoint:
            checkpoint.keep(late, np.array([[7]]))
        with Checkpoint(path, RUN) as checkpoint:
            assert checkpoint.take(late) is not None
        assert read(path) == first_tables(n_whole)


def test_a_damaged_byte_invalidates_its_record_and_later_ones(tmp_path: Path) -> None:
    path = tmp_path / "run.partial"
    ends = write(path)
    whole = path.read_bytes()
    for place in range(ends[0], len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert read(path) == first_tables(sum(place >= end for end in ends[1:]))


def test_the_checkpoint_of_another_run_is_rejected_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "run.partial"
    write(path)
    before = path.read_bytes()
    with pytest.raises(tlogic.InputError) as refused:
        Checkpoint(path, RUN | {"seed": 13, "relations": ["a"]})
    assert str(refused.value) == (
        f'{path} belongs to another run: seed is 12 there and 13 here; relations is "all" there and ["a"] here. '
        "Use the same data and settings to continue, or delete the file to start over."
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"{}\n", b"not a checkpoint", b"tlogic checkpoint 0 {}\n", b"\0" * 99])
def test_another_kind_of_file_is_rejected_and_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes"
    path.write_bytes(content)
    for use in (lambda: Checkpoint(path, RUN), lambda: count_finished(path), lambda: discard(path)):
        with pytest.raises(tlogic.InputError, match="is not a checkpoint of this version"):
            use()
    assert path.read_bytes() == content


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "run.partial"
    with Checkpoint(path, RUN) as first:
        for use in (lambda: Checkpoint(path, RUN), lambda: discard(path)):
            with pytest.raises(tlogic.InputError, match="Another run is writing"):
                use()
        first.keep(*next(iter(TABLES.items())))
    assert read(path) == first_tables(1)
    discard(path)
    assert not path.exists()
    discard(path)
    assert count_finished(path) == 0


def test_an_unwritable_path(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "such" / "run.partial"):
        with pytest.raises(tlogic.InputError, match="Cannot write"):
            Checkpoint(path, RUN)


@pytest.mark.parametrize("threads", [1, 2])
def test_learning_resumes_after_any_chunk_with_the_same_rules(tmp_path: Path, threads: int) -> None:
    graph, path = tlogic.sample(), tmp_path / "run.partial"
    expected = tlogic.learn(graph, SETTINGS, relations=RELATIONS)
    assert tlogic.learn(graph, SETTINGS, relations=RELATIONS, checkpoint=path, threads=threads) == expected
    whole = path.read_bytes()
    assert count_finished(path) > 20
    for size in np.linspace(0, len(whole), 40).astype(int):
        path.write_bytes(whole[:size])
        again = tlogic.learn(graph, SETTINGS, relations=RELATIONS[::-1], checkpoint=path, threads=threads)
        assert again.rules == expected.rules
        assert path.read_bytes() == whole


def test_a_flipped_bit_changes_no_rule(tmp_path: Path) -> None:
    graph, path = tlogic.sample(days=60), tmp_path / "run.partial"
    settings = tlogic.LearningSettings(lengths=(1,), walks=20, body_samples=20)
    expected = tlogic.learn(graph, settings, relations=RELATIONS, checkpoint=path).rules
    n_refused, whole = 0, path.read_bytes()
    damaged = [*flipped(whole, 60)]
    for content in damaged:
        path.write_bytes(content)
        try:
            assert tlogic.learn(graph, settings, relations=RELATIONS, checkpoint=path).rules == expected
            assert path.read_bytes() == whole
        except tlogic.InputError:
            n_refused += 1
    assert 0 < n_refused < len(damaged)


def test_finished_chunks_are_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, path = tlogic.sample(), tmp_path / "run.partial"
    expected = tlogic.learn(graph, SETTINGS, relations=RELATIONS, checkpoint=path)
    for kernel in ("learner.sample_rules", "confidence.sample_supports"):
        monkeypatch.setattr(f"tlogic.learning.{kernel}", lambda *_, **__: pytest.fail("computed again"))
    assert tlogic.learn(graph, SETTINGS, relations=RELATIONS, checkpoint=path) == expected


def test_a_run_names_the_data_and_the_settings_it_depends_on(tmp_path: Path) -> None:
    graph, path = tlogic.sample(), tmp_path / "run.partial"
    tlogic.learn(graph, SETTINGS, relations=["fine"], checkpoint=path)
    with pytest.raises(tlogic.InputError, match="walks is 20 there and 21 here; seed is 12 there and 3 here"):
        tlogic.learn(graph, lengths=(1, 2), walks=21, body_samples=20, seed=3, relations=["fine"], checkpoint=path)
    with pytest.raises(tlogic.InputError, match=r'relations is \["fine"\] there and "all" here'):
        tlogic.learn(graph, SETTINGS, checkpoint=path)
    with pytest.raises(tlogic.InputError, match="the fingerprint of the training facts is"):
        tlogic.learn(graph.train.before(graph.valid_from - 9), SETTINGS, relations=["fine"], checkpoint=path)
    described = json.loads(path.read_bytes().split(b"\n")[0].removeprefix(b"tlogic checkpoint 1 "))
    assert described["the version of tlogic"] == tlogic.__version__


def test_a_full_disk_ends_the_run_with_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "run.partial"
    with Checkpoint(path, RUN) as checkpoint:
        monkeypatch.setattr(checkpoint, "_file", type("Full", (), {"write": full, "close": checkpoint._file.close})())
        with pytest.raises(tlogic.InputError, match=r"No space left on device\. Finished chunks are safe"):
            checkpoint.keep(*next(iter(TABLES.items())))
