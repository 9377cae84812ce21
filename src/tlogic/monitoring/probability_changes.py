"""How the probabilities of events changed between two time steps."""

from typing import NamedTuple

import numpy as np

from tlogic.evidence.triple_search import promising_triples
from tlogic.evidence.triples import Triples
from tlogic.execution import Execution
from tlogic.graph.arrays import Floats, Ints, is_in
from tlogic.graph.graph_protocol import Graph
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster


class ProbabilityChanges(NamedTuple):
    """Triples, judged at two time steps from the facts before each."""

    triples: Triples
    hazards: tuple[Floats, Floats]
    """Per time step and triple: -log(1 - p) for the probability p that it occurs within the horizon.

    It is 0 for a triple that an outlook of that time step does not consider.
    """

    @property
    def probabilities(self) -> Floats:
        """Per time step and triple: the probability that it occurs within the horizon."""
        return -np.expm1(-np.array(self.hazards))

    def part(self, index: Ints) -> "ProbabilityChanges":
        """Some of the triples."""
        first, second = (hazard[index] for hazard in self.hazards)
        return ProbabilityChanges(self.triples.part(index), (first, second))

    def of_groups(self, triple: Ints, group: Ints, n_groups: int) -> tuple[Floats, Floats]:
        """Per time step and group: the probability that at least one triple of the group occurs.

        Triples count as independent, so that their hazards add up.

        Args:
            triple: The index of a triple, once for each group that it belongs to.
            group: That group.
            n_groups: The number of groups.
        """
        first, second = (-np.expm1(-np.bincount(group, hazard[triple], n_groups)) for hazard in self.hazards)
        return first, second


NOT_JUDGED = ProbabilityChanges(Triples.of(*np.zeros((3, 0), np.int64)), (np.zeros(0), np.zeros(0)))
"""The probabilities of no triples."""


def probability_changes(
    forecaster: OccurrenceForecaster, first: int, second: int, horizon: int, execution: Execution = Execution()
) -> ProbabilityChanges:
    """Judge, at each time step, the triples that an outlook of that time step considers."""
    graph, reach = forecaster.graph, forecaster.occurrence.horizons[-1]
    steps = (first, second)
    considered = [_considered(graph, now, reach) for now in steps]
    triples = Triples.joined(considered).distinct(graph)
    keys, hazards = triples.keys(graph), []
    for now, own in execution.follow(list(zip(steps, considered, strict=True)), len(steps), "time steps"):
        index = np.flatnonzero(is_in(np.sort(own.keys(graph)), keys))
        hazard = np.zeros(len(keys))
        with forecaster.at(now, execution) as step:
            judged = step.judge(triples.part(index))
        hazard[index] = forecaster.occurrence.hazards(judged.probability, horizon)
        hazards.append(hazard)
    return ProbabilityChanges(triples, (hazards[0], hazards[1]))


def _considered(graph: Graph, now: int, reach: int) -> Triples:
    """All triples that occurred before a time step, and new ones that combine recent parts: no later fact matters."""
    return Triples.joined([Triples.of_facts(graph.facts_between(0, now)), promising_triples(graph, now, reach)])
