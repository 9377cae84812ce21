"""Temporal logical rules and rule sets: text, files, selection and comparison.

- ``rule``, ``rule_set``: the classes
- ``text_format``, ``json_format``, ``table_format``, ``published_format``: reading and writing
- ``verbalisation``, with ``verb_phrases`` and ``english_verbs``: rules as English sentences
- ``selection``, ``comparison``: working with many rules
"""

from tlogic.rules.comparison import Comparison
from tlogic.rules.published_format import export_published, import_published
from tlogic.rules.rule import Rule
from tlogic.rules.rule_set import RuleSet
from tlogic.rules.text_format import parse_rule
from tlogic.rules.verbalisation import in_words

__all__ = ["Comparison", "Rule", "RuleSet", "export_published", "import_published", "in_words", "parse_rule"]
