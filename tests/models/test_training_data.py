"""Training data: which past queries examples are taken from."""

import pytest
from benchmarks import worlds

from tlogic.graph import TemporalGraph
from tlogic.models.settings import FitSettings
from tlogic.models.training_data import collect_training_data


@pytest.mark.parametrize(("graph", "warm_up"), [(worlds.regular(1), 0.5), (worlds.weekly(1, n_weeks=60), 0.75)])
def test_few_facts_make_up_for_it_with_examples_from_a_longer_time(graph: TemporalGraph, warm_up: float) -> None:
    """Examples are taken from the last quarter of the training time, or from half of it if that has few facts."""
    data = collect_training_data(graph, FitSettings(train_on="train", evidence=("pair",)))
    facts, half = graph.facts.between(int(warm_up * graph.valid_from), graph.valid_from), len(graph.relations.base)
    rows = zip(*(column.tolist() for column in facts), strict=True)
    queries = {query for s, r, o, t in rows for query in ((s, r, t), (o, r + half, t))}
    assert len(data.counts.n_answers) == len(queries)
