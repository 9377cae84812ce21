"""Published results of other methods, for comparison with learned models.

CountTRuCoLa: Gastinger, Meilicke, Stuckenschmidt: Rule Confidence Learning for Temporal Knowledge Graph Forecasting,
2025. LogCL: Local-Global History-aware Contrastive Learning for Temporal Knowledge Graph Reasoning, ICDE 2024. INFER: A
Neural-symbolic Model For Extrapolation Reasoning on Temporal Knowledge Graph, ICLR 2025.
"""

from typing import NamedTuple


class Method(NamedTuple):
    """A method and its published test MRR by dataset."""

    name: str
    mrr: dict[str, float]


PAPER_SPLIT = (Method("INFER (rules and embeddings, optimistic ties)", {"icews14": 0.4409, "icews0515": 0.4827}),)
"""On the datasets as TLogic's paper splits them."""

OTHER_SPLIT = (
    Method("CountTRuCoLa (rules)", {"icews14": 0.4499, "icews18": 0.328}),
    Method("LogCL (neural)", {"icews14": 0.4887, "icews18": 0.3567}),
)
"""On the datasets as RE-GCN and most later papers split them."""

OTHER_SPLIT_DATES: dict[str, tuple[str, str] | None] = {"icews14": ("2014-11-01", "2014-12-01"), "icews18": None}
"""The first validation and the first test date in those papers; None if they match the dataset's files."""
