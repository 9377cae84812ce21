"""Temporal logical rules: what a rule is, how it reads, how rules are kept."""

from tlogic.rules.published_format import export_published, import_published
from tlogic.rules.rule import Rule
from tlogic.rules.rule_set import RuleSet
from tlogic.rules.selection import Comparison
from tlogic.rules.text_format import parse_rule
from tlogic.rules.verbalisation import in_words

__all__ = ["Comparison", "Rule", "RuleSet", "export_published", "import_published", "in_words", "parse_rule"]
