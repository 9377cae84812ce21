"""Fitting: the weights of evidence, learned from queries whose answers are known."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from tlogic.errors import SettingsError
from tlogic.evidence.registry import DEFAULT_FAMILIES, FAMILIES
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.boosting import grow_trees, lightgbm
from tlogic.models.calibration import calibrate
from tlogic.models.counted_rules import CountedRules
from tlogic.models.model import Model
from tlogic.models.scorecard import learn_weights, scores_of
from tlogic.models.training_data import collect_training_data

Kind = Literal["scorecard", "boosted"]
TrainOn = Literal["train", "train+valid"]


def fit(
    graph: TemporalGraph,
    *,
    model: Kind = "scorecard",
    names: bool = False,
    train_on: TrainOn = "train+valid",
    evidence: Sequence[str] | None = None,
    seed: int = 12,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[..., Any] | None = None,
) -> Model:
    """Fit a model to a graph's training facts, or to those and the validation facts.

    A scorecard is a sum of weights; a boosted model adds trees to it. With ``names`` the structure of entities' names
    is evidence too. Families of evidence can be chosen one by one: ``evidence=("recurrence", "rules")``.

    With ``cluster``, the address of a Ray cluster or ``auto``, evidence is gathered there; the model is the same.

    >>> import tlogic
    >>> fit(tlogic.sample())
    Model(85 kinds of evidence, fitted to 10,631 facts)
    """
    families = _check(model, train_on, evidence, names)
    data = collect_training_data(graph, families, train_on, seed, threads, progress, cluster)
    known, lives, bins, examples, held_back, counted = data
    weight = learn_weights(examples, bins.sizes, threads)
    boosted = model == "boosted"
    trees = grow_trees(examples, scores_of(weight, examples.bins), seed, threads) if boosted else None
    scores = scores_of(weight, held_back.bins) + (trees.scores(held_back.bins) if trees else 0.0)
    return Model(
        families=families,
        half_lives=lives,
        bins=bins,
        weight=weight,
        calibration=calibrate(held_back.start, scores, held_back.is_true),
        trees=trees,
        counted=CountedRules(known.relations.names, counted),
        settings={"model": model, "names": "names" in families, "train_on": train_on, "seed": seed},
        data=known.describe(),
    )


def _check(model: str, train_on: str, evidence: Sequence[str] | None, names: bool) -> tuple[str, ...]:
    """The families of evidence, if all settings make sense."""
    if model not in ("scorecard", "boosted"):
        raise SettingsError(f"model must be scorecard or boosted, not {model!r}.")
    if train_on not in ("train", "train+valid"):
        raise SettingsError(f"train_on must be train or train+valid, not {train_on!r}.")
    chosen = DEFAULT_FAMILIES if evidence is None else tuple(evidence)
    unknown = [name for name in chosen if name not in FAMILIES]
    if unknown or not chosen:
        raise SettingsError(f"evidence must be some of {', '.join(FAMILIES)}, not {', '.join(unknown) or 'nothing'}.")
    if model == "boosted":
        lightgbm()  # better missed now than after all evidence is there
    return tuple(name for name in FAMILIES if name in chosen or (names and name == "names"))
