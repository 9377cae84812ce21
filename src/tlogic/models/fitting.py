"""Fitting: the weights of evidence, learned from past queries with their true answers."""

import numpy as np

from tlogic.evidence.registry import evidence_columns
from tlogic.execution import Execution
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.boosting import TreeGrower, lightgbm
from tlogic.models.calibration import calibrate, learn_expected_answers
from tlogic.models.counted_rules import CountedRules
from tlogic.models.model import Model
from tlogic.models.occurrence.occurrence_training import fit_occurrence
from tlogic.models.pair_learning import learn_pairs
from tlogic.models.scorecard import learn_weights
from tlogic.models.settings import FitSettings
from tlogic.models.softmax import on_parts, scores_of
from tlogic.models.training_data import collect_training_data
from tlogic.process_memory import give_back


def fit_model(graph: TemporalGraph, settings: FitSettings, execution: Execution = Execution()) -> Model:
    """Fit a model to the training facts of a graph, or to those and the validation facts."""
    boosted = settings.model == "boosted"
    if boosted:
        lightgbm()  # a missing library is reported now, not after all evidence is extracted
    data = collect_training_data(graph, settings, execution)
    known, bins, examples, to_calibrate, counts, memory_settings, counted, occurrences = data
    del data
    occurrence = fit_occurrence(occurrences, execution)  # first, as it frees memory that the weights need
    give_back()
    weight = learn_weights(examples, bins.sizes, execution.threads)
    additive = scores_of(weight, examples.bins)
    pairs = learn_pairs(examples, additive, bins.sizes, _family_numbers(settings.families), execution.threads)
    trees = None
    if boosted:
        additive += pairs.scores(examples.bins)
        give_back()
        grower = TreeGrower(examples, additive, settings.seed, execution.threads)
        del examples, additive  # which take as much memory as the trees need
        give_back()
        trees = grower.grow()
        del grower
        give_back()
    scores = scores_of(weight, to_calibrate.bins) + pairs.scores(to_calibrate.bins)
    if trees:
        rows = np.arange(len(scores))  # in parts, because LightGBM copies bins to floats
        scores += on_parts(lambda part: trees.scores(to_calibrate.bins[part]), rows, execution.threads)
    expected = learn_expected_answers(counts.history, counts.n_answers)
    used = counts.n_similar > 0
    of_queries = counts.history[used], counts.n_similar[used]
    return Model(
        memory_settings=memory_settings,
        bins=bins,
        weight=weight,
        pairs=pairs,
        calibration=calibrate(expected, to_calibrate.start, scores, to_calibrate.is_true, *of_queries),
        trees=trees,
        counted=CountedRules(counted),
        occurrence=occurrence,
        settings={
            "model": settings.model,
            "names": "names" in settings.families,
            "train_on": settings.train_on,
            "seed": settings.seed,
        },
        data=known.describe(),
    )


def _family_numbers(families: tuple[str, ...]) -> Ints:
    """Per column of evidence: the number of its family."""
    return np.array([families.index(family) for family, _ in evidence_columns(families)])
