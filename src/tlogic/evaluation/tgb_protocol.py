"""The protocol of TGB 2.0: its split, and that nothing after the training period is learned from."""

from collections.abc import Mapping
from typing import Any

from tlogic.errors import SettingsError
from tlogic.events.splits import split_by_quantiles
from tlogic.forecasting.forecast_warnings import learned_until
from tlogic.graph.building import with_periods
from tlogic.graph.temporal_graph import TemporalGraph


def split_as_tgb(graph: TemporalGraph) -> TemporalGraph:
    """The same graph, split at the 70% and the 85% quantile of the times.

    >>> import tlogic
    >>> graph = split_as_tgb(tlogic.sample())
    >>> [len(graph.split(name).time) for name in ("train", "valid", "test")]
    [8226, 1794, 1731]
    """
    split = split_by_quantiles(graph.facts.time)
    return graph if split == (graph.valid_from, graph.test_from) else with_periods(graph, split)


def check_learned_from_training(graph: TemporalGraph, data: Mapping[str, Any]) -> None:
    """Raise an error if rules or a model were learned from facts after the training period.

    Args:
        graph: The graph, split as TGB does.
        data: The description of the facts that the rules or the model were learned from.

    Raises:
        SettingsError: If they were, or if the description does not tell.
    """
    until, label = learned_until(graph, data), graph.timeline.label_of
    if until is not None and until < graph.valid_from:
        return
    found = "unknown facts" if until is None else f"facts up to {data['until']}"
    raise SettingsError(
        f"TGB allows learning from training facts only, which end before {label(graph.valid_from)}, but the rules or "
        f"the model were learned from {found}. Use `tlogic learn` or `tlogic fit --train-on train`; for data that is "
        f"not in a folder of TGB, with --valid-from {label(graph.valid_from)} --test-from {label(graph.test_from)}."
    )
