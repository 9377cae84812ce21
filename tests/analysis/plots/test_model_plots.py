from functools import cache
from pathlib import Path

import pytest

import tlogic
from tests.analysis.plots.test_plots import Plot, words_of
from tlogic.analysis.plots import plot_ages, plot_reliability, plot_weights
from tlogic.analysis.plots.weight_plot import MAX_FEATURES


@cache
def world() -> tlogic.TemporalGraph:
    return tlogic.sample(days=150)


@cache
def model() -> tlogic.Model:
    return tlogic.fit(world())


@cache
def evaluation() -> tlogic.Evaluation:
    return tlogic.evaluate(world(), model())


@pytest.mark.parametrize("plot", [plot_ages, plot_weights, plot_reliability])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_plots_are_deterministic(plot: Plot, kind: str, tmp_path: Path) -> None:
    source = evaluation() if plot is plot_reliability else model()
    for name in ("one", "two"):
        plot(source, tmp_path / f"{name}.{kind}")
    content = (tmp_path / f"one.{kind}").read_bytes()
    assert content == (tmp_path / f"two.{kind}").read_bytes()
    assert content.startswith(b"\x89PNG" if kind == "png" else b"<?xml")


def test_plots_contain_titles_and_labels(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    plot_ages(model(), picture, head="Sue", top=2)
    assert "Rules for sue by age" in words_of(picture)
    assert "sue(X, Y, T2) &lt;- bid_for^-1(X, Y, T1)" in words_of(picture)
    assert "age of the body, days" in words_of(picture)
    plot_ages(model(), picture, kind="acyclic")
    assert "(Y, Z, T1)" in words_of(picture)
    plot_weights(model(), picture)
    families = [table["family"] for table in model().tables()]
    assert sum(words_of(picture).count(f"{family}: ") for family in set(families)) == MAX_FEATURES
    plot_reliability(evaluation(), picture)
    assert "predicted probability" in words_of(picture)
    found = evaluation().reliability
    assert found is not None
    assert f"error {found.error:.2%}" in words_of(picture)


def test_unused_axes_are_hidden(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    plot_weights(model(), picture, top=1)
    assert words_of(picture).count("none") == 1  # the tick label of the only axes


def test_invalid_input_raises(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    with pytest.raises(tlogic.InputError, match="No rule has the relation 'seu'"):
        plot_ages(model(), picture, head="seu")
    with pytest.raises(tlogic.SettingsError, match="one of rules, chains, acyclic"):
        plot_ages(model(), picture, kind="long")
    with pytest.raises(tlogic.SettingsError, match="1 or more"):
        plot_weights(model(), picture, top=0)
    graph = tlogic.sample(days=60)
    without = tlogic.fit(graph, evidence=("recurrence",))
    with pytest.raises(tlogic.InputError, match="Found no rule"):
        plot_ages(without, picture)
    with pytest.raises(tlogic.InputError, match="not probabilities"):
        plot_reliability(tlogic.evaluate(graph, tlogic.learn(graph, walks=5)), picture)
    assert not picture.exists()
