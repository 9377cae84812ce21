"""Dates as people write them: understood where they can mean one thing only, refused otherwise."""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlogic.errors import InputError
from tlogic.events import EventTable, Timeline, read_events
from tlogic.events.time_parsing import parse_times


def read(times: Sequence[object], skip_bad_rows: bool = False) -> EventTable:
    names = {role: ["x"] * len(times) for role in ("subject", "relation", "object")}
    return read_events(pl.DataFrame({**names, "time": times}), skip_bad_rows=skip_bad_rows)


def refusal(times: Sequence[object]) -> str:
    with pytest.raises(InputError) as caught:
        read(times)
    return str(caught.value)


@pytest.mark.parametrize(
    ("times", "origin", "steps"),
    [
        (["31/12/2014", "01/01/2015"], "2014-12-31", [0, 1]),
        (["12/31/2014", "01/02/2015"], "2014-12-31", [0, 2]),
        (["2014/12/31", "2015/01/02"], "2014-12-31", [0, 2]),
        (["2014.12.31", "2015.1.2"], "2014-12-31", [0, 2]),
        (["31.12.2014", "01.02.2015"], "2014-12-31", [0, 32]),
        (["05.06.2014", "07.06.2014"], "2014-06-05", [0, 2]),
        (["31-12-2014", "2-1-2015"], "2014-12-31", [0, 2]),
        (["1/1/2015", "1/31/2015"], "2015-01-01", [0, 30]),
        ([" 31/12/2014 ", None, "01/01/2015"], "2014-12-31", [0, 1]),
        (["20141231", "20150101"], "2014-12-31", [0, 1]),
        (["2014-12-31", "2015-1-2"], "2014-12-31", [0, 2]),
        (["31/12/2014", "30/12/2014", "2015-01-01"], "2014-12-30", [1, 0, 2]),
    ],
)
def test_days_in_every_order(times: list[str], origin: str, steps: list[int]) -> None:
    table = read(times, skip_bad_rows=True)
    assert table.timeline == Timeline("day", 1, origin)
    assert table.frame["step"].to_list() == steps


@pytest.mark.parametrize(
    ("times", "origin"),
    [
        (["31/12/2014 13:05", "01/01/2015 9:05"], "2014-12-31 13:05"),
        (["12/31/2014 13:05:00", "1/1/2015 9:05:00"], "2014-12-31 13:05"),
        (["2014/12/31 13:05Z", "2015/01/01T09:05+00:00"], "2014-12-31 13:05"),
        (["2014-12-31T15:05:00+02:00", "2015-01-01T09:05:00Z"], "2014-12-31 13:05"),
        (["31.12.2014 13:05 +0000", "01.01.2015 09:05"], "2014-12-31 13:05"),
    ],
)
def test_clocks_behind_days(times: list[str], origin: str) -> None:
    table = read(times)
    assert table.timeline == Timeline("minute", 5, origin)
    assert table.frame["step"].to_list() == [0, 240]


MIDNIGHTS = ["2024-03-30T00:00+01:00", "2024-03-31T00:00:00+0100", "2024-04-01T00:00:00.5+02"]
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    "times",
    [
        pl.Series(MIDNIGHTS),
        pl.Series(["2024-03-29 23:00Z", "2024-03-30 23:00 z", "2024-03-31T22:00Z"]),
        pl.Series(["2024-03-30 00:00", "2024-03-31 00:00 +0100", "2024-04-01 00:00"]),
        pl.Series(["30.03.2024 00:00+01:00", "31.03.2024 00:00", "01.04.2024 01:00+03:00"]),
        pl.Series([datetime(2024, 3, 30), datetime(2024, 3, 31), datetime(2024, 4, 1)]).dt.replace_time_zone(BERLIN),
    ],
)
def test_zoned_times_are_those_of_the_given_clock(times: pl.Series, tmp_path: Path) -> None:
    frame = pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": times})
    frame.write_parquet(tmp_path / "facts.parquet")
    for source in (frame, frame.to_pandas(), tmp_path / "facts.parquet"):
        table = read_events(source, time_zone=BERLIN)
        assert table.timeline == Timeline("day", 1, "2024-03-30", BERLIN)
        assert table.frame["step"].to_list() == [0, 1, 2]
        assert "date-times with zones are converted to Europe/Berlin (" in str(table.report)
        assert "date-times with zones are converted to UTC (" in str(read_events(source).report)
    assert read_events(frame).timeline.unit == "hour"


@pytest.mark.parametrize("times", [["2024-03-30 00:00"], ["2024-03-30"], [date(2024, 3, 30)], [datetime(2024, 3, 30)]])
def test_times_without_a_zone_are_taken_as_they_are(times: list[object]) -> None:
    frame = pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": times})
    table = read_events(frame, time_zone=BERLIN)
    assert table.timeline.origin.startswith("2024-03-30")
    assert "zones" not in str(table.report)


def test_files_of_different_zones_make_one_table(tmp_path: Path) -> None:
    names = {"subject": "a", "relation": "r", "object": "b"}
    for split, day, zone in (("train", 30, BERLIN), ("valid", 31, "Asia/Kolkata")):
        time = pl.Series([datetime(2024, 3, day)]).dt.replace_time_zone(BERLIN).dt.convert_time_zone(zone)
        pl.DataFrame({**names, "time": time}).write_parquet(tmp_path / f"{split}.parquet")
    assert read_events(tmp_path, time_zone=BERLIN).frame["step"].to_list() == [0, 1]


def test_periods_begin_on_the_given_clock() -> None:
    frame = pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": MIDNIGHTS})
    assert read_events(frame, time_zone=BERLIN, test_from=MIDNIGHTS[1]).test_from == 1


@pytest.mark.parametrize(("zone", "hint"), [("Europe/Berln", "; did you mean 'Europe/Berlin'"), ("", "."), ("?", ".")])
def test_an_unknown_zone_is_refused(zone: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_events(pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": [1]}), time_zone=zone)
    assert str(caught.value).startswith(f"Unknown time zone {zone!r}{hint}")
    assert "Expected a name such as Europe/Berlin" in str(caught.value)


def test_seconds_since_1970_are_integers_that_a_step_can_cut() -> None:
    assert read([1419984000, 1419987600]).timeline == Timeline("integer", 3600, "1419984000")
    frame = pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": [1419984001, 1420070399, 1420070400]})
    assert read_events(frame, step=86400).frame["step"].to_list() == [0, 0, 1]
    with pytest.raises(InputError, match="If they are seconds since 1970, a day is 86400"):
        read_events(frame, step="1d")


HINT = "Dates such as 31/12/2014 or 12/31/2014 can be read only if exactly one order"


@pytest.mark.parametrize("times", [["05/06/2014", "07/06/2014"], ["5-6-2014"], ["31/12/2014", "12/31/2014"]])
def test_an_order_that_is_not_clear_is_refused(times: list[str]) -> None:
    message = refusal(times)
    assert message.startswith(f"{len(times)} of {len(times)} rows cannot be used:")
    assert f"data frame row 1: the time {times[0]!r} is not understood" in message
    assert HINT in message


@pytest.mark.parametrize("bad", ["31/02/2014", "32/12/2014", "31/13/2014", "31/12/14", "31/12/2014 25:00", "31/12"])
def test_a_mistyped_day_is_a_bad_row_among_others(bad: str) -> None:
    message = refusal(["30/12/2014", "31/12/2014", bad])
    assert f"1 of 3 rows cannot be used:\ndata frame row 3: the time {bad!r} is not understood" in message
    assert "Expected a date such as 2014-08-09" in message


@pytest.mark.parametrize("time", ["9999-12-31", "31/12/9999", date(9999, 12, 31), "0000-01-01"])
def test_a_year_that_stands_for_no_date_is_a_bad_row_with_advice(time: object) -> None:
    others = [date(2014, 8, day) if isinstance(time, date) else f"2014-08-{day}" for day in (20, 21, 22)]
    if time == "31/12/9999":
        others = ["20/08/2014", "21/08/2014", "22/08/2014"]
    facts = pl.DataFrame({"subject": "a", "relation": "r", "object": "b", "time": [*others, time]})
    with pytest.raises(InputError, match="years 0000 and 9999 stand for no date"):
        read_events(facts)
    assert read_events(facts, skip_bad_rows=True).frame["step"].max() == 2


def test_an_offset_that_no_zone_has_is_not_understood() -> None:
    parsed = parse_times(pl.Series(["2014-08-09T10:00+99:99", "2014-08-09T10:00+15:00", "2014-08-09T10:00+13:45"]))
    assert parsed["timestamp"].is_null().to_list() == [True, True, False]


@pytest.mark.parametrize(
    "time", ["31 Dec 2014", "Dec 31, 2014", "31/12/14", "noon", "2014-W01", "12:30", "2014-12-31 1pm"]
)
def test_what_is_not_understood_says_what_is_expected(time: str) -> None:
    message = refusal([time])
    assert f"the time {time!r} is not understood" in message
    assert "Expected a date such as 2014-08-09, 20140809, 2014-08 or 2014, a date and time such as" in message


SPELLINGS = ["{2:02}/{1:02}/{0}", "{1}/{2}/{0}", "{0}/{1:02}/{2:02}", "{2}.{1}.{0}", "{1:02}-{2:02}-{0}"]


@given(st.lists(st.dates(date(1000, 1, 1), date(2999, 12, 31)), min_size=1), st.sampled_from(SPELLINGS))
def test_an_order_is_found_wherever_one_day_tells_it(times: list[date], spelling: str) -> None:
    times.append(times[0].replace(day=15))
    written = [spelling.format(time.year, time.month, time.day) for time in times]
    frame = pl.DataFrame({"subject": "x", "relation": "x", "object": "x", "time": written})
    table = read_events(frame, step="1d")
    assert table.timeline.labels_of(table.frame["step"]).tolist() == [time.isoformat() for time in times]
