"""OccurrenceForecaster: an occurrence model that is ready to judge triples over one graph."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.memory import Memory
from tlogic.evidence.occurrence_evidence import OccurrenceEvidence, occurrence_evidence
from tlogic.evidence.query_evidence import BaseQueryEvidence, QueryEvidence
from tlogic.evidence.triples import Triples
from tlogic.execution import Execution
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.models.model import Model
from tlogic.models.model_forecaster import evidence_of
from tlogic.models.occurrence.occurrence_model import OccurrenceModel
from tlogic.models.occurrence.occurrence_training import occurrence_settings

Result = TypeVar("Result")

_MAX_ROWS = 50_000  # of evidence at a time


class Judged(NamedTuple):
    """Triples with the probabilities that they occur within each of the fitted horizons."""

    triples: Triples
    novelty: Ints
    probability: Floats
    """One row per triple, one column per fitted horizon."""

    def part(self, index: Ints) -> "Judged":
        """Some of the triples."""
        return Judged(self.triples.part(index), self.novelty[index], self.probability[index])


class OccurrenceForecaster:
    """Judges triples over one graph with one model, from the facts before a time step.

    Args:
        graph: The graph: a ``TemporalGraph``, or any graph if its evidence is given.
        model: The model.
        evidence: What is known of the graph's past; by default, that which the model's forecasts use as well.

    Raises:
        InputError: If the model was fitted by a version without occurrence models.
    """

    def __init__(self, graph: Any, model: Model, evidence: BaseQueryEvidence | None = None) -> None:
        if model.occurrence is None:
            raise InputError("This model has no probabilities of events; fit it again with this version of tlogic.")
        self.graph: Graph = graph
        self.model = model
        self.occurrence: OccurrenceModel = model.occurrence
        self.evidence = evidence or evidence_of(graph, model)

    @classmethod
    def over_time(cls, graph: Any, model: Model) -> "OccurrenceForecaster":
        """A forecaster for many time steps of the past, with a memory that learns only what it needs."""
        return cls(graph, model, QueryEvidence(graph, occurrence_settings(model.memory_settings)))

    @contextmanager
    def at(self, now: int, execution: Execution = Execution()) -> Iterator["OccurrenceStep"]:
        """The state of knowledge before a time step."""
        with self.evidence.memory_at(now, execution=execution) as memory:
            yield OccurrenceStep(self.occurrence, memory, now, self.graph.timeline.phase_of(now), execution)


class OccurrenceStep:
    """Judges triples at one time step.

    Args:
        occurrence: The occurrence model.
        memory: All facts before the time step.
        now: The time step.
        phase: Its position in the calendar.
        execution: How many threads to use.
    """

    def __init__(
        self, occurrence: OccurrenceModel, memory: Memory, now: int, phase: int | None, execution: Execution
    ) -> None:
        self.occurrence, self.memory, self.now = occurrence, memory, now
        self._phase, self._execution = phase, execution

    def evidence(self, triples: Triples) -> OccurrenceEvidence:
        """The evidence for some triples."""
        return occurrence_evidence(self.memory, self.now, self._phase, triples)

    def judge(self, triples: Triples, keep: Callable[[Judged], Ints] | None = None) -> Judged:
        """The probabilities of triples.

        Args:
            triples: The triples.
            keep: Chooses which triples of a part to keep; None for all. It saves memory if there are many.
        """

        def of_part(own: Triples, evidence: OccurrenceEvidence) -> Judged:
            judged = Judged(own, evidence.novelty, self.occurrence.probabilities(evidence))
            return judged if keep is None else judged.part(keep(judged))

        parts = self.map(triples, of_part)
        merged = Triples.joined(part.triples for part in parts)
        novelty, probability = ([part[column] for part in parts] for column in (1, 2))
        return Judged(merged, np.concatenate(novelty), np.concatenate(probability))

    def map(self, triples: Triples, function: Callable[[Triples, OccurrenceEvidence], Result]) -> list[Result]:
        """Apply a function to triples and their evidence, some at a time, which bounds the memory for evidence."""

        def of_part(index: Ints) -> Result:
            own = triples.part(index)
            return function(own, self.evidence(own))

        n = len(triples.subject)
        chunks = np.array_split(np.arange(n), max(-(-n // _MAX_ROWS), 1))
        return list(Execution(self._execution.threads).run(lambda: of_part, chunks, "triples"))
