"""Temporal logical rules: what a rule is, how it reads, how rules are kept."""

from tlogic.rules.browsing import Comparison
from tlogic.rules.published import export_published, import_published
from tlogic.rules.rule import Rule
from tlogic.rules.rule_set import RuleSet
from tlogic.rules.text import parse_rule
from tlogic.rules.words import in_words

__all__ = ["Comparison", "Rule", "RuleSet", "export_published", "import_published", "in_words", "parse_rule"]
