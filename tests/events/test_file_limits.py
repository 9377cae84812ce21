"""Files that would fill the memory or take hours are refused before they are read."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from tlogic.errors import InputError
from tlogic.events import read_events
from tlogic.events.sources import file_limits

HEADER = "subject,relation,object,date\n"
ROWS = "a,r,b,2030-01-01\nb,r,a,2030-01-02\n"


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_limits, "_MIN_REFUSED_BYTES", 1 << 20)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress((HEADER + ROWS * 200_000).encode()))
    with pytest.raises(InputError, match=r"bomb.csv.gz expands to more than .* over 100 times its size"):
        read_events(path)


def test_a_zstandard_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.csv.zst"
    frame = pl.DataFrame({name: ["a" * 50] * 200_000 for name in ("subject", "relation", "object", "date")})
    frame.write_csv(path, compression="zstd", check_extension=False)
    expanded = 200_000 * 4 * 51
    assert 0.9 * expanded < file_limits._max_zstd_content_bytes(path) < 1.1 * expanded + (128 << 10)
    monkeypatch.setattr(file_limits, "_MIN_REFUSED_BYTES", 1 << 20)
    with pytest.raises(InputError, match=r"bomb.csv.zst expands to more than"):
        read_events(path)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_an_endless_line_is_refused(tmp_path: Path, suffix: str, quote: str) -> None:
    text = f"{HEADER}{ROWS}{quote}{'x' * 3_000_000}{quote},r,b,2030-01-03\n{ROWS}".encode()
    path = tmp_path / f"long{suffix}"
    path.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    with pytest.raises(InputError, match="has a line of more than 1 MB after line 3; expected one fact per line"):
        read_events(path)


def test_a_very_long_name_makes_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"{HEADER}{ROWS}{'x' * 20_000},r,b,2030-01-03\n{'x' * 10_000},r,b,2030-01-03\n")
    with pytest.raises(InputError, match=r"line 4: the subject has 20,000 characters, and names have at most 10,000"):
        read_events(path)
    assert read_events(path, skip_bad_rows=True).frame.height == 3


def test_damaged_compressed_files_are_left_to_their_reader(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress((HEADER + ROWS * 1000).encode())[:-30])
    with pytest.raises(InputError, match=r"cannot be read|is not a .gz file"):
        read_events(path)
