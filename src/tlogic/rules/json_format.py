"""The JSON rule file: settings, a description of the data, one rule per line, and a checksum."""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from os import PathLike
from typing import Any

from tlogic.errors import InputError
from tlogic.json_positions import line_of
from tlogic.rules.rule import MAX_SUPPORT, Rule, are_supports, is_pattern
from tlogic.sealing import check_seal, seal

_FORMAT = "tlogic rules"
_VERSION = 2
_VERSION_WITHOUT_CHECKSUM = 1


def rules_to_json(rules: Sequence[Rule], settings: dict[str, Any], data: dict[str, Any]) -> str:
    """The content of a rule file."""
    about = {"format": _FORMAT, "version": _VERSION, "settings": settings, "data": data}
    head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(_lines(rules))
    return seal(f'{head},\n "rules": [\n{lines}\n]}}\n')


def rules_from_json(content: str, path: str | PathLike[str]) -> tuple[tuple[Rule, ...], dict[str, Any], dict[str, Any]]:
    """The rules, settings and data of a rule file; messages name the path."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a rule file: {error}.") from None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise InputError(f"{path} is not a rule file: expected JSON with the format {_FORMAT!r}{_hint(found)}.")
    if found.get("version") not in (_VERSION, _VERSION_WITHOUT_CHECKSUM):
        raise InputError(
            f"{path} has version {found.get('version')!r} of the rule format; this tlogic reads version {_VERSION}."
        )
    if found["version"] == _VERSION or "checksum" in found:
        check_seal(content, path, "tlogic learn")
    about = found.get("settings", {}), found.get("data", {}), found.get("rules", [])
    if not all(isinstance(part, kind) for part, kind in zip(about, (dict, dict, list), strict=True)):
        raise InputError(f"{path} is not a rule file: settings and data are JSON objects, rules a list.")
    settings, data, entries = about
    rules = []
    for index, entry in enumerate(entries):
        try:
            rules.append(_rule(entry))
        except InputError as error:
            line = line_of(content, "rules", index)
            raise InputError(f"{path} line {line}: rule {index + 1} {error}") from None
    return tuple(rules), settings, data


def _hint(found: Any) -> str:
    published = isinstance(found, dict) and found and all(key.isdecimal() for key in found)
    return "; it looks like one of the published TLogic code, which needs --ids relation2id.json" if published else ""


def _lines(rules: Sequence[Rule]) -> Iterator[str]:
    """Rules as JSON objects; encodes each name once, which is several times faster."""
    quoted = {name: json.dumps(name, ensure_ascii=False) for rule in rules for name in (rule.head, *rule.body)}
    for head, body, variables, rule_support, body_support in rules:
        yield (
            f'{{"head": {quoted[head]}, "body": [{", ".join([quoted[name] for name in body])}], '
            f'"variables": {list(variables)}, "rule_support": {rule_support}, "body_support": {body_support}}}'
        )


def _rule(entry: Any) -> Rule:
    try:
        head, body, variables = entry["head"], tuple(entry["body"]), tuple(entry["variables"])
        rule_support, body_support = entry["rule_support"], entry["body_support"]
        if not all(isinstance(name, str) for name in (head, *body)):
            raise TypeError("relation names must be text")
        valid = _length(variables) == len(body) > 0 and are_supports(rule_support, body_support)
    except (KeyError, TypeError) as error:
        raise InputError(f"cannot be read ({error!r}): {entry}.") from None
    if not valid:
        raise InputError(
            f"is invalid: it needs one variable more than body relations, numbered by first "
            f"appearance, and integers 0 <= rule_support <= body_support <= {MAX_SUPPORT:g}; found {entry}."
        )
    return Rule(head, body, variables, rule_support, body_support)


@lru_cache(maxsize=1 << 10)  # few patterns, but tens of thousands of rules
def _length(variables: tuple[int, ...]) -> int:
    """The length of rules with these variables; -1 if they are not numbered by first appearance."""
    return len(variables) - 1 if is_pattern(variables) else -1
