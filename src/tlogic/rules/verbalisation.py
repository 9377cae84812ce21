"""Verbalisation of rules: "X consults Y after discussing by telephone with Y"."""

import json
import re
from collections.abc import Sequence
from itertools import pairwise

from tlogic.names import INVERSE_MARK
from tlogic.rules.rule import Rule, variable_name
from tlogic.rules.verb_phrases import verb_phrase

_PLAIN_VERB = re.compile(r"[a-z]+s")  # reads as a verb in a sentence, also if it is not a known one
Fact = tuple[str, str, str]
"""Subject, relation and object; the relation is never an inverse."""


def in_words(rule: Rule) -> str:
    """A rule as an English sentence; "then" means later or at the same time.

    Args:
        rule: The rule. Relation names that are no verb phrases, unlike those of ICEWS, are quoted unchanged.

    Returns:
        The sentence, without a full stop.

    Example:
        >>> in_words(Rule("Consult", ("Discuss_by_telephone",), (0, 1), 57, 100))
        'X consults Y after discussing by telephone with Y'
        >>> in_words(Rule("consult", ("meet", "visit^-1"), (0, 1, 2), 57, 100))
        'X consults Z after X meets Y and then Z visits Y'
        >>> in_words(Rule("sue (civil)", ("capital_of",), (0, 1), 57, 100))
        'X "sue (civil)" Y after X "capital_of" Y'
    """
    entities = [variable_name(number) for number in rule.variables]
    head = fact_of(rule.head, entities[0], entities[-1])
    return sentence(head, [fact_of(name, *pair) for name, pair in zip(rule.body, pairwise(entities), strict=True)])


def fact_of(relation: str, subject: str, object_: str) -> Fact:
    """A fact without inverse relation: subject and object are exchanged if there was one."""
    base = relation.removesuffix(INVERSE_MARK)
    return (subject, base, object_) if base == relation else (object_, base, subject)


def sentence(head: Fact, body: Sequence[Fact], in_order: bool = True) -> str:
    """A sentence "head after body"; the facts of the body follow one another, or are in any order.

    >>> sentence(("X", "consult", "Z"), [("X", "meet", "Y"), ("Y", "visit", "Z")], in_order=False)
    'X consults Z after X meets Y and Y visits Z'
    """
    clauses = _participles(head[0], body) or [_clause(*fact) for fact in body]
    return f"{_clause(*head)} after {_in_time_order(clauses) if in_order else ' and '.join(clauses)}"


def _clause(subject: str, relation: str, object_: str) -> str:
    """A fact as a main clause: "X meets Y"."""
    phrase = verb_phrase(relation)
    if phrase is None:
        verb = relation if _PLAIN_VERB.fullmatch(relation) else json.dumps(relation, ensure_ascii=False)
        return f"{subject} {verb} {object_}"
    before, after = phrase.finite
    return f"{subject} {before} {object_}{after}"


def _participles(subject: str, body: Sequence[Fact]) -> list[str] | None:
    """The body with participles ("meeting Y"), if the head's subject is the subject of all its facts; else None."""
    clauses = []
    for who, relation, object_ in body:
        phrase = verb_phrase(relation)
        if who != subject or phrase is None or phrase.gerund is None:
            return None
        before, after = phrase.gerund
        clauses.append(f"{before} {object_}{after}")
    return clauses


def _in_time_order(parts: list[str]) -> str:
    """Clauses joined by "then"."""
    parts = [f"{part} again" if part in parts[:i] else part for i, part in enumerate(parts)]
    if len(parts) < 3:
        return " and then ".join(parts)
    return f"{', then '.join(parts[:-1])}, and then {parts[-1]}"
