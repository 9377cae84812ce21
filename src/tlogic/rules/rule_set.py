"""RuleSet: rules, how they were learned and from what; browsed, compared, merged and kept in files."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlogic.files import read_text, write_atomically
from tlogic.rules.json_format import rules_from_json, rules_to_json
from tlogic.rules.rule import Rule
from tlogic.rules.selection import Comparison, Sort, compare_rules, merge_rules, select_rules, sort_rules
from tlogic.rules.table_format import TABLE_SUFFIXES, read_table, to_frame, write_table
from tlogic.rules.text_format import rules_from_text, rules_to_text

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class RuleSet:
    """Rules in order of head and decreasing confidence, with the settings and the data they come from.

    >>> rules = RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),))
    >>> len(rules), rules.by_length(), rules[0].confidence
    (1, {1: 1}, 0.75)
    >>> rules
    RuleSet(1 rule: 1 of length 1)
    """

    rules: Sequence[Rule]
    settings: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, place: int) -> Rule:
        return self.rules[place]

    def __repr__(self) -> str:
        lengths = ", ".join(f"{count:,} of length {length}" for length, count in self.by_length().items())
        return f"RuleSet({len(self):,} rule{'' if len(self) == 1 else 's'}{lengths and f': {lengths}'})"

    @property
    def frame(self) -> "pl.DataFrame":
        """The rules as a polars data frame, a row a rule.

        >>> RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),)).frame["confidence"].to_list()
        [0.75]
        """
        return to_frame(self.rules)

    def by_length(self) -> dict[int, int]:
        """How many rules there are of each length."""
        return dict(sorted(Counter(len(rule.body) for rule in self.rules).items()))

    def select(
        self,
        *,
        head: str | None = None,
        body: Collection[str] = (),
        lengths: Collection[int] = (),
        min_confidence: float = 0.0,
        min_support: int = 0,
        sort: Sort | None = None,
        top: int | None = None,
    ) -> "RuleSet":
        """The rules with this head, all of these relations in the body, one of these lengths, and so on.

        They keep their order unless ``sort`` names another: confidence, support, length, head or name.

        >>> rules = RuleSet((Rule("a", ("b",), (0, 1), 1, 4), Rule("a", ("c",), (0, 1), 3, 4)))
        >>> [str(rule) for rule in rules.select(sort="confidence", top=1)]
        ['a(X, Y, T2) <- c(X, Y, T1)']
        """
        chosen = select_rules(self.rules, head, body, lengths, min_confidence, min_support)
        ordered = sort_rules(chosen, sort) if sort else chosen
        return replace(self, rules=tuple(ordered[:top]))

    def compare(self, other: "RuleSet") -> Comparison:
        """Which rules are in this set alone, in the other alone, and in both with the same or different supports."""
        return compare_rules(self.rules, other.rules)

    def merge(self, other: "RuleSet") -> "RuleSet":
        """The rules of both sets; of a rule in both, the one measured on more bodies. What else agrees is kept.

        >>> a, b = (RuleSet((Rule("a", (name,), (0, 1), 1, 4),)) for name in "bc")
        >>> len(a.merge(b))
        2
        """
        return RuleSet(
            tuple(merge_rules(self.rules, other.rules)),
            settings=dict(item for item in self.settings.items() if item in other.settings.items()),
            data=dict(item for item in self.data.items() if item in other.data.items()),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a rule file (JSON, a line a rule), or by its suffix .txt, .csv or .parquet, which hold rules alone.

        The file is there whole or not at all.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in TABLE_SUFFIXES:
            write_table(self.rules, path)
        elif suffix == ".txt":
            write_atomically(path, rules_to_text(self.rules))
        else:
            write_atomically(path, self.to_json())

    def to_json(self) -> str:
        """The content of a rule file in JSON."""
        return rules_to_json(self.rules, self.settings, self.data)

    @classmethod
    def from_json(cls, content: str, path: str | os.PathLike[str] = "this") -> "RuleSet":
        """The rules that ``to_json`` told; the path is for messages."""
        return cls(*rules_from_json(content, path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "RuleSet":
        """Read a rule file: JSON, text with a rule a line, or a table."""
        path = Path(path)
        if path.suffix.lower() in TABLE_SUFFIXES:
            return cls(read_table(path))
        content = read_rule_file(path)
        if content.lstrip().startswith(("{", "[")):  # no rule begins so: such a name is quoted
            return cls.from_json(content, path)
        return cls(rules_from_text(content, path))


def read_rule_file(path: Path) -> str:
    """The text of a rule file."""
    return read_text(path, "rule file", "tlogic learn")
