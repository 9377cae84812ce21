"""Rule files of the published TLogic code: JSON with relation ids, and relation2id.json that names them.

The ids of n relations are 0 .. n-1, those of their inverses n .. 2n-1. A file maps each head to its rules,
``{"3": [{"head_rel": 3, "body_rels": [5], "var_constraints": [], "conf": 0.5, "rule_supp": 2, "body_supp": 4}]}``.
``var_constraints`` lists, for each repeated variable, its positions among E_1 .. E_(l+1).
"""

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from tlogic.errors import InputError
from tlogic.files import write_atomically
from tlogic.names import INVERSE_MARK, did_you_mean, pattern_of
from tlogic.rules.rule import Rule, are_supports
from tlogic.rules.rule_set import RuleSet, read_rule_file
from tlogic.rules.selection import sort_rules

_ID_FILES = ("relation2id.json", "relation2id.txt")


def import_published(path: str | PathLike[str], ids: str | PathLike[str]) -> RuleSet:
    """Read a rule file of the published TLogic code.

    Args:
        path: The rule file.
        ids: Its relation2id.json or relation2id.txt, or the folder that holds it.

    Returns:
        The rules, in the order of the file.

    Raises:
        InputError: If a file cannot be read, or an id has no name.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> rules = RuleSet((Rule("consult", ("meet^-1",), (0, 1), 57, 100),))
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "relation2id.json").write_text('{"consult": 0, "meet": 1}')
        ...     export_published(rules, Path(folder, "r.json"), folder)
        ...     print(import_published(Path(folder, "r.json"), folder)[0])
        consult(X, Y, T2) <- meet^-1(X, Y, T1)
    """
    names = _with_inverses(read_relation_ids(ids))
    path = Path(path)
    try:
        found = json.loads(read_rule_file(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not a rule file of the published code: {error}.") from None
    if not isinstance(found, dict) or not all(isinstance(entries, list) for entries in found.values()):
        raise InputError(f"{path} is not a rule file of the published code: expected head ids with lists of rules.")
    entries = (entry for head in found.values() for entry in head)
    return RuleSet(tuple(_rule(entry, number, names, path) for number, entry in enumerate(entries, 1)))


def export_published(rules: Iterable[Rule], path: str | PathLike[str], ids: str | PathLike[str]) -> None:
    """Write a rule file of the published TLogic code.

    Args:
        rules: The rules; all must be measured.
        path: The file to write.
        ids: The relation2id.json or relation2id.txt with the ids to use, or the folder that holds it.

    Raises:
        InputError: If a file cannot be read or written, a relation has no id, or a rule has not been measured.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "relation2id.json").write_text('{"consult": 0, "meet": 1}')
        ...     export_published([Rule("consult", ("meet",), (0, 1), 57, 100)], Path(folder, "r.json"), folder)
        ...     Path(folder, "r.json").read_text()[:40]
        '{"0": [{"head_rel": 0, "body_rels": [1],'
    """
    names = _with_inverses(read_relation_ids(ids))
    number = {name: id_ for id_, name in enumerate(names)}
    by_head: dict[int, list[dict[str, Any]]] = {}
    for rule in sort_rules(rules, "confidence"):
        unknown = next((name for name in (rule.head, *rule.body) if name not in number), None)
        if unknown is not None:
            raise InputError(f"{ids} has no id for {unknown!r} of the rule {rule}{did_you_mean(unknown, names)}")
        by_head.setdefault(number[rule.head], []).append(
            {
                "head_rel": number[rule.head],
                "body_rels": [number[name] for name in rule.body],
                "var_constraints": _repeated_positions(rule.variables),
                "conf": round(rule.confidence, 6),
                "rule_supp": rule.rule_support,
                "body_supp": rule.body_support,
            }
        )
    write_atomically(Path(path), json.dumps(dict(sorted(by_head.items()))))


def read_relation_ids(path: str | PathLike[str]) -> list[str]:
    """The names of relations 0, 1, ..., from relation2id.json, lines `name<TAB>id`, or a folder with either."""
    file = Path(path)
    if file.is_dir():
        here = [file / name for name in _ID_FILES if (file / name).is_file()]
        if not here:
            raise InputError(f"{path} holds no {' or '.join(_ID_FILES)}; one of them must name the relations.")
        file = here[0]
    try:
        content = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read the relation ids in {file}: {error}.") from None
    pairs = _pairs_of_json(content, file) if content.lstrip().startswith("{") else _pairs_of_lines(content, file)
    by_id = {id_: name for name, id_ in pairs}
    if not pairs or len(by_id) < len(pairs) or len(set(by_id.values())) < len(pairs):
        raise InputError(f"{file}: expected relations with one id each; found {len(pairs)} with {len(by_id)} ids.")
    if set(by_id) != set(range(len(by_id))):
        missing = next(id_ for id_ in range(len(by_id)) if id_ not in by_id)
        raise InputError(f"{file}: expected the ids 0 to {len(by_id) - 1}, one per relation; {missing} is missing.")
    return [by_id[id_] for id_ in range(len(by_id))]


def _pairs_of_json(content: str, file: Path) -> list[tuple[str, int]]:
    try:
        found = json.loads(content)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{file} is not JSON: {error}.") from None
    for name, id_ in found.items():
        if type(id_) is not int:
            raise InputError(f"{file}: expected an integer id for {name!r}; found {id_!r}.")
    return list(found.items())


def _pairs_of_lines(content: str, file: Path) -> list[tuple[str, int]]:
    pairs = []
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            name, _, id_ = line.rstrip("\r").partition("\t")
            if not (name and id_.strip().isdecimal()):
                raise InputError(f"{file} line {number}: expected a name, a tab and an integer id; found {line!r}.")
            pairs.append((name, int(id_)))
    return pairs


def _with_inverses(names: list[str]) -> list[str]:
    """The names of all relations, those of the inverses last."""
    return names + [name + INVERSE_MARK for name in names]


def _rule(entry: Any, number: int, names: list[str], path: Path) -> Rule:
    try:
        relations = [entry["head_rel"], *entry["body_rels"]]
        positions = [position for group in entry["var_constraints"] for position in group]
        rule_support, body_support = entry["rule_supp"], entry["body_supp"]
        valid = (
            all(type(value) is int for value in (*relations, *positions, rule_support, body_support))
            and len(relations) > 1
            and len(set(positions)) == len(positions)
            and all(0 <= position < len(relations) for position in positions)
            and are_supports(rule_support, body_support)
            and body_support > 0
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: rule {number} cannot be read ({error!r}): {entry}.") from None
    if not valid:
        raise InputError(
            f"{path}: rule {number} is invalid: expected relation ids, positions of repeated variables between 0 and "
            f"the length, each once, and 0 <= rule_supp <= body_supp > 0; found {entry}."
        )
    unknown = next((id_ for id_ in relations if not 0 <= id_ < len(names)), None)
    if unknown is not None:
        raise InputError(
            f"{path}: rule {number} has the relation id {unknown}, but {len(names) // 2} relations and their inverses "
            f"have the ids 0 to {len(names) - 1}; is it the right relation2id file?"
        )
    head, *body = [names[id_] for id_ in relations]
    return Rule(head, tuple(body), _variables(entry["var_constraints"], len(relations)), rule_support, body_support)


def _variables(groups: list[list[int]], size: int) -> tuple[int, ...]:
    """Variables from the positions of repeated ones."""
    first = {position: min(group) for group in groups for position in group}
    return pattern_of(first.get(position, position) for position in range(size))


def _repeated_positions(variables: tuple[int, ...]) -> list[list[int]]:
    """The positions of each variable that occurs more than once."""
    groups = [
        [position for position, other in enumerate(variables) if other == variable] for variable in set(variables)
    ]
    return sorted(group for group in groups if len(group) > 1)
