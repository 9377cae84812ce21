"""Reasons to doubt a forecast: rules or a model of other data, of other time steps or from later facts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

from tlogic.errors import InputError
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.vocabulary import Vocabulary
from tlogic.names import share_known

Kind = Literal["rules", "model"]

_MIN_SHARE_KNOWN = 0.5
_MIN_STEPS_BEYOND = 10
"""A forecast for so many time steps after the last fact says how far it is."""
_LEARNED = {"rules": "The rules were learned", "model": "The model was fitted"}
_FROM = {"rules": "from", "model": "to"}

# Per vocabulary and sketch of names: the number of names, and the share that is known.
_known_shares: WeakKeyDictionary[Vocabulary, dict[tuple[str, ...], tuple[int, float]]] = WeakKeyDictionary()


def forecast_warnings(
    graph: Graph,
    kind: Kind,
    data: Mapping[str, Any],
    steps: Sequence[int],
    description: Mapping[str, Any] | None = None,
) -> list[str]:
    """Reasons to doubt forecasts for some time steps.

    Args:
        graph: The graph that holds the facts.
        kind: Whether rules or a model forecast.
        data: The description of the facts that they were learned from, as `TemporalGraph.describe` returns it.
        steps: The time steps of the queries.
        description: The description of the rule forecaster, with the number of rules that apply.

    Returns:
        One sentence or two per reason; empty if there is none.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> forecast_warnings(graph, "model", graph.describe() | {"step": "1 week"}, [graph.end])
    ['The model was fitted with time steps of 1 week, but the data has steps of 1 day.']
    """
    found = [
        _foreign_rules(description or {}),
        _other_names(graph, kind, data),
        _other_steps(graph, kind, data),
        _later_facts(graph, kind, data, steps),
        _beyond(graph, steps),
    ]
    return [warning for warning in found if warning]


def figure_warnings(graph: Graph, kind: Kind, data: Mapping[str, Any], facts: str, first: int) -> list[str]:
    """Reasons to doubt the figures of a period, such as that facts from its first time step on were learned from.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> figure_warnings(graph, "model", graph.describe(), "test facts", graph.test_from)[0].partition(", ")[2]
    'which include test facts; the figures are too good.'
    """
    found, until = forecast_warnings(graph, kind, data, ()), learned_until(graph, data)
    if until is None or until < first:
        return found
    learned = f"{_LEARNED[kind]} {_FROM[kind]} facts up to {data['until']}"
    return [*found, f"{learned}, which include {facts}; the figures are too good."]


def learned_until(graph: Graph, data: Mapping[str, Any]) -> int | None:
    """The last time step that rules or a model were learned from; None if it is unknown or of another kind of time.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> learned_until(graph, graph.describe()) == graph.end - 1
    True
    """
    try:
        return None if data.get("until") is None else graph.timeline.step_of(data["until"])
    except InputError:
        return None


def _foreign_rules(description: Mapping[str, Any]) -> str | None:
    if not description.get("rules_foreign") and description.get("rules") != 0:
        return None
    return (
        f"{description['rules']:,} of {description['rules_given']:,} rules apply; "
        f"{description['rules_foreign']:,} have relations that the data does not have."
    )


def _other_names(graph: Graph, kind: Kind, data: Mapping[str, Any]) -> str | None:
    names = data.get("names")
    if not isinstance(names, Mapping):
        return None
    entities = _share_known(graph.entities, graph.entities.names, names.get("entities", ()))
    relations = _share_known(graph.relations, graph.relations.base, names.get("relations", ()))
    if min(entities, relations) >= _MIN_SHARE_KNOWN:
        return None
    learned = f"{_LEARNED[kind]} {_FROM[kind]} other data"
    return f"{learned}: this data has {entities:.0%} of its entities and {relations:.0%} of its relations."


def _share_known(vocabulary: Vocabulary, names: Sequence[str], sketch: Iterable[str]) -> float:
    key = tuple(sketch)
    shares = _known_shares.setdefault(vocabulary, {})
    # Names are added, but never removed.
    if key not in shares or (shares[key][1] < _MIN_SHARE_KNOWN and shares[key][0] != len(names)):
        shares[key] = len(names), share_known(key, names)
    return shares[key][1]


def _other_steps(graph: Graph, kind: Kind, data: Mapping[str, Any]) -> str | None:
    learned, here = data.get("step"), graph.timeline.step_size
    if learned in (None, here):
        return None
    return f"{_LEARNED[kind]} with time steps of {learned}, but the data has steps of {here}."


def _later_facts(graph: Graph, kind: Kind, data: Mapping[str, Any], steps: Sequence[int]) -> str | None:
    until = learned_until(graph, data)
    late = [step for step in steps if until is not None and step <= until]
    if not late:
        return None
    learned = f"{_LEARNED[kind]} {_FROM[kind]} facts up to {data['until']}"
    return f"{learned}, so {'they' if kind == 'rules' else 'it'} may reflect facts from {_label(graph, late[0])} on."


def _beyond(graph: Graph, steps: Sequence[int]) -> str | None:
    latest = max(steps, default=0)
    ahead = latest - (graph.end - 1)
    if ahead < _MIN_STEPS_BEYOND:
        return None
    return (
        f"The data ends on {_label(graph, graph.end - 1)}, {graph.timeline.span_of(ahead)} before "
        f"{_label(graph, latest)}, the date asked about."
    )


def _label(graph: Graph, step: int) -> str:
    return graph.timeline.label_of(step)
