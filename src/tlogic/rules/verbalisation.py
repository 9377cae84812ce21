"""Rules in words: "X consults Y after discussing by telephone with Y"."""

from collections.abc import Sequence
from itertools import pairwise

from tlogic.names import INVERSE_MARK
from tlogic.rules.quoted_names import quote_name
from tlogic.rules.rule import Rule, variable_name
from tlogic.rules.verb_phrases import verb_phrase

Fact = tuple[str, str, str]
"""Who does what to whom; the relation is never an inverse one."""


def in_words(rule: Rule) -> str:
    """A rule as an English sentence; "then" means later or at the same time.

    >>> in_words(Rule("Consult", ("Discuss_by_telephone",), (0, 1), 57, 100))
    'X consults Y after discussing by telephone with Y'
    >>> in_words(Rule("consult", ("meet", "visit^-1"), (0, 1, 2), 57, 100))
    'X consults Z after X meets Y and then Z visits Y'
    """
    entities = [variable_name(number) for number in rule.variables]
    head = fact_of(rule.head, entities[0], entities[-1])
    return sentence(head, [fact_of(name, *pair) for name, pair in zip(rule.body, pairwise(entities), strict=True)])


def fact_of(relation: str, subject: str, object_: str) -> Fact:
    """An inverse relation is told from its other end."""
    base = relation.removesuffix(INVERSE_MARK)
    return (subject, base, object_) if base == relation else (object_, base, subject)


def sentence(head: Fact, body: Sequence[Fact], in_order: bool = True) -> str:
    """What comes after what; the facts of the body one after the other, or in any order.

    >>> sentence(("X", "consult", "Z"), [("X", "meet", "Y"), ("Y", "visit", "Z")], in_order=False)
    'X consults Z after X meets Y and Y visits Z'
    """
    told = _participles(head[0], body) or [_clause(*fact) for fact in body]
    return f"{_clause(*head)} after {_in_time_order(told) if in_order else ' and '.join(told)}"


def _clause(subject: str, relation: str, object_: str) -> str:
    phrase = verb_phrase(relation)
    if phrase is None:
        return f"{subject} {relation if relation and relation.isprintable() else quote_name(relation)} {object_}"
    before, after = phrase.finite
    return f"{subject} {before} {object_}{after}"


def _participles(subject: str, body: Sequence[Fact]) -> list[str] | None:
    """The body in -ing, if the head's subject does all of it."""
    told = []
    for who, relation, object_ in body:
        phrase = verb_phrase(relation)
        if who != subject or phrase is None or phrase.gerund is None:
            return None
        before, after = phrase.gerund
        told.append(f"{before} {object_}{after}")
    return told


def _in_time_order(parts: list[str]) -> str:
    parts = [f"{part} again" if part in parts[:place] else part for place, part in enumerate(parts)]
    if len(parts) < 3:
        return " and then ".join(parts)
    return f"{', then '.join(parts[:-1])}, and then {parts[-1]}"
