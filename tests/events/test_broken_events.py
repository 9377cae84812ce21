"""Whatever is wrong with the input, the message says where, what was found, and what to do."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tlogic.errors import InputError
from tlogic.events import read_events

GOOD = "a\tr\tb\t2014-08-09\n"


def refusal(source: object, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_events(source, **options)
    return str(caught.value)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a\tr\tb", "found 3 of 4 columns"),
        ("a\tr\tb\t2014-08-09\tc", "found 5 columns, but line 1 has 4; is a cell with a separator not quoted?"),
        ("a\tr\tb\t2014-08-09\tc\td", "found 6 columns, but line 1 has 4"),
        ("a\tr\t\t2014-08-09", "the object is empty"),
        (" \tr\tb\t2014-08-09", "the subject is empty"),
        ("a\tr\tb\t", "the time is empty"),
        ("a\tr\tb\t13/01/2014", "the time '13/01/2014' is not understood"),
        ("a\tr\tb\t05/06/2014", "the time '05/06/2014' is not understood"),
        ("a\tr\tb\t9 Aug 2014", "the time '9 Aug 2014' is not understood"),
        ("a\tr\tb\t2014-02-30", "the time '2014-02-30' is not understood"),
        ("a\tr\tb\t2014-02-01 25:00", "the time '2014-02-01 25:00' is not understood"),
        ("a\tr\tb\t24", "the time '24' is an integer, but most times are dates"),
        ("a\tr\tb\t2014", "the time '2014' is a year, but most times are dates"),
        ("a\tr\tb\t2014-08", "the time '2014-08' is a month, but most times are dates"),
    ],
)
@pytest.mark.parametrize(("suffix", "header"), [(".txt", 0), (".txt.gz", 1), (".csv", 1), (".csv", 0)])
def test_a_bad_row_is_named_by_its_line(line: str, problem: str, suffix: str, header: int, tmp_path: Path) -> None:
    text = header * "subject\trelation\tobject\ttime\n" + f"{GOOD}{GOOD}\n{line}\n{GOOD}"
    if suffix == ".csv":
        text = text.replace("\t", ",")
    path = write(tmp_path / f"facts{suffix}", gzip.compress(text.encode()) if suffix.endswith(".gz") else text)
    message = refusal(path)
    assert message.startswith(f"1 of 4 rows cannot be used:\n{path} line {header + 4}: {problem}")
    assert message.endswith("skip them with skip_bad_rows=True (--skip-bad-rows).")
    table = read_events(path, skip_bad_rows=True)
    assert table.frame.height == 3
    assert table.report.bad_rows == 1
    assert table.report.bad_row_examples[0].startswith(f"{path} line {header + 4}: {problem}")
    assert len(table.report.bad_row_examples) == 1


def test_most_times_are_integers(tmp_path: Path) -> None:
    message = refusal(write(tmp_path / "facts.txt", "a\tr\tb\t0\na\tr\tb\t24\n" + GOOD))
    assert "line 3: the time '2014-08-09' is a date, but most times are integers" in message


def test_five_bad_rows_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "train.txt", GOOD + "a\n" * 3 + GOOD)
    write(tmp_path / "valid.txt", "b\n" * 4 + "a\tr\tb\t2014-08-10\n")
    message = refusal(tmp_path)
    assert message.startswith("7 of 10 rows cannot be used:")
    assert message.count("found 1 of 4 columns") == 5
    assert "train.txt line 4:" in message
    assert "valid.txt line 2: found 1 of 4 columns,\nand 2 more." in message
    assert "valid.txt line 3" not in message
    report = read_events(tmp_path, skip_bad_rows=True).report
    assert report.bad_rows == 7
    assert len(report.bad_row_examples) == 5
    assert [file.facts for file in report.files] == [2, 1]


def test_a_row_left_out_does_not_set_the_clock(tmp_path: Path) -> None:
    path = write(tmp_path / "facts.txt", "\tr\tb\t2000-01-01\n" + GOOD + GOOD.replace("09", "11"))
    assert read_events(path, skip_bad_rows=True).timeline.origin == "2014-08-09"


def test_lines_are_counted_through_cells_that_span_them(tmp_path: Path) -> None:
    path = write(tmp_path / "facts.csv", 'a,"r\n\nr",b,2014-08-09\n\na,r,b,soon\na,"r\nr",b\n')
    message = refusal(path)
    assert f"{path} line 5: the time 'soon' is not understood\n{path} line 6: found 3 of 4 columns" in message


def test_a_row_of_a_frame_is_named_by_its_number() -> None:
    frame = pl.DataFrame({"subject": ["a", None], "relation": "r", "object": "b", "time": [1, 2]})
    assert "data frame row 2: the subject is empty" in refusal(frame)


def test_no_good_row_is_an_error_in_any_case(tmp_path: Path) -> None:
    path = write(tmp_path / "facts.txt", "a\tr\tb\tsoon\n")
    message = refusal(path, skip_bad_rows=True)
    assert message.startswith("1 of 1 rows cannot be used:")
    assert "skip_bad_rows" not in message


def test_a_file_of_bad_rows_alone_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "train.txt", GOOD)
    path = write(tmp_path / "valid.txt", "a\n")
    assert refusal(tmp_path, skip_bad_rows=True) == f"{path} has no facts."


def test_an_unknown_header_is_hinted_at(tmp_path: Path) -> None:
    message = refusal(write(tmp_path / "facts.txt", "who\tdid\twhom\tweek\n" + GOOD))
    assert "line 1: the time 'week' is not understood" in message
    assert (
        "If the first row is a header, name its columns: who, did, whom, week. "
        "Did you mean columns=['who', 'did', 'whom', 'week'] (--columns who,did,whom,week)?"
    ) in message


@pytest.mark.parametrize(
    ("header", "guess"),
    [
        ("week,who,did,whom", "who,did,whom,week"),
        ("id,subjekt,relatoin,objct,dates", "subjekt,relatoin,objct,dates"),
        ("Company Name,Event Kind,Partner,Reported On", "'Company Name,Event Kind,Partner,Reported On'"),
        ("a,b,c,d", "a,b,c,d"),
        ("from,to,relation,when", "from,relation,to,when"),
    ],
)
def test_the_columns_of_an_unknown_header_are_guessed(header: str, guess: str, tmp_path: Path) -> None:
    row = ",".join("x" * len(header.split(",")))
    assert f"(--columns {guess})?" in refusal(write(tmp_path / "facts.csv", f"{header}\n{row}\n"))


def test_too_few_columns_give_no_guess() -> None:
    frame = pl.DataFrame({"who": ["Ann"], "relation": ["calls"]})
    assert "Did you mean" not in refusal(frame)


def test_empty_cells_at_the_end_of_a_row_are_ignored(tmp_path: Path) -> None:
    assert read_events(write(tmp_path / "facts.txt", f"{GOOD}a\tr\tb\t2014-08-10\t\t\n")).frame.height == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "facts.txt",
            "a,r,b,2014\n",
            "tab-separated text, but line 1 has 0 tabs and 3 commas. Rename the file to end in .csv",
        ),
        (
            "facts.tsv",
            "a;r, or q;b;2014\n",
            "tab-separated text, but line 1 has 0 tabs and 3 semicolons. Rename the file to end in .csv if semicolons",
        ),
        ("facts.csv", "a b c d\n", " line 1: found 1 of 4 columns"),
        ("facts.csv", "a;r;b;2014\na;r;b\n", " line 2: found 3 of 4 columns"),
        ("facts.csv", 'a;r;b;2014\na;"r;b;2014\n', " line 2 has a quote that is not closed"),
        ("facts.txt", "", " is empty."),
        ("facts.csv.gz", "", " is empty."),
        ("facts.txt", "\n\n", " has no facts."),
        ("facts.txt", "subject\trelation\tobject\ttime\n", " has no facts."),
        ("facts.json", "{}", " has an unknown format; its name should end in .txt, .tsv, .csv, .parquet"),
        ("facts", GOOD, " has an unknown format"),
        ("facts.parquet.gz", GOOD, " has an unknown format"),
        ("facts.txt.gz", GOOD, " is not a .gz file; it may be damaged"),
        ("facts.csv.zst", GOOD, " is not a .zst file; it may be damaged"),
        ("facts.parquet", "PAR1 nonsense", " cannot be read (parquet: "),
        ("facts.parquet", "", " cannot be read (parquet: "),
        ("facts.arrow", "nonsense", " cannot be read ("),
        ("facts.csv", 'a,r,b,2014\na,"r,b,2014\na,r,b,2014\n', " line 2 has a quote that is not closed"),
        (
            "facts.csv",
            'a,r,b,2014\na,"r"s,b,2014\n',
            " line 2 has a quote that is not closed, or a quote inside a cell",
        ),
    ],
)
def test_a_file_that_is_not_what_it_seems(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, text)
    found = refusal(path)
    assert str(path) in found
    assert message in found


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_text_must_be_utf_8(compress: Any, tmp_path: Path) -> None:
    suffix = ".txt" if compress is bytes else ".txt.gz"
    path = write(tmp_path / f"facts{suffix}", compress((GOOD + GOOD.replace("b", "é")).encode("latin-1")))
    message = refusal(path)
    assert message.startswith(f"{path} line 2 is not UTF-8 text: 'a\\tr\\t\N{REPLACEMENT CHARACTER}\\t2014")
    assert message.endswith("or convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW.")


@pytest.mark.parametrize("name", ["facts.txt", "facts.csv"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_recognized(encoding: str, name: str, tmp_path: Path) -> None:
    message = refusal(write(tmp_path / name, (GOOD + GOOD).encode(encoding)))
    assert " line 1 is not UTF-8 text: " in message
    assert "Save the file as UTF-8 (CSV UTF-8 in Excel), or convert it: iconv -f UTF-16 -t" in message


def test_a_damaged_gzip_file(tmp_path: Path) -> None:
    whole = gzip.compress("".join(f"a{row}\tr\tb\t{row}\n" for row in range(20_000)).encode())
    for number, content in enumerate([whole[:1000], whole[:1000] + b"\0\0\0" + whole[1003:], whole[:-6] + b"nonono"]):
        path = write(tmp_path / f"facts{number}.txt.gz", content)
        assert refusal(path).startswith(f"{path} cannot be read (")


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"subject": [f"a{row}" for row in range(999)], "relation": "r", "object": "b", "time": 1})
    frame.write_parquet(tmp_path / "whole.parquet")
    path = write(tmp_path / "half.parquet", (tmp_path / "whole.parquet").read_bytes()[:500])
    assert refusal(path).startswith(f"{path} cannot be read (parquet: ")


def test_a_missing_file_or_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TLOGIC_DATA", raising=False)
    message = refusal(tmp_path / "missing.csv")
    assert "There is no file or folder" in message
    assert "set the environment variable TLOGIC_DATA" in message
    (tmp_path / "towns").mkdir()
    (tmp_path / "notes.txt").touch()
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path / "towns")
    assert refusal("cities").endswith("TLOGIC_DATA), which has towns.")
    assert refusal("towns") == (
        f"{tmp_path / 'towns'} has no train file, such as train.txt or train.parquet; its readable files: none."
    )


@pytest.mark.parametrize("root", [None, "."])
def test_a_misspelt_path_is_recognized(root: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TLOGIC_DATA", root) if root else monkeypatch.delenv("TLOGIC_DATA", raising=False)
    (tmp_path / "world").mkdir()
    for name in ("world.rules", "events.csv.gz", "world/train.txt"):
        (tmp_path / name).touch()
    assert "There is no file or folder 'worl'" in refusal("worl")
    assert "; did you mean 'world'?" in refusal("worl")
    assert "; did you mean 'train.txt'?" in refusal(tmp_path / "world" / "tran.txt")
    assert "; did you mean 'events.csv.gz'?" in refusal("event.csv.gz")
    assert "'icews14'" in refusal("icews41")
    assert "did you mean" not in refusal("nowhere/cities")


def test_a_source_of_another_type() -> None:
    assert refusal(42).endswith("a data frame or a dataset of py-tgb, not int.")


class FrameWithoutArrow:
    """What a pandas data frame does where pyarrow is not installed."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise ImportError("No module named 'pyarrow'")


def test_a_data_frame_that_needs_pyarrow() -> None:
    assert "needs pyarrow: No module named 'pyarrow'" in refusal(FrameWithoutArrow())


def test_a_folder_without_train_or_with_two(tmp_path: Path) -> None:
    write(tmp_path / "valid.txt", GOOD)
    assert refusal(tmp_path).endswith("its readable files: valid.txt.")
    write(tmp_path / "train.txt", GOOD)
    write(tmp_path / "train.csv.gz", GOOD)
    assert refusal(tmp_path) == f"{tmp_path} has both train.csv.gz and train.txt; keep one of them."


def test_a_missing_column(tmp_path: Path) -> None:
    path = write(tmp_path / "facts.csv", "subject,predicate,tail,moment\na,r,b,2014\n")
    assert refusal(path) == (
        f"{path} has no column recognised as the time; "
        "its columns are 'subject', 'predicate', 'tail', 'moment'. "
        'Give the column with columns={"time": "NAME"} (--columns time=NAME). '
        "Did you mean columns=['subject', 'predicate', 'tail', 'moment'] (--columns subject,predicate,tail,moment)?"
    )
    assert "has no column 'when' for the time" in refusal(path, columns={"time": "when"})
    frame = pl.read_csv(path)
    assert refusal(frame).startswith("data frame has no column recognised as the time")
    assert "has no column 9 for the time" in refusal(frame, columns={"time": 9})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a", "b", "c"], "must give four columns: subject, relation, object, time"),
        ("time", "must give four columns"),
        ({"head": "a"}, "has the unknown key 'head'; expected subject, relation, object, time"),
        ([0, 1, 2, -1], "must hold names or positions from 0, not -1"),
        ({"time": None}, "must hold names or positions from 0, not None"),
    ],
)
def test_columns_that_are_none(columns: Any, message: str, tmp_path: Path) -> None:
    assert message in refusal(write(tmp_path / "facts.txt", GOOD), columns=columns)


@pytest.mark.parametrize(
    ("role", "values", "message"),
    [
        ("relation", [0.5], "the relation column 'relation' holds Float64; expected names or integer ids"),
        (
            "time",
            [0.5],
            "the time column 'time' holds Float64; expected dates, date-times, integers or strings",
        ),
        ("time", [[1]], "the time column 'time' holds List(Int64)"),
    ],
)
def test_columns_of_the_wrong_type(role: str, values: Sequence[object], message: str) -> None:
    frame = pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": "2014"})
    assert message in refusal(frame.with_columns(pl.Series(role, values)))


def test_a_query_that_fails() -> None:
    assert refusal(pl.scan_parquet("missing.parquet")).startswith("data frame cannot be read (")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train.txt", "1\t0\t2\t5\n1\t0\t9\t5\n", "line 2: the object '9' is not an id in entity2id.txt"),
        ("train.txt", "1\t0\t2\t5\n1\t7\t1\t5\n", "line 2: the relation '7' is not an id in relation2id.txt"),
        ("train.txt", "Ann\t0\t2\t5\n", "line 1: the subject 'Ann' is not an id in entity2id.txt"),
        (
            "entity2id.txt",
            "Ann\t1\n\nBob\t1\n",
            "line 3: the id already has a name on an earlier line; found name 'Bob'",
        ),
        (
            "entity2id.txt",
            "Ann\t1\nBob\n",
            "line 2: expected a name, a tab and an integer id; found name 'Bob' and id None",
        ),
        ("entity2id.txt", "Ann\tone\n", "line 1: expected a name, a tab and an integer id"),
        (
            "relation2id.txt",
            "\t0\n",
            "line 1: expected a name, a tab and an integer id; found name None and id '0'",
        ),
        ("relation2id.txt", "", "is empty"),
    ],
)
def test_ids_that_cannot_be_named(name: str, content: str, message: str, tmp_path: Path) -> None:
    write(tmp_path / "train.txt", "1\t0\t2\t5\n")
    write(tmp_path / "entity2id.txt", "Ann\t1\nBob\t2\n")
    write(tmp_path / "relation2id.txt", "calls\t0\n")
    path = write(tmp_path / name, content)
    assert f"{path} {message}" in refusal(tmp_path)


def test_files_that_overlap_in_time(tmp_path: Path) -> None:
    train = write(tmp_path / "train.txt", "a\tr\tb\t2014-08-12\n" + GOOD)
    valid = write(tmp_path / "valid.txt", "a\tr\tb\t2014-08-13\na\tr\tb\t2014-08-11\n")
    message = refusal(tmp_path)
    assert message.startswith(f"{valid} line 2: its time 2014-08-11 is not after 2014-08-12 of {train} line 1.")
    assert "give valid_from and test_from (--valid-from, --test-from)" in message
    test = write(tmp_path / "test.csv", "subject,relation,object,time\na,r,b,2014-08-13\n")
    write(valid, "a\tr\tb\t2014-08-13\n")
    assert refusal(tmp_path).startswith(
        f"{test} line 2: its time 2014-08-13 is not after 2014-08-13 of {valid} line 1."
    )


def test_files_may_overlap_only_after_binning(tmp_path: Path) -> None:
    write(tmp_path / "train.txt", GOOD)
    write(tmp_path / "valid.txt", "a\tr\tb\t2014-08-10\n")
    assert read_events(tmp_path).valid_from == 1
    assert "its time 2014-08 is not after 2014-08" in refusal(tmp_path, step="1mo")


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        (
            {"valid_from": 20, "test_from": 20},
            "valid_from=20 must be at least one time step before test_from=20.",
        ),
        ({"valid_from": 30, "test_from": 20}, "must be at least one time step before"),
        ({"valid_from": 5}, "There are no facts for training, from 10 to before 0"),
        (
            {"valid_from": 10},
            "There are no facts for training, from 10 to before 10; all facts are between 10 and 50.",
        ),
        ({"valid_from": 30, "test_from": 40}, "There are no facts for validation, from 30 to before 40"),
        ({"test_from": 60}, "There are no facts for test, from 60 to before 60"),
        ({"test_from": "soon"}, "The time 'soon' is not understood; expected a date such as 2014-08-09"),
        ({"test_from": "2014-08-09"}, "The time '2014-08-09' is a date, but an integer is expected here."),
    ],
)
def test_periods_that_cannot_be(dates: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "facts.txt", "a\tr\tb\t10\na\tr\tb\t20\na\tr\tb\t50\n")
    assert message in refusal(path, **dates)
