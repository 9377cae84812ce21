"""Single bits flipped in SQLite stores and in their write-ahead logs."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from tests.damage import flip
from tests.serving.store_content import fill, read_all, write_all

import tlogic
from benchmarks.soak.record import Budget, Record
from tlogic.serving.store.event_store import EventStore

PROMISE = (
    "A SQLite store with a flipped bit ({}) is refused with a message, or read and written; it gives no traceback."
)
FILE_NOTE = "SQLite keeps no checksums of its pages, so that a flip inside a number can stay unnoticed."
LOG_NOTE = (
    "SQLite ends its log before a page with a wrong checksum, as after a power failure, so that batches after it are "
    "lost as a whole."
)
_FLIPS_PER_ROUND = 20
_Files = dict[str, bytes]


def measure(budget: Budget) -> list[Record]:
    """Flip bits in the file of a store that was closed, and in the log of one that was not."""
    share = Budget(budget.seconds / 2)
    with tempfile.TemporaryDirectory() as name:
        files, log = _contents(Path(name))
        return [
            _measure(share, Path(name), files, "", PROMISE.format("in any table"), FILE_NOTE),
            _measure(share, Path(name), log, "-wal", PROMISE.format("in the write-ahead log"), LOG_NOTE),
        ]


def _contents(folder: Path) -> tuple[_Files, _Files]:
    """The files of a store after it was closed, and before, by the ends of their names."""
    path = folder / "some.db"
    with EventStore.open(path) as store:
        fill(store)
        before = {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")}
    return {"": path.read_bytes()}, before


def _measure(budget: Budget, folder: Path, files: _Files, damaged: str, promise: str, note: str) -> Record:
    bits, counts = np.random.default_rng(1), Counter[str]()
    expected = _use(folder, files)[0]
    for _ in budget.rounds():
        for bit in bits.integers(8 * len(files[damaged]), size=_FLIPS_PER_ROUND).tolist():
            counts[_outcome(folder, files | {damaged: flip(files[damaged], bit)}, expected)] += 1
    figure = (
        f"{counts.total():,} flips: {counts['refused']:,} refused in part or as a whole, {counts['unchanged']:,} read "
        f"without a difference, {counts['changed']:,} read with other content"
    )
    return Record(promise, figure, counts["traceback"], note)


def _outcome(folder: Path, files: _Files, expected: list[str]) -> str:
    found, errors = _use(folder, files)
    if any(not isinstance(error, tlogic.TLogicError) for error in errors):
        return "traceback"
    return "refused" if errors else "unchanged" if found == expected else "changed"


def _use(folder: Path, files: _Files) -> tuple[list[str], list[Exception]]:
    """What all ways of reading find in a store, and the errors of reading and writing."""
    path = folder / "used.db"
    for old in folder.glob("used.db*"):
        old.unlink()
    for end, content in files.items():
        Path(f"{path}{end}").write_bytes(content)
    try:
        with EventStore.open(path) as store:
            found, errors = read_all(store)
            return [str(each) for each in found], [*errors, *write_all(store)]
    except Exception as error:
        return [], [error]
