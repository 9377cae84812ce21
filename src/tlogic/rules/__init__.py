"""Temporal logical rules: what a rule is, how it reads, how rules are kept."""

from tlogic.rules.rule import Rule
from tlogic.rules.rule_set import RuleSet

__all__ = ["Rule", "RuleSet"]
