"""Tests that need more than every machine has carry a marker, and name what is missing."""

from pathlib import Path

import pytest

from tests import datasets
from tests.conftest import MARKERS


def test_tests_carry_the_markers_of_what_they_use(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        for fixture in MARKERS.keys() & set(getattr(item, "fixturenames", ())):
            assert item.get_closest_marker(MARKERS[fixture]), f"{item.nodeid} uses {fixture}"


def test_only_the_fixture_finds_the_data() -> None:
    """A test that looked for the data in another way would have no marker."""
    folder = Path(__file__).parent
    for path in folder.rglob("*.py"):
        if path not in (folder / "datasets.py", Path(__file__)):
            assert '"shared"' not in path.read_text("utf-8"), f"{path} must use the fixture `dataset`"


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_missing_data_skips_a_test_but_fails_in_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(datasets, "FOLDER", tmp_path)
    with pytest.raises(outcome, match=r"benchmark data is missing: .*icews14 does not exist; set TLOGIC_DATA"):
        datasets.find_dataset("icews14")
