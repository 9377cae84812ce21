"""Reproduction of the paper's tables and figures, and of the same experiments with learned models."""

from tlogic.reproduction.paper_report import reproduce

__all__ = ["reproduce"]
