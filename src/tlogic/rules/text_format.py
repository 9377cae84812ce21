"""Rules as text that people can edit: one rule per line, with supports before it and comments after ``#``."""

import json
import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from os import PathLike
from typing import NamedTuple, NoReturn

from tlogic.errors import InputError
from tlogic.names import inverse_of, pattern_of
from tlogic.rules.quoted_names import needs_no_quotes, quote_name
from tlogic.rules.rule import Rule, are_supports

_ATOM_EXAMPLE = "meet(X, Y, T1)"
_EXAMPLE = f"consult(X, Y, T2) <- {_ATOM_EXAMPLE}"
_TITLE = """\
# One rule per line: rule support / body support, then the rule. You can edit, add and delete lines.
# A confidence can replace the supports. Without either, `tlogic measure` computes them.
"""

_VARIABLE = r"\s*([^\W\d]\w*)\s*"
_ATOM = re.compile(
    rf'\s*(?:("(?:[^"\\]|\\.)*")(\^-1)?|([^\s"#]+?))\s*\({_VARIABLE},{_VARIABLE},\s*[Tt]([0-9]{{1,9}})\s*\)'
)
_ARROW = re.compile(r"\s*(?:<-|:-|←)")
_COMMA = re.compile(r"\s*,")
_END = re.compile(r"\s*(?:#.*)?$", re.DOTALL)
_SUPPORTS = re.compile(r"\s*(?:([0-9]{1,15})\s*/\s*([0-9]{1,15})|([0-9]{0,15}\.?[0-9]{1,15}|[01]\.))\s+(?![\s(])")
_MIN_BODY_SUPPORT = 100  # bodies that a confidence is expressed as supports of


class Atom(NamedTuple):
    """relation(subject, object, T_time), as in the text."""

    relation: str
    subject: str
    object: str
    time: int

    def __str__(self) -> str:
        return f"{quote_name(self.relation)}({self.subject}, {self.object}, T{self.time})"


def parse_rule(text: str) -> Rule:
    """Parse a rule as ``print`` shows it, with or without its supports or its confidence before it.

    Args:
        text: The rule. Variables may have any names; an atom with subject and object exchanged becomes the inverse
            relation.

    Returns:
        The rule; unmeasured if the text gives neither supports nor confidence.

    Raises:
        InputError: If the text is not a rule; the message gives the column and what was expected.

    Example:
        >>> parse_rule("57/100  consult(X, Y, T2) <- visit(Y, X, T1)")
        Rule(head='consult', body=('visit^-1',), variables=(0, 1), rule_support=57, body_support=100)
        >>> print(parse_rule("consult(A, C, T3) :- meet(A, B, T1), visit(C, B, T2)"))
        consult(X, Z, T3) <- meet(X, Y, T1), visit^-1(Y, Z, T2)
    """
    supports, position = _read_supports(text)
    head, position = _read_atom(text, position)
    position = _skip(_ARROW, text, position, "'<-' after the head")
    body, position = _read_body(text, position)
    _skip(_END, text, position, "',' and another atom, or the end of the rule")
    _check_times([*body, head])
    relations, entities = _follow_chain(head, body)
    return Rule(head.relation, relations, pattern_of(entities), *supports)


def rule_line(rule: Rule) -> str:
    """A rule as a line of a rule text: its supports, if it is measured, and the rule.

    >>> print(rule_line(Rule("consult", ("meet",), (0, 1), 57, 100)))
    57/100   consult(X, Y, T2) <- meet(X, Y, T1)
    """
    return f"{f'{rule.rule_support}/{rule.body_support}':<8} {rule}" if rule.is_measured else f"{rule}"


def rules_to_text(rules: Iterable[Rule]) -> str:
    """The content of a text file with the rules."""
    return _TITLE + "".join(f"{rule_line(rule)}\n" for rule in rules)


def rules_from_text(content: str, path: str | PathLike[str]) -> tuple[Rule, ...]:
    """The rules of a text file; messages name the path."""
    lines: dict[tuple[object, ...], int] = {}
    rules = []
    for number, line in enumerate(content.split("\n"), 1):
        if not _END.match(line):
            try:
                rule = parse_rule(line)
            except InputError as error:
                raise InputError(f"{path} line {number}: {error}") from None
            first = lines.setdefault(rule.identity, number)
            if first != number:
                raise InputError(f"{path} line {number} repeats the rule of line {first}; delete one: {rule}")
            rules.append(rule)
    return tuple(rules)


def _read_supports(text: str) -> tuple[tuple[int, int], int]:
    """The supports before a rule, (0, 0) if there are none, and the position where the rule begins."""
    found = _SUPPORTS.match(text)
    if not found:
        return (0, 0), 0
    if found[3]:
        return supports_of(found[3]), found.end()
    rule_support, body_support = int(found[1]), int(found[2])
    if not (are_supports(rule_support, body_support) and body_support > 0):
        raise InputError(
            f"Expected supports such as 57/100, the first not above the second and the second not 0; "
            f"found {found[0].strip()}. Omit them if they are unknown."
        )
    return (rule_support, body_support), found.end()


def supports_of(confidence: str) -> tuple[int, int]:
    """A confidence as supports: out of 100 bodies, or of a larger power of 10 if its digits need it.

    >>> supports_of("0.5"), supports_of("0.125")
    ((50, 100), (125, 1000))
    """
    value = Fraction(confidence)
    if value > 1:
        raise InputError(f"Expected a confidence between 0 and 1 or supports such as 57/100; found {confidence}.")
    bodies = max(_MIN_BODY_SUPPORT, 10 ** len(confidence.partition(".")[2]))
    return int(value * bodies), bodies


def _read_atom(text: str, position: int) -> tuple[Atom, int]:
    found = _ATOM.match(text, position)
    if not found:
        _fail(text, position, f"an atom such as {_ATOM_EXAMPLE}")
    quoted, mark, bare, subject, object_, time = found.groups()
    if bare is not None and not needs_no_quotes(bare):
        _fail(text, position, f"a name in double quotes, {json.dumps(bare, ensure_ascii=False)}, since it is ambiguous")
    relation = bare if bare is not None else _unquoted(text, position, quoted) + (mark or "")
    return Atom(relation, subject, object_, int(time)), found.end()


def _unquoted(text: str, position: int, quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except json.JSONDecodeError:
        _fail(text, position, "a name quoted like a JSON string")


def _read_body(text: str, position: int) -> tuple[list[Atom], int]:
    atom, position = _read_atom(text, position)
    atoms = [atom]
    while comma := _COMMA.match(text, position):
        atom, position = _read_atom(text, comma.end())
        atoms.append(atom)
    return atoms, position


def _skip(expected: re.Pattern[str], text: str, position: int, name: str) -> int:
    found = expected.match(text, position)
    if not found:
        _fail(text, position, name)
    return found.end()


def _check_times(atoms: list[Atom]) -> None:
    times = [atom.time for atom in atoms]
    if any(a >= b for a, b in pairwise(times)):
        *body, head = (f"T{time}" for time in times)
        raise InputError(
            f"Expected times that increase from atom to atom, with the head last, as in {_EXAMPLE}; "
            f"found {', '.join(body)} in the body and {head} in the head."
        )


def _follow_chain(head: Atom, body: list[Atom]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The relations and variables on the path from the head's subject along the body to the head's object."""
    entities, relations = [head.subject], []
    for number, (relation, subject, object_, _) in enumerate(body, 1):
        forward = subject == entities[-1]
        if not forward and object_ != entities[-1]:
            raise InputError(
                f"Expected a body that is a chain from {head.subject} to {head.object}, so atom {number} must start or "
                f"end at {entities[-1]}; found {body[number - 1]}."
            )
        relations.append(relation if forward else inverse_of(relation))
        entities.append(object_ if forward else subject)
    if entities[-1] != head.object:
        raise InputError(
            f"Expected a body that is a chain from {head.subject} to {head.object}; it ends at {entities[-1]}."
        )
    return tuple(relations), tuple(entities)


def _fail(text: str, position: int, expected: str) -> NoReturn:
    rest = text[position:].lstrip()
    column = len(text) - len(rest) + 1
    found = repr(rest[:40] + "..." if len(rest) > 40 else rest) if rest else "the end"
    raise InputError(
        f"Expected {expected} at column {column}; found {found}. A rule reads like {_EXAMPLE}, "
        "and a name with spaces or punctuation needs double quotes."
    )
