"""Commands notice missing packages before they read or compute anything."""

import sys
from pathlib import Path

import pytest

import tlogic
from tests.cli.running import assert_refused, run
from tlogic.analysis.reports.section import Section
from tlogic.models import boosting
from tlogic.reproduction.paper_sections import SECTIONS

NO_DATA = "no-such-data"  # reading it would fail with another message


@pytest.mark.parametrize(
    ("missing", "arguments", "extra"),
    [
        ("lightgbm", ["fit", NO_DATA, "--model", "boosted", "--out", "x.model"], "tlogic[boosted]"),
        ("matplotlib", ["plot", "rules", NO_DATA, "--out", "x.svg"], "tlogic[plots]"),
        ("matplotlib", ["tune", NO_DATA], "tlogic[plots]"),
        ("optuna", ["tune", NO_DATA], "tlogic[tune]"),
        ("ray", ["learn", NO_DATA, "--out", "x.rules", "--cluster", "127.0.0.1:1"], "tlogic[ray]"),
    ],
)
def test_a_missing_package_is_noticed_first(
    missing: str, arguments: list[str], extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name == missing or name.startswith(f"{missing}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert_refused(run(*arguments), extra)
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_cannot_run_is_left_out_with_the_reason(
    world: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.setitem(SECTIONS, "models", lambda _: Section("models", "Models", "", (), (), ()))
    done = run("reproduce", "--on", world, "--only", "models", "--out", tmp_path / "report")
    assert "Boosted models are left out. Boosted models need LightGBM: install tlogic[boosted]." in done.stderr


def test_a_boosted_model_needs_its_package_before_the_events_are_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boosting, "_MIN_TREES", 2)
    graph = tlogic.sample(days=60)
    model = tlogic.fit(graph, model="boosted", evidence=["popularity"])

    def too_late(*_: object) -> None:
        raise AssertionError("events were learned first")

    monkeypatch.setattr("tlogic.models.model_forecaster.evidence_of", too_late)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(tlogic.SettingsError, match=r"install tlogic\[boosted\]"):
        tlogic.evaluate(graph, model)
