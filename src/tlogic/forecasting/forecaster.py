"""Forecaster: what rules and models have in common once they are ready to answer queries over one graph."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from tlogic.execution import Execution
from tlogic.forecasting.answers import Answers, ScoredQueries
from tlogic.forecasting.application import QueryBatch
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.graph_protocol import Graph

Result = TypeVar("Result")


class Forecaster(Protocol):
    """Answers queries over one graph, each from the facts before its time."""

    @property
    def graph(self) -> Graph:
        """The graph that holds the facts."""

    @property
    def description(self) -> dict[str, Any]:
        """The settings, and what was applied with them, for reports."""

    def answer(
        self, queries: Sequence[EncodedQuery], top: int | None, execution: Execution = Execution()
    ) -> list[Answers]:
        """The ``top`` best candidates of each query, or all candidates (None)."""

    def prepare(self, queries: Sequence[EncodedQuery]) -> None:
        """Get ready to explain candidates of these queries one by one, in order of time."""

    def map_scored(
        self, queries: QueryBatch, function: Callable[[ScoredQueries], Result], execution: Execution = Execution()
    ) -> Iterator[Result]:
        """Score a batch that is sorted by time, some queries at a time, and apply a function to each part.

        The function runs where the part was scored, so that only its results travel.
        """
