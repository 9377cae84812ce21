"""The public functions: their signatures, settings, files and results."""

import inspect
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import tlogic
from tlogic.errors import InputError, SettingsError
from tlogic.keywords import Default

QUERY = [("Kite Aviation", "sue")]
SETTINGS = {
    tlogic.learn: tlogic.LearningSettings,
    tlogic.fit: tlogic.FitSettings,
    tlogic.forecast: tlogic.ApplicationSettings,
    tlogic.evaluate: tlogic.ApplicationSettings,
}


@pytest.fixture(scope="module")
def graph() -> tlogic.TemporalGraph:
    return tlogic.sample(days=100)


@pytest.fixture(scope="module")
def rules(graph: tlogic.TemporalGraph) -> tlogic.RuleSet:
    return tlogic.learn(graph, walks=20, lengths=(1,))


@pytest.fixture(scope="module")
def model(graph: tlogic.TemporalGraph) -> tlogic.Model:
    return tlogic.fit(graph)


@pytest.mark.parametrize("function", SETTINGS, ids=lambda function: function.__name__)
def test_signatures_list_every_setting_with_its_default(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    for field in fields(SETTINGS[function]):
        default = parameters[field.name].default
        assert isinstance(default, Default)
        assert default.value == field.default
        assert repr(default) == repr(field.default)
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def test_settings_and_keywords_together_are_refused(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> None:
    """Keywords used to be dropped without a word."""
    with pytest.raises(SettingsError, match=r"'walks'.*LearningSettings or keywords, not both"):
        tlogic.learn(graph, tlogic.LearningSettings(), walks=5)
    with pytest.raises(SettingsError, match="'seed'"):
        tlogic.fit(graph, tlogic.FitSettings(), seed=3)
    application = tlogic.ApplicationSettings(window=9)
    with pytest.raises(SettingsError, match="'k'"):
        tlogic.forecast(graph, rules, QUERY, application, k=3)
    with pytest.raises(SettingsError, match="'window'"):
        tlogic.evaluate(graph, rules, application, window=9)
    with pytest.raises(SettingsError, match="found FitSettings"):
        tlogic.evaluate(graph, rules, tlogic.FitSettings())  # type: ignore[arg-type]


def test_settings_give_what_keywords_give(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> None:
    settings = tlogic.ApplicationSettings(window=9, alpha=0.2)
    whole = tlogic.forecast(graph, rules, QUERY, settings)
    assert list(whole) == list(tlogic.forecast(graph, rules, QUERY, window=9, alpha=0.2))
    assert whole.forecaster.description["window"] == 9


def test_a_model_takes_no_settings_of_rules(graph: tlogic.TemporalGraph, model: tlogic.Model) -> None:
    for given in ({"window": 9}, {"settings": tlogic.ApplicationSettings()}):
        for function in (lambda **own: tlogic.forecast(graph, model, QUERY, **own), tlogic.evaluate):
            arguments = () if function is not tlogic.evaluate else (graph, model)
            with pytest.raises(SettingsError, match="settings are for rules"):
                function(*arguments, **given)
    with pytest.raises(SettingsError, match="single step"):
        tlogic.evaluate(graph, model, multi_step=True)


def test_paths_are_loaded(
    tmp_path: Path, graph: tlogic.TemporalGraph, rules: tlogic.RuleSet, model: tlogic.Model
) -> None:
    for kept, name in ((rules, "some.rules"), (rules, "rules.csv"), (rules, "rules.txt"), (model, "some.model")):
        path = tmp_path / name
        kept.save(path)
        assert list(tlogic.forecast(graph, path, QUERY)) == list(tlogic.forecast(graph, kept, QUERY))
        assert type(tlogic.load(str(path))) is type(kept)
    (tmp_path / "bom.model").write_text(model.to_json(), encoding="utf-8-sig")
    assert isinstance(tlogic.load(tmp_path / "bom.model"), tlogic.Model)
    assert len(tlogic.measure(graph, tmp_path / "some.rules")) == len(rules)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (42, "Expected a rule set, a model, or the path of a file with either; found int"),
        (None, "found NoneType"),
        (["sue(X, Y, T2) <- bid_for(Y, X, T1)"], "found list"),
        ("nowhere.rules", "nowhere.rules"),
    ],
)
def test_what_is_no_forecaster_is_refused(graph: tlogic.TemporalGraph, wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tlogic.forecast(graph, wrong, QUERY)
    with pytest.raises(InputError, match=message):
        tlogic.evaluate(graph, wrong)


@pytest.mark.parametrize("kind", ["rules", "model"])
def test_progress_is_shown_for_rules_and_models(
    kind: str, graph: tlogic.TemporalGraph, request: pytest.FixtureRequest
) -> None:
    forecaster = request.getfixturevalue(kind)
    followed: list[tuple[str, int, int]] = []

    def progress(items: Iterable[Any], *, total: int, description: str) -> Iterator[Any]:
        done = 0
        for item in items:
            done += 1
            yield item
        followed.append((description, done, total))

    with_progress = tlogic.forecast(graph, forecaster, QUERY, progress=progress)
    assert list(with_progress) == list(tlogic.forecast(graph, forecaster, QUERY))
    tlogic.evaluate(graph, forecaster, progress=progress)
    tlogic.fit(graph, evidence=("recurrence",), progress=progress)
    stages = ["queries", "queries", "evidence", "occurrence"]
    assert [description for description, _, _ in followed] == stages
    assert all(done == total > 0 for _, done, total in followed)


def test_an_evaluation_gives_its_metrics(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> None:
    evaluation = tlogic.evaluate(graph, rules)
    figures = evaluation.to_dict()
    assert evaluation.mrr == figures["realistic"]["mrr"]
    for k in (1, 3, 10):
        assert evaluation.hits(k) == figures["realistic"][f"hits@{k}"]
    rows = {row.pop("ties"): row for row in evaluation.frame.to_dicts()}
    assert rows == {ties: figures[ties] for ties in ("optimistic", "realistic", "pessimistic")}


def test_peak_memory_is_measured_once(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> None:
    """Reading the figures later does not change them."""
    evaluation = tlogic.evaluate(graph, rules)
    before = evaluation.to_dict()
    ballast = bytearray(64 << 20)
    ballast[::4096] = b"x" * len(ballast[::4096])
    assert evaluation.to_dict() == before


def test_importing_tlogic_imports_nothing_heavy() -> None:
    """So that `tlogic --help` is instant; and what the README names is reachable afterwards."""
    code = (
        "import sys, tlogic, tlogic.api, tlogic.cli.app\n"
        "print([name for name in ('numpy', 'numba', 'polars', 'matplotlib', 'fastapi') if name in sys.modules])\n"
        "print([tlogic.plots.__name__, tlogic.serving.__name__, tlogic.analysis.__name__, "
        "tlogic.reproduction.__name__, sorted(set(tlogic.__all__) - set(dir(tlogic)))])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy, reachable = done.stdout.splitlines()
    assert heavy == "[]"
    assert reachable == "['tlogic.analysis.plots', 'tlogic.serving', 'tlogic.analysis', 'tlogic.reproduction', []]"
