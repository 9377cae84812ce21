"""Figures that other papers give for other methods, beside which learned models stand.

CountTRuCoLa: Gastinger, Meilicke, Stuckenschmidt: Rule Confidence Learning for Temporal Knowledge Graph Forecasting,
2025. LogCL: Local-Global History-aware Contrastive Learning for Temporal Knowledge Graph Reasoning, ICDE 2024. INFER: A
Neural-symbolic Model For Extrapolation Reasoning on Temporal Knowledge Graph, ICLR 2025.
"""

from typing import NamedTuple


class Other(NamedTuple):
    """A method, and the test MRR that its authors give by dataset."""

    method: str
    mrr: dict[str, float]


PAPERS_SPLIT = (Other("INFER (rules and embeddings, optimistic ties)", {"icews14": 0.4409, "icews0515": 0.4827}),)
"""On the datasets as the paper cuts them."""

OTHER_SPLIT = (
    Other("CountTRuCoLa (rules)", {"icews14": 0.4499, "icews18": 0.328}),
    Other("LogCL (neural)", {"icews14": 0.4887, "icews18": 0.3567}),
)
"""On the datasets as RE-GCN and most papers since cut them."""

OTHER_CUTS: dict[str, tuple[str, str] | None] = {"icews14": ("2014-11-01", "2014-12-01"), "icews18": None}
"""Where those papers let validation and test begin; None where that is as the files have it."""
