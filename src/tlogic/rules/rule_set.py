"""RuleSet: rules, and how and from what they were learned."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlogic.errors import InputError
from tlogic.files import read_text, write_atomically
from tlogic.notebook import MAX_ROWS, html_table
from tlogic.rules.comparison import Comparison, compare_rules, merge_rules
from tlogic.rules.json_format import rules_from_json, rules_to_json
from tlogic.rules.rule import Rule
from tlogic.rules.selection import Sort, select_rules, sort_rules
from tlogic.rules.table_format import TABLE_SUFFIXES, read_table, to_frame, write_table
from tlogic.rules.text_format import rules_from_text, rules_to_text
from tlogic.rules.verbalisation import in_words

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class RuleSet:
    """Rules, with the settings and the data that they come from.

    Attributes:
        rules: The rules; learned ones are sorted by head and decreasing confidence.
        settings: The settings that the rules were learned with.
        data: A description of the training facts.

    Example:
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

    def __getitem__(self, index: int) -> Rule:
        return self.rules[index]

    def __repr__(self) -> str:
        lengths = ", ".join(f"{count:,} of length {length}" for length, count in self.by_length().items())
        return f"RuleSet({len(self):,} rule{'' if len(self) == 1 else 's'}{lengths and f': {lengths}'})"

    def _repr_html_(self) -> str:
        rows = [
            (rule, in_words(rule), f"{rule.rule_support:,}/{rule.body_support:,}" if rule.is_measured else "unmeasured")
            for rule in self.rules[:MAX_ROWS]
        ]
        more = f"and {len(self) - MAX_ROWS:,} more rules" if len(self) > MAX_ROWS else ""
        return html_table(repr(self), ["rule", "in words", "support"], rows, more)

    @property
    def frame(self) -> "pl.DataFrame":
        """The rules as a polars data frame, one rule per row.

        Example:
            >>> RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),)).frame["confidence"].to_list()
            [0.75]
        """
        return to_frame(self.rules)

    def by_length(self) -> dict[int, int]:
        """The number of rules of each length."""
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
        """The rules that match all of the given conditions.

        Args:
            head: Head relation.
            body: Relations that all occur in the body.
            lengths: Rule lengths; empty for all.
            min_confidence: Lower bound of the confidence; above 0 it excludes unmeasured rules.
            min_support: Lower bound of the body support.
            sort: "confidence", "support", "length", "head" or "name"; by default rules keep their order.
            top: Maximum number of rules; by default all.

        Returns:
            A rule set with the same settings and data.

        Example:
            >>> rules = RuleSet((Rule("a", ("b",), (0, 1), 1, 4), Rule("a", ("c",), (0, 1), 3, 4)))
            >>> [str(rule) for rule in rules.select(sort="confidence", top=1)]
            ['a(X, Y, T2) <- c(X, Y, T1)']
        """
        chosen = select_rules(self.rules, head, body, lengths, min_confidence, min_support)
        ordered = sort_rules(chosen, sort) if sort else chosen
        return replace(self, rules=tuple(ordered[:top]))

    def compare(self, other: "RuleSet") -> Comparison:
        """Compare with another rule set.

        Args:
            other: The second rule set.

        Returns:
            The rules of one set only, and those of both with equal or different supports.

        Example:
            >>> first, second = (RuleSet((Rule("a", (name,), (0, 1), 1, 4),)) for name in "bc")
            >>> len(first.compare(second).only_first)
            1
        """
        return compare_rules(self.rules, other.rules)

    def merge(self, other: "RuleSet") -> "RuleSet":
        """Merge with another rule set.

        Args:
            other: The second rule set.

        Returns:
            The rules of both sets; of a rule in both, the one with the larger body support. Settings and data keep the
            entries in which both sets agree.

        Example:
            >>> first, second = (RuleSet((Rule("a", (name,), (0, 1), 1, 4),)) for name in "bc")
            >>> len(first.merge(second))
            2
        """
        return RuleSet(
            tuple(merge_rules(self.rules, other.rules)),
            settings=dict(item for item in self.settings.items() if item in other.settings.items()),
            data=dict(item for item in self.data.items() if item in other.data.items()),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a rule file; an existing file is replaced only when the new one is complete.

        Args:
            path: The file. Its suffix gives the format: .txt, .csv and .parquet hold the rules only; anything else is
                JSON, with settings and data.

        Raises:
            InputError: If the file cannot be written.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> with TemporaryDirectory() as folder:
            ...     RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),)).save(Path(folder, "my.rules"))
            ...     RuleSet.load(Path(folder, "my.rules"))
            RuleSet(1 rule: 1 of length 1)
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
        """The content of a JSON rule file."""
        return rules_to_json(self.rules, self.settings, self.data)

    @classmethod
    def from_json(cls, content: str, path: str | os.PathLike[str] = "this") -> "RuleSet":
        """Read the content of a JSON rule file.

        Args:
            content: What ``to_json`` returned.
            path: The name of the file in error messages.

        Returns:
            The rule set.

        Raises:
            InputError: If the content is not that of a rule file.

        Example:
            >>> RuleSet.from_json(RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),)).to_json())
            RuleSet(1 rule: 1 of length 1)
        """
        return cls(*rules_from_json(content, path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "RuleSet":
        """Read a rule file.

        Args:
            path: The file: JSON, text with one rule per line, or a CSV or Parquet table. See ``save`` for an example.

        Returns:
            The rule set.

        Raises:
            InputError: If the file does not exist or is not a rule file.
        """
        path = Path(path)
        if path.suffix.lower() in TABLE_SUFFIXES:
            return cls(read_table(path))
        content = read_rule_file(path)
        if content.lstrip().startswith(("{", "[")):  # a rule never starts so: such a name is quoted
            return cls.from_json(content, path)
        return cls(rules_from_text(content, path))


def read_rule_file(path: Path) -> str:
    """The text of a rule file, which is never empty: a file without rules has at least a title."""
    content = read_text(path, "rule file", "tlogic learn")
    if not content.strip():
        raise InputError(f"{path} is empty, so it is damaged or no rule file; create it with `tlogic learn`.")
    return content
