"""The reproduction report: every section on the sample world, and the results on ICEWS14 against the published ones."""

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tlogic
from tests.datasets import Datasets
from tlogic.analysis.reports.section import OPTIMISTIC, PUBLISHED, REALISTIC, Section
from tlogic.analysis.trials import Trial
from tlogic.errors import SettingsError
from tlogic.reproduction import reproduce
from tlogic.reproduction.appendix import MRR_TOLERANCE
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_process import measure
from tlogic.reproduction.paper_sections import SECTIONS


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tlogic.events.sample.simulation import write_sample

    folder = tmp_path_factory.mktemp("world")
    write_sample(folder, days=90)
    return folder


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def sections(world: Path, out: Path) -> list[Section]:
    with pytest.MonkeyPatch.context() as patch:  # without child processes, which tests of models cover
        patch.setattr("tlogic.reproduction.experiment_runner.measure_in_process", measure)
        return reproduce(out, on=str(world), models=["scorecard"])  # boosted trees take longer than all other sections


def test_every_section_runs_on_other_data(sections: list[Section], out: Path) -> None:
    assert [section.name for section in sections] == list(SECTIONS)
    for section in sections:
        assert section.rows
        assert not any(PUBLISHED in row.values for row in section.rows)  # they hold for the paper's data only
        table = list(csv.reader((out / f"{section.name}.csv").open(encoding="utf-8")))
        assert len(table) == 1 + sum(len(list(row.lines())) for row in section.rows)
        for chart in section.charts:
            assert (out / "figures" / f"{chart.name}.svg").stat().st_size > 1000
            assert (out / "figures" / f"{chart.name}.png").read_bytes().startswith(b"\x89PNG")


class Page(HTMLParser):
    """The links and anchors of a page, and its unclosed tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in ("meta", "br", "img", "use", "path", "rect"):
            self.open.append(tag)
        self.ids |= {str(given["id"])} if "id" in given else set()
        self.links += [str(given["href"])] if tag == "a" else []
        self.outside += [str(given[name]) for name in ("src", "href") if str(given.get(name, "")).startswith("http")]

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def test_the_report_is_one_self_contained_page(sections: list[Section], out: Path) -> None:
    page = Page((out / "report.html").read_text(encoding="utf-8"))
    assert page.open == []
    assert page.outside == []
    assert {link.removeprefix("#") for link in page.links} == {section.name for section in sections}
    assert {link.removeprefix("#") for link in page.links} <= page.ids
    markdown = (out / "report.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\(figures/([^).]+)\.\w+\)", markdown)
    assert sorted(pictures) == sorted(chart.name for section in sections for chart in section.charts)
    assert pictures


def test_metrics_equal_those_of_evaluate(sections: list[Section], world: Path) -> None:
    graph = tlogic.read(world)
    [main] = [section for section in sections if section.name == "main"]
    metrics = tlogic.evaluate(graph, tlogic.learn(graph), window=200).to_dict()
    row = next(row for row in main.rows if row.label == ("icews18", "TLogic"))
    assert row.values == {OPTIMISTIC: metrics["optimistic"], REALISTIC: metrics["realistic"]}


def test_cached_results_are_not_computed_again(
    sections: list[Section], world: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("evaluate", "evaluate_many"):
        monkeypatch.setattr(f"tlogic.analysis.trials.{name}", lambda *_, **__: pytest.fail("evaluated again"))
    again = reproduce(out, ["walks", "windows"], on=str(world))
    assert again == [section for section in sections if section.name in ("walks", "windows")]


def test_an_incomplete_result_is_computed_again(world: Path, tmp_path: Path) -> None:
    first = reproduce(tmp_path, ["lengths"], on=str(world))
    results = tmp_path / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-20])
    assert reproduce(tmp_path, ["lengths"], on=str(world)) == first
    assert results.read_bytes().endswith(b"\n")


def test_shared_evaluation_equals_separate_evaluations(world: Path, tmp_path: Path) -> None:
    some = [Trial("data", application=tlogic.ApplicationSettings(alpha=alpha / 10)) for alpha in range(8)]
    together = ExperimentRunner(tmp_path / "a", {"data": world}).evaluate(some)
    alone = ExperimentRunner(tmp_path / "b", {"data": world})
    for trial, metrics in zip(some, together, strict=True):
        assert alone.evaluate([trial])[0]["realistic"] == metrics["realistic"]


def test_unknown_sections_and_foreign_files_raise(tmp_path: Path) -> None:
    with pytest.raises(tlogic.SettingsError, match="did you mean 'windows'"):
        reproduce(tmp_path, ["window"])
    (tmp_path / "results.jsonl").write_text("my notes\n")
    with pytest.raises(tlogic.InputError, match="line 1 is not a cached result"):
        reproduce(tmp_path, ["lengths"])


def test_icews14_results_match_the_paper(dataset: Datasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The MRR with optimistic ties is close to the published one, or a remark explains the difference."""
    monkeypatch.setenv("TLOGIC_DATA", str(dataset("icews14").parent))
    found = reproduce(tmp_path, ["examples", "walks", "lengths", "scores", "counts", "seeds", "times"])
    compared = 0
    for section in found:
        for row in section.rows:
            if OPTIMISTIC in row.values and PUBLISHED in row.values:
                difference = row.values[OPTIMISTIC]["mrr"] - row.values[PUBLISHED]["mrr"]  # type: ignore[operator]
                explained = any(" ".join(row.label) in remark for remark in section.remarks)
                assert abs(difference) <= MRR_TOLERANCE or explained, (section.name, row.label, difference)
                compared += 1
    assert compared == 10 + 4 + 3 + 1
    seeds = next(section for section in found if section.name == "seeds")
    *by_seed, deviation = (float(str(row.values[OPTIMISTIC]["mrr"])) for row in seeds.rows)
    assert deviation <= 0.002
    assert sum(by_seed) / len(by_seed) == pytest.approx(0.4373, abs=0.006)
    examples = next(section for section in found if section.name == "examples")
    assert "rank 1 of" in examples.remarks[0]
    assert examples.rows[3].values["ours"]["walk"] == examples.rows[3].values[PUBLISHED]["walk"]


def test_icews14_windows_match_the_paper_in_one_pass(
    dataset: Datasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tlogic.reproduction.published_results import TIME_WINDOWS

    runner = ExperimentRunner(tmp_path, {"icews14": dataset("icews14")})
    monkeypatch.setattr("tlogic.analysis.trials.evaluate", lambda *_, **__: pytest.fail("not in one pass"))
    trials = [
        Trial("icews14", application=tlogic.ApplicationSettings(window=window), split="valid")
        for window in TIME_WINDOWS
    ]
    for metrics, (window, published) in zip(runner.evaluate(trials), TIME_WINDOWS.items(), strict=True):
        assert metrics["optimistic"]["mrr"] == pytest.approx(published[0], abs=MRR_TOLERANCE), window


def test_a_missing_library_is_noticed_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise SettingsError("Boosted models need LightGBM: install tlogic[boosted].")

    monkeypatch.setattr("tlogic.reproduction.paper_report.lightgbm", missing)
    ran: list[object] = []

    def section(runner: ExperimentRunner) -> Section:
        ran.append(runner)
        return Section("a", "A", "", (), (), ())

    for name in ("walks", "models"):
        monkeypatch.setitem(SECTIONS, name, section)
    said: list[str] = []
    with pytest.raises(SettingsError, match="LightGBM"):
        reproduce(tmp_path, ["walks", "models"], on=tlogic.sample(days=60), models=["boosted"])
    assert not ran
    reproduce(tmp_path, ["walks", "models"], on=tlogic.sample(days=60), announce=said.append)
    note = "Boosted models are left out. Boosted models need LightGBM: install tlogic[boosted]."
    assert said == [note, "walks", "models"]
    assert "Boosted models are left out" in (tmp_path / "report.html").read_text("utf-8")
    said.clear()
    reproduce(tmp_path, ["walks"], on=tlogic.sample(days=60), announce=said.append)
    assert said == ["walks"]
