"""The page docs/reliability.md."""

from collections.abc import Sequence

from benchmarks.soak.record import Record

_HEAD = """\
# Reliability

What tlogic promises, and how often each promise held in a test. `make soak MINUTES=60` repeats the tests for as long
as you like and writes this page again; the tests of the project run a short form. This run took {minutes:.0f} minutes
on {machine}.

| promise | what was done | broken |
|---|---|---|
"""


def as_page(records: Sequence[Record], minutes: float, machine: str) -> str:
    """The text of the page.

    >>> print(as_page([Record("It works.", "3 tries", 0)], 1.2, "Linux").splitlines()[-1])
    | It works. | 3 tries | 0 |
    """
    rows = [
        f"| {each.promise} | {each.figure}{each.note and f'. {each.note}'} | {_failures(each)} |\n" for each in records
    ]
    return _HEAD.format(minutes=minutes, machine=machine) + "".join(rows)


def _failures(record: Record) -> str:
    return "–" if record.figure == "not measured" else f"{record.failures:,}"
