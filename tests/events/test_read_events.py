"""Facts are read from files and frames of many kinds."""

import gzip
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tlogic.events import EventTable, Timeline, read_events

FACTS = [
    ("Ann", "calls", "Bob", "2014-08-09"),
    ("Bob", "says \"no\", or 'yes'", "Ann, the first", "2014-08-11"),
    ("Ann", "calls", "Bob", "2014-08-09"),
    ("Zoë", "meets", "Ann", "2014-08-10"),
]
STEPS = [0, 2, 0, 1]
HEADERS = [
    "subject relation object time",
    "Head PREDICATE tail date",
    "src type dst timestamp",
    "actor_1 event actor_2 day",
    "Source_Name Event_Text Target_Name Event_Date",
    "Actor_Name Event_Type Recipient_Name Event_Date",
    "Actor1Name EventCode Actor2Name SQLDATE",
    "Actor1Name EventCode Actor2Name DATEADDED",
]


def frame(header: str = "subject relation object time") -> pl.DataFrame:
    names = [name.replace("_", " ") for name in header.split()]
    return pl.DataFrame(FACTS, schema=names, orient="row")


def tabs(facts: Sequence[tuple[str, ...]] = FACTS) -> str:
    return "".join("\t".join(fact) + "\n" for fact in facts)


def rows(table: EventTable) -> list[tuple[Any, ...]]:
    return table.frame.rows()


def expected() -> list[tuple[Any, ...]]:
    return [(*fact[:3], step) for fact, step in zip(FACTS, STEPS, strict=True)]


def write_semicolons(path: Path) -> None:
    frame("subject relation object time").write_csv(path, separator=";")


def write_zst(path: Path) -> None:
    frame().lazy().sink_csv(path, compression="zstd")


WRITERS: dict[str, Callable[[Path], Any]] = {
    "facts.txt": lambda path: path.write_text(tabs(), encoding="utf-8"),
    "facts.TSV": lambda path: path.write_text(tabs(), encoding="utf-8"),
    "facts.txt.gz": lambda path: path.write_bytes(gzip.compress(tabs().encode())),
    "facts.csv": lambda path: frame().write_csv(path, include_header=False),
    "facts[1].csv": lambda path: frame().write_csv(path),
    "semicolons.csv": write_semicolons,
    "tabs.csv": lambda path: frame().write_csv(path, separator="\t", include_header=False),
    "bars.CSV": lambda path: frame().write_csv(path, separator="|", quote_style="always"),
    "semicolons.csv.gz": lambda path: path.write_bytes(gzip.compress(frame().write_csv(separator=";").encode())),
    "facts.csv.zst": write_zst,
    "facts.parquet": lambda path: frame().write_parquet(path),
    "facts.arrow": lambda path: frame().write_ipc(path),
    "facts.ipc": lambda path: frame().write_ipc(path),
    "facts.feather": lambda path: frame().write_ipc(path, compression="lz4"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_facts(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    table = read_events(tmp_path / name)
    assert rows(table) == expected()
    assert table.frame.schema == {
        "subject": pl.String,
        "relation": pl.String,
        "object": pl.String,
        "step": pl.Int64,
    }
    assert table.timeline == Timeline("day", 1, "2014-08-09")
    assert (table.valid_from, table.test_from) == (None, None)
    assert read_events(str(tmp_path / name)).frame.equals(table.frame)


@pytest.mark.parametrize("header", HEADERS)
def test_columns_are_known_by_many_names(header: str, tmp_path: Path) -> None:
    shuffled = frame(header).select(pl.all().reverse()).with_columns(extra=pl.lit("x"))
    shuffled = shuffled.select(reversed(shuffled.columns))
    shuffled.write_csv(tmp_path / "facts.csv")
    for source in (tmp_path / "facts.csv", shuffled):
        assert rows(read_events(source)) == expected()[::-1]


def test_the_actor_of_polecat_is_not_its_source() -> None:
    polecat = frame("Actor_Name Event_Type Recipient_Name Event_Date").with_columns(Source=pl.lit("The Times"))
    assert rows(read_events(polecat)) == expected()


def test_the_day_of_gdelt_is_not_its_year() -> None:
    gdelt = frame("Actor1Name EventCode Actor2Name Day").with_columns(
        Year=pl.lit(2014),
        DATEADDED=pl.lit(20140901),
        Day=pl.col("Day").str.replace_all("-", "").cast(pl.Int64),
    )
    assert rows(read_events(gdelt)) == expected()


@pytest.mark.parametrize(
    "columns",
    [
        ["who", "does", "whom", "when"],
        {"subject": "who", "relation": "does", "object": "whom", "time": "when"},
        [0, 1, 2, "when"],
        {"subject": "who", "relation": 1, "object": "whom", "time": 3},
    ],
)
def test_columns_can_be_given(columns: Any, tmp_path: Path) -> None:
    frame("who does whom when").write_csv(tmp_path / "facts.csv")
    frame("who does whom when").write_parquet(tmp_path / "facts.parquet")
    for name in ("facts.csv", "facts.parquet"):
        table = read_events(tmp_path / name, columns=columns)
        assert rows(table) == expected()
        assert table.report.files[0].header == ("who", "does", "whom", "when")


def test_one_column_can_be_given_beside_known_ones() -> None:
    assert rows(read_events(frame("subject relation object when"), columns={"time": "when"})) == expected()


def test_positions_can_be_given_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "facts.tsv").write_text(tabs([(*fact[::-1], "x") for fact in FACTS]), encoding="utf-8")
    assert rows(read_events(tmp_path / "facts.tsv", columns=[3, 2, 1, 0])) == expected()


def test_lines_may_be_blank_or_longer_and_end_as_on_windows(tmp_path: Path) -> None:
    text = "\ufeff\r\n" + tabs().replace("\n", "\tmore\teven more\r\n\r\n")
    (tmp_path / "facts.txt").write_text(text, encoding="utf-8", newline="")
    assert rows(read_events(tmp_path / "facts.txt")) == expected()


def test_a_mark_before_the_header_is_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("\ufeffsubject,relation,object,year\r\na,r,b,2014\r\n", encoding="utf-8")
    assert rows(read_events(tmp_path / "facts.csv")) == [("a", "r", "b", 0)]


def test_cells_of_csv_may_span_lines(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text('a,"r\n\n""x""",b,5\nc,r,d,6\n')
    assert rows(read_events(tmp_path / "facts.csv")) == [("a", 'r\n\n"x"', "b", 0), ("c", "r", "d", 1)]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("a,r,b,5\n", "CSV"),
        ("a;r;b;5\n", "CSV with semicolons"),
        ("a, b;r, s;c;5\n", "CSV with semicolons"),
        ('"a,,,,,,";r;"b|;;""""x";5\n', "CSV with semicolons"),
        ('a\tr\tb\t"5"\n', "CSV with tabs"),
        ("a|r|b|5\n", "CSV with bars"),
        ("a;b;c,r,b,5\n", "CSV"),
        ("\n\r\na|r|b|5\n", "CSV with bars"),
        ('"a\n,,,,\n\nb";r;b;5\n', "CSV with semicolons"),
    ],
)
def test_the_separator_of_csv_is_found(text: str, format: str, tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text(text, newline="")
    assert (
        read_events(tmp_path / "facts.csv", columns=[0, 1, 2, 3], skip_bad_rows=True).report.files[0].format == format
    )


def test_blanks_around_names_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text(
        "subject, relation , object,time\nAlice,calls,Bob,1\n Alice,calls ,\u00a0Bob\t, 1\n"
    )
    table = read_events(tmp_path / "facts.csv")
    assert rows(table) == rows(read_events(pl.read_csv(tmp_path / "facts.csv"))) == [("Alice", "calls", "Bob", 0)] * 2
    assert table.report.files[0].header == ("subject", "relation", "object", "time")


names = st.text(st.characters(exclude_characters="\t\r\n\x1f", exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda name: bool(name.strip())
)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(names, names, names, st.integers(0, 99)), min_size=1))
def test_any_name_survives_tabs_and_csv(tmp_path_factory: pytest.TempPathFactory, facts: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("names")
    table = pl.DataFrame(facts, schema=["subject", "relation", "object", "time"], orient="row")
    table.write_csv(folder / "facts.csv")
    text = "".join("\t".join(map(str, fact)) + "\n" for fact in [("subject", "relation", "object", "time"), *facts])
    (folder / "facts.tsv").write_text(text, encoding="utf-8", newline="")
    for name in ("facts.csv", "facts.tsv"):
        assert [row[:3] for row in rows(read_events(folder / name))] == [
            tuple(name.strip() for name in fact[:3]) for fact in facts
        ]


TIMES = [date(2014, 8, 9), date(2014, 8, 11), date(2014, 8, 9), date(2014, 8, 10)]


@pytest.mark.parametrize(
    "times",
    [
        pl.Series(TIMES),
        pl.Series(TIMES).cast(pl.Datetime("ms")),
        pl.Series(TIMES).cast(pl.Datetime("ns")),
        pl.Series([datetime(time.year, time.month, time.day, tzinfo=UTC) for time in TIMES]),
        pl.Series(TIMES).cast(pl.Datetime).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        pl.Series([20140809, 20140811, 20140809, 20140810], dtype=pl.UInt32),
        pl.Series(["2014-08-09", "2014-08-11", "2014-08-09", "2014-08-10"], dtype=pl.Categorical),
    ],
    ids=lambda times: str(times.dtype),
)
def test_times_of_all_types_are_read(times: pl.Series, tmp_path: Path) -> None:
    typed = frame().with_columns(time=times)
    assert rows(read_events(typed)) == rows(read_events(typed.lazy())) == expected()
    typed.write_parquet(tmp_path / "facts.parquet")
    assert rows(read_events(tmp_path / "facts.parquet")) == expected()


def test_integers_and_categories_are_names() -> None:
    typed = frame().with_columns(
        pl.Series("subject", [1, 2, 1, 3]), pl.col("relation").cast(pl.Categorical), pl.lit(7).alias("object")
    )
    assert rows(read_events(typed))[1] == ("2", FACTS[1][1], "7", 2)


class ForeignFrame:
    """What pyarrow tables and pandas data frames look like: they offer an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return frame().__arrow_c_stream__(requested_schema)


def test_frames_of_other_libraries_come_through_arrow() -> None:
    table = read_events(ForeignFrame())
    assert rows(table) == expected()
    assert table.report.files[0].name == "data frame"


def write_splits(folder: Path, **times: str) -> Path:
    for split, years in times.items():
        facts = [("a", "r", "b", year) for year in years.split()]
        (folder / f"{split}.txt").write_text(tabs(facts))
    return folder


@pytest.mark.parametrize(
    ("splits", "starts"),
    [
        ({"train": "2001 2003"}, (None, None)),
        ({"train": "2001 2003", "valid": "2005 2004", "test": "2009"}, (3, 8)),
        ({"train": "2001 2003", "valid": "2005 2004"}, (3, 5)),
        ({"train": "2001 2003", "test": "2005 2006"}, (4, 4)),
    ],
)
def test_files_split_the_facts(splits: dict[str, str], starts: tuple[int | None, ...], tmp_path: Path) -> None:
    table = read_events(write_splits(tmp_path, **splits))
    assert (table.valid_from, table.test_from) == starts
    assert table.frame.height == len(" ".join(splits.values()).split())
    assert [Path(file.name).name for file in table.report.files] == [f"{split}.txt" for split in splits]


def test_files_of_different_kinds_make_one_table(tmp_path: Path) -> None:
    frame().write_csv(tmp_path / "train.csv")
    frame().with_columns(time=date(2014, 9, 1)).write_parquet(tmp_path / "valid.parquet")
    frame().with_columns(time=datetime(2014, 9, 2)).write_ipc(tmp_path / "test.arrow")
    table = read_events(tmp_path)
    assert (table.valid_from, table.test_from) == (23, 24)
    assert [file.format for file in table.report.files] == ["CSV", "Parquet", "Arrow"]


@pytest.mark.parametrize(
    ("dates", "starts"),
    [
        ({"valid_from": "2003", "test_from": 2005}, (2, 4)),
        ({"valid_from": date(2003, 5, 1)}, (2, 9)),
        ({"test_from": "2004"}, (3, 3)),
        ({"valid_from": "2008", "test_from": "2009"}, None),
    ],
)
def test_times_split_the_facts_whatever_files_they_are_in(
    dates: dict[str, Any], starts: tuple[int, int] | None, tmp_path: Path
) -> None:
    write_splits(tmp_path, train="2001 2003 2004", valid="2002 2009")
    if starts is None:
        with pytest.raises(Exception, match="no facts for validation"):
            read_events(tmp_path, **dates)
    else:
        table = read_events(tmp_path, **dates)
        assert (table.valid_from, table.test_from) == starts


def test_a_dataset_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "towns").mkdir()
    write_splits(tmp_path / "towns", train="2001")
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path))
    assert rows(read_events("towns")) == [("a", "r", "b", 0)]


def write_ids(folder: Path) -> Path:
    (folder / "train.txt").write_text("1\t0\t2\t5\t0\n3\t0\t1\t6\t0\n")
    (folder / "entity2id.txt").write_text("Ann\t1\tborn\t####\nBob\t2\nBob\t3\n\n")
    (folder / "relation2id.txt").write_text("calls\t0\n")
    return folder


def test_ids_become_names_and_stay_distinct(tmp_path: Path) -> None:
    table = read_events(write_ids(tmp_path))
    assert rows(table) == [("Ann", "calls", "Bob (id 2)", 0), ("Bob (id 3)", "calls", "Ann", 1)]
    assert read_events(tmp_path / "train.txt").frame.equals(table.frame)
    (tmp_path / "train.txt").write_text(" 1\t0 \t2\t5\t0\n3\t0\t 1 \t6\t0\n")
    (tmp_path / "entity2id.txt").write_text("Ann\t1\nBob \t 2\nBob\t3\n")
    assert rows(read_events(tmp_path)) == rows(table)


def test_only_text_holds_ids(tmp_path: Path) -> None:
    write_ids(tmp_path)
    (tmp_path / "train.txt").unlink()
    frame().write_parquet(tmp_path / "train.parquet")
    assert rows(read_events(tmp_path)) == expected()
