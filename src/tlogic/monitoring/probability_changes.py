"""How the probabilities of events changed between two time steps."""

from typing import NamedTuple

import numpy as np

from tlogic.evidence.triple_search import promising_triples
from tlogic.evidence.triples import Triples
from tlogic.execution import Execution
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster


class ProbabilityChanges(NamedTuple):
    """The same triples, judged at two time steps from the facts before each."""

    triples: Triples
    hazards: tuple[Floats, Floats]
    """Per time step and triple: -log(1 - p) for the probability p that it occurs within the horizon."""

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


def probability_changes(
    forecaster: OccurrenceForecaster, first: int, second: int, horizon: int, execution: Execution = Execution()
) -> ProbabilityChanges:
    """Judge all triples that occurred before the second time step, and new ones that an outlook of either considers."""
    graph, reach = forecaster.graph, forecaster.occurrence.horizons[-1]
    known = Triples.of_facts(graph.facts_between(0, second))
    promising = [promising_triples(graph, step, reach) for step in (first, second)]
    triples = Triples.joined([known, *promising]).distinct(graph)
    hazards = []
    for now in execution.follow((first, second), 2, "time steps"):
        with forecaster.at(now, execution) as step:
            hazards.append(forecaster.occurrence.hazards(step.judge(triples).probability, horizon))
    return ProbabilityChanges(triples, (hazards[0], hazards[1]))
