"""RuleSet: rules, how they were learned and from what; kept in a file that people can read."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tlogic.errors import InputError
from tlogic.files import write_whole
from tlogic.rules.rule import Rule

_FORMAT = "tlogic rules"
_VERSION = 1


@dataclass(frozen=True)
class RuleSet:
    """Rules in order of head and decreasing confidence, with the settings and the data they come from.

    >>> rules = RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),))
    >>> len(rules), rules.by_length(), rules[0].confidence
    (1, {1: 1}, 0.75)
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

    def by_length(self) -> dict[int, int]:
        """How many rules there are of each length."""
        return dict(sorted(Counter(len(rule.body) for rule in self.rules).items()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rules as JSON, a line a rule; the file is there whole or not at all."""
        about = {"format": _FORMAT, "version": _VERSION, "settings": self.settings, "data": self.data}
        head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
        lines = ",\n".join(_lines(self.rules))
        write_whole(Path(path), f'{head},\n "rules": [\n{lines}\n]}}\n')

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "RuleSet":
        """Read a rule file."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"There is no rule file {path}; `tlogic learn` makes one.") from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InputError(f"{path} is not a rule file: {error}.") from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise InputError(f"{path} is not a rule file: expected JSON with the format {_FORMAT!r}.")
        if content.get("version") != _VERSION:
            raise InputError(
                f"{path} has version {content.get('version')!r} of the rule format; "
                f"this tlogic reads version {_VERSION}."
            )
        rules = tuple(_parse(rule, place, path) for place, rule in enumerate(content.get("rules", []), 1))
        return cls(rules, content.get("settings", {}), content.get("data", {}))


def _lines(rules: Sequence[Rule]) -> Iterator[str]:
    """Rules as JSON objects; each name is encoded once, which makes this several times faster."""
    quoted = {name: json.dumps(name, ensure_ascii=False) for rule in rules for name in (rule.head, *rule.body)}
    for head, body, variables, rule_support, body_support in rules:
        yield (
            f'{{"head": {quoted[head]}, "body": [{", ".join([quoted[name] for name in body])}], '
            f'"variables": {list(variables)}, "rule_support": {rule_support}, "body_support": {body_support}}}'
        )


def _parse(entry: Any, place: int, path: str | os.PathLike[str]) -> Rule:
    try:
        rule = Rule(
            entry["head"],
            tuple(entry["body"]),
            tuple(entry["variables"]),
            entry["rule_support"],
            entry["body_support"],
        )
        sound = len(rule.variables) == len(rule.body) + 1 > 1 and 0 <= rule.rule_support <= rule.body_support > 0
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: rule {place} cannot be read ({error!r}): {entry}.") from None
    if not sound:
        raise InputError(
            f"{path}: rule {place} is unsound: it needs one variable more than body relations, and "
            f"0 <= rule_support <= body_support, body_support > 0; found {entry}."
        )
    return rule
