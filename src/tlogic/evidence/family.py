"""The protocol that every family of evidence implements, and a base class with its defaults."""

from typing import ClassVar, Protocol

from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats


class Family(Protocol):
    """One family of evidence: some columns of numbers per (query, candidate), and a sentence about them.

    An instance goes through the queries of one relation in order of time. It may keep what it learns from them.

    To add a family, write a module in ``tlogic.evidence.families`` with a subclass of ``BaseFamily``, and list it in
    ``tlogic.evidence.registry``.
    """

    columns: ClassVar[tuple[str, ...]]
    """The names of its columns, which model files hold."""
    by_default: ClassVar[bool]
    """Do models use it unless told otherwise?"""
    rule_kind: ClassVar[RuleKind | None]
    """The form of the rules that it counts; None if it counts none."""

    def __init__(self, n_relations: int) -> None:
        """Start with nothing learned.

        Args:
            n_relations: The number of relations of the graph, with their inverses.
        """

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the evidence of the scored queries and learn from all queries.

        Args:
            histories: The facts of the graph. Only those before a query may be used for it.
            queries: Queries in order of time, all later than those of earlier calls.
            pairs: The candidates of the scored queries.
            out: One row per candidate and one column per name; nan where there is no evidence.
        """

    def describe(self, case: Case) -> Statement:
        """The evidence for one candidate as a sentence for analysts, with the facts it is based on."""

    def propose(self, histories: Histories, queries: HistoryQueries) -> CandidatePairs | None:
        """Further candidates of the scored queries, the best first; None if it proposes none."""

    def rule_counts(self) -> RuleCounts | None:
        """The rules that it counted so far; None if it counts none."""


class BaseFamily(Family):
    """A family that learns nothing from queries, proposes no candidates and counts no rules."""

    by_default: ClassVar[bool] = True
    rule_kind: ClassVar[RuleKind | None] = None

    def __init__(self, n_relations: int) -> None:
        """No state."""

    def propose(self, histories: Histories, queries: HistoryQueries) -> CandidatePairs | None:  # noqa: ARG002
        """No candidates."""
        return None

    def rule_counts(self) -> RuleCounts | None:
        """No rules."""
        return None
