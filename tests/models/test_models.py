"""Models: the same with any threads, kept in files, better than paper mode where it counts, sound on little data."""

import builtins
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tlogic
from tests.damage import flipped
from tests.models.conftest import asked_of_test
from tlogic.evidence.registry import DEFAULT_FAMILIES, evidence_columns
from tlogic.graph import TemporalGraph
from tlogic.models.boosting import Trees
from tlogic.sealing import seal

Damage = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample(days=200)


def mrr(graph: TemporalGraph, knowledge: tlogic.Model | tlogic.RuleSet) -> float:
    return float(tlogic.evaluate(graph, knowledge).to_dict()["realistic"]["mrr"])


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize(
    "settings", [{"names": True}, {"model": "boosted", "evidence": ["recurrence", "paths", "rules"]}]
)
def test_threads_do_not_matter(world: TemporalGraph, tmp_path: Path, settings: dict[str, Any]) -> None:
    for threads in (1, 2):
        tlogic.fit(world, threads=threads, **settings).save(tmp_path / f"{threads}.model")
    assert (tmp_path / "1.model").read_bytes() == (tmp_path / "2.model").read_bytes()


def test_threads_do_not_matter_to_evaluation(world: TemporalGraph, model: tlogic.Model) -> None:
    first, second = (tlogic.evaluate(world, model, threads=threads) for threads in (1, 2))
    assert np.array_equal(first.ranks.higher, second.ranks.higher)


def test_a_seed_draws_other_examples(world: TemporalGraph) -> None:
    weights = [tlogic.fit(world, evidence=["recurrence"], seed=seed).weight for seed in (1, 1, 2)]
    assert np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])


def test_a_model_is_kept_in_a_file(world: TemporalGraph, model: tlogic.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "world.model")
    again = tlogic.Model.load(tmp_path / "world.model")
    assert (again.settings, again.data, again.families) == (model.settings, model.data, model.families)
    assert repr(again) == repr(model)
    queries = asked_of_test(world, 15)[0]
    assert list(tlogic.forecast(world, again, queries)) == list(tlogic.forecast(world, model, queries))
    again.save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "world.model").read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no model file"),
        ("not json", "is not a model file"),
        ("{}", "is not a model file"),
        ("[]", "is not a model file"),
        ('{"format": "tlogic model", "version": 2}', "reads version 5. Fit the model again"),
        ('{"format": "tlogic model", "version": 5}', "damaged"),
        (
            '{"format": "tlogic model", "version": 5, "families": ["tea leaves"], "evidence": []}',
            "features that this version",
        ),
        (
            '{"format": "tlogic model", "version": 5, "families": ["pair"], "evidence": []}',
            "features that this version",
        ),
    ],
)
def test_files_that_are_no_models(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "some.model"
    if content is not None:
        path.write_text(seal(content) if content.startswith('{"') else content)
    with pytest.raises(tlogic.InputError, match=message):
        tlogic.Model.load(path)


def test_a_model_of_regular_data_is_read_again(tmp_path: Path) -> None:
    """What is constant but for rounding has no weight."""
    rng = np.random.default_rng(1)
    subject = rng.integers(8, size=1200)
    days = pl.date_range(pl.date(2023, 1, 4), pl.date(2024, 2, 21), "1w", eager=True)
    names = pl.DataFrame(
        {
            "subject": [f"p{number}" for number in subject],
            "relation": rng.choice(["calls", "pays"], 1200),
            "object": [f"p{number}" for number in (subject + 1 + rng.integers(2, size=1200)) % 8],
            "date": days.gather(np.arange(1200) // 20),
        }
    )
    model = tlogic.fit(tlogic.read(names))
    model.save(tmp_path / "regular.model")
    assert repr(tlogic.Model.load(tmp_path / "regular.model")) == repr(model)
    assert np.abs(model.calibration.answers).max() < 100


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda found: found["evidence"][3]["weights"].__setitem__(1, None), "evidence[3].weights[1] is null"),
        (lambda found: found["evidence"][3]["weights"].__setitem__(1, math.nan), "evidence[3].weights[1] is nan"),
        (lambda found: found["evidence"][3]["weights"].__setitem__(1, -1e9), "expected a number between -10000 and"),
        (lambda found: found["evidence"][3]["edges"].__setitem__(0, 1e9), "evidence[3].edges do not increase"),
        (lambda found: found["calibration"].update(slope="nan"), "calibration.slope is nan; expected a number"),
        (lambda found: found["calibration"].update(offset=True), "calibration.offset is True; expected a number"),
        (lambda found: found["calibration"]["knots"].update({"0.0": math.inf}), "calibration.knots.0.0 is inf"),
        (lambda found: found.update(max_events=None), "max_events is null"),
        (lambda found: found["half_lives"].__setitem__(0, -3), "half_lives[0] is -3"),
        (lambda found: found["data"].update(facts=None), "data.facts is null"),
        (lambda found: found["occurrence"]["new pair"]["intercepts"].__setitem__(0, None), "intercepts[0] is null"),
        (lambda found: found["rules"][0]["hits"].__setitem__(0, math.nan), "rules[0].hits[0] is nan"),
        (lambda found: found["occurrence"]["horizons"].reverse(), "occurrence.horizons do not increase"),
    ],
)
def test_a_number_that_is_none_is_named(model: tlogic.Model, tmp_path: Path, damage: Damage, problem: str) -> None:
    model.save(tmp_path / "damaged.model")
    found = json.loads((tmp_path / "damaged.model").read_text())
    damage(found)
    (tmp_path / "damaged.model").write_text(seal(json.dumps(found)))
    with pytest.raises(tlogic.InputError, match=f"damaged model file, line 1: .*{re.escape(problem)}"):
        tlogic.Model.load(tmp_path / "damaged.model")


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: found.pop("calibration"),
        lambda found: found["calibration"].pop("slope"),
        lambda found: found.update(half_lives=None),
        lambda found: found.pop("trees"),
        lambda found: found["evidence"][3]["weights"].pop(),
        lambda found: found["evidence"][3].pop("edges"),
        lambda found: found["evidence"][3]["weights"].__setitem__(0, "heavy"),
        lambda found: found["evidence"][3].update(edges="none"),
        lambda found: found["calibration"]["features"].pop(),
        lambda found: found.update(trees="no tree"),
        lambda found: found.update(half_lives=[1.0]),
    ],
)
def test_damaged_models_are_refused(boosted: tlogic.Model, tmp_path: Path, damage: Damage) -> None:
    boosted.save(tmp_path / "damaged.model")
    found = json.loads((tmp_path / "damaged.model").read_text())
    damage(found)
    (tmp_path / "damaged.model").write_text(seal(json.dumps(found)))
    with pytest.raises(tlogic.InputError, match="damaged"):
        tlogic.Model.load(tmp_path / "damaged.model")


def test_a_flipped_bit_in_a_model_file_is_noticed(
    model: tlogic.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LightGBM may abort or hang on damaged trees, so that nothing of a damaged file is used."""
    path = tmp_path / "flipped.model"
    model.save(path)
    assert tlogic.Model.load(path).to_json() == model.to_json()

    def no_trees(*_: object) -> None:
        raise AssertionError("the trees of a damaged file were read")

    monkeypatch.setattr(Trees, "__init__", no_trees)
    for content in flipped(path.read_bytes(), 100):
        path.write_bytes(content)
        with pytest.raises(tlogic.InputError):
            tlogic.Model.load(path)


@pytest.mark.parametrize(("end", "problem"), [('"pairs"', "is not a model file"), ('{"body":', "has no checksum")])
def test_a_part_of_a_file_is_no_model(scorecard: tlogic.Model, tmp_path: Path, end: str, problem: str) -> None:
    path = tmp_path / "part.model"
    path.write_text(scorecard.to_json().partition(end)[0], "utf-8")
    with pytest.raises(tlogic.InputError, match=problem):
        tlogic.Model.load(path)
    with pytest.raises(tlogic.InputError, match=r"is not a model file|damaged model file"):
        tlogic.seal(path)


# How good they are


def test_it_beats_paper_mode_on_the_sample_world(graph: TemporalGraph) -> None:
    assert mrr(graph, tlogic.fit(graph)) > mrr(graph, tlogic.learn(graph)) + 0.09


def test_trees_do_no_harm(world: TemporalGraph, scorecard: tlogic.Model, boosted: tlogic.Model) -> None:
    assert mrr(world, boosted) > mrr(world, scorecard) - 0.005


def test_weights_from_training_alone_know_nothing_of_the_rest(world: TemporalGraph, tmp_path: Path) -> None:
    strict, standard = tlogic.fit(world, train_on="train"), tlogic.fit(world)
    assert strict.data["until"] < standard.data["until"] < world.timeline.label_of(world.test_from)
    alone = tlogic.fit(world.before(world.valid_from), train_on="train")
    for name, each in (("a", strict), ("b", alone)):
        each.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# What they look at


def test_families_of_evidence_can_be_chosen(world: TemporalGraph) -> None:
    fitted = tlogic.fit(world, evidence=["rules", "recurrence"], names=True)
    assert fitted.families == ("recurrence", "rules", "names")
    assert fitted.columns == evidence_columns(fitted.families)
    assert len(fitted.weight) == len(fitted.columns) == len(fitted.bins.sizes)
    answers = tlogic.forecast(world, fitted, asked_of_test(world, 1)[0])
    explained = {each.family for each in answers.explain(0, answers[0][0].name).contributions}
    assert explained == {*fitted.families, "combinations"}


def test_names_are_evidence_only_if_wanted(world: TemporalGraph, scorecard: tlogic.Model) -> None:
    assert scorecard.families == (*DEFAULT_FAMILIES, "names")
    assert tlogic.fit(world, evidence=None).families == DEFAULT_FAMILIES
    assert scorecard.settings["names"]


def test_names_without_structure_are_no_trouble() -> None:
    plain = tlogic.sample(days=100)
    with_names, without = (mrr(plain, tlogic.fit(plain, names=names)) for names in (True, False))
    assert with_names == pytest.approx(without, abs=0.02)


def test_settings_that_make_no_sense_are_refused(world: TemporalGraph, scorecard: tlogic.Model) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"train_on": "test"}, "train_on must be"),
        ({"model": "forest"}, "model must be scorecard or boosted, not 'forest'"),
        ({"evidence": ["pair", "tea leaves"]}, "recurrence, pair, .*, not tea leaves"),
        ({"evidence": []}, "not nothing"),
        ({"threads": 0}, "threads must be 1 or more"),
    ]
    for settings, message in wrong:
        with pytest.raises(tlogic.SettingsError, match=message):
            tlogic.fit(world, **settings)
    with pytest.raises(tlogic.SettingsError, match="stores its own settings"):
        tlogic.evaluate(world, scorecard, window=3)
    with pytest.raises(tlogic.SettingsError, match="stores its own settings"):
        tlogic.forecast(world, scorecard, [], window=3)
    with pytest.raises(tlogic.InputError, match="no valid facts"):
        tlogic.evaluate(world.train, scorecard, split="valid")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ImportError("No module named 'lightgbm'"), r"install tlogic\[boosted\]"),
        (OSError("libgomp.so.1: cannot open"), "libgomp1"),
    ],
)
def test_without_lightgbm_it_is_told_what_to_install(
    world: TemporalGraph, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    usual = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "lightgbm":
            raise error
        return usual(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(tlogic.SettingsError, match=message):
        tlogic.fit(world, model="boosted")


# Little data, and odd data


def calls(times: list[Any]) -> pl.DataFrame:
    """Ann and Bo call each other in turn."""
    n = len(times)
    return pl.DataFrame(
        {
            "subject": (["Ann", "Bo"] * n)[:n],
            "relation": ["calls"] * n,
            "object": (["Bo", "Ann"] * n)[:n],
            "time": times,
        }
    )


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("settings", [{}, {"names": True}, {"model": "boosted"}])
def test_twenty_facts_are_enough_to_run(settings: dict[str, Any]) -> None:
    graph = tlogic.read(calls(list(range(20))), valid_from=14, test_from=17)
    assert mrr(graph, tlogic.fit(graph, **settings)) == 1.0


def test_yearly_steps_are_no_trouble() -> None:
    graph = tlogic.read(calls([f"{year}" for year in range(1990, 2020)]), valid_from="2010", test_from="2015")
    fitted = tlogic.fit(graph)
    assert fitted.memory_settings.half_lives == pytest.approx(
        [0.5, 7 * 25 / 240, 30 * 25 / 240, 120 * 25 / 240, np.inf]
    )
    answers = tlogic.forecast(graph, fitted, [("Ann", "calls")])
    assert answers[0][0].name == "Bo"
    assert "year" in str(answers.explain(0, "Bo"))


def test_many_steps_without_facts_are_no_trouble() -> None:
    graph = tlogic.read(calls([hour * 3000 for hour in range(20)]), step=1, valid_from=42_000, test_from=51_000)
    fitted = tlogic.fit(graph)
    assert np.isfinite(fitted.weight).all()
    assert np.isfinite(fitted.bins.edge).all()
    assert mrr(graph, fitted) == 1.0


def test_facts_of_a_single_date_are_too_few() -> None:
    facts = pl.DataFrame({"subject": ["a", "b"], "relation": ["meets"] * 2, "object": ["b", "c"], "time": [3, 3]})
    with pytest.raises(tlogic.InputError, match="all of the same time step"):
        tlogic.fit(tlogic.read(facts))


def test_nothing_to_learn_from_is_told() -> None:
    strangers = pl.DataFrame(
        [(f"a{i}", "meets", f"b{i}", i) for i in range(12)], ["subject", "relation", "object", "time"], orient="row"
    )
    with pytest.raises(tlogic.InputError, match="nothing to learn from"):
        tlogic.fit(tlogic.read(strangers, valid_from=8, test_from=10))
