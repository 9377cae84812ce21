"""Evidence for people: a sentence for each family, from the numbers that it counted."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tlogic.evidence.histories import FOREVER


class Names(NamedTuple):
    """What a sentence is about, in words."""

    subject: str
    relation: str
    candidate: str
    span: Callable[[int], str]
    """A number of steps in words."""


Values = Mapping[str, float]
"""The columns of one family that are there."""


def sentence(family: str, values: Values, names: Names) -> str:
    """What one family of evidence says of a candidate."""
    return _SENTENCES[family](values, names)


def _recurrence(values: Values, names: Names) -> str:
    if "age" not in values:
        return f"{names.subject} — {names.relation} → {names.candidate} never happened before"
    return (
        f"{names.subject} — {names.relation} → {names.candidate} happened {values[f'count {FOREVER}']:.0f} times, last "
        f"{names.span(int(values['age']))} before; lately {values['share 2']:.0%} of {names.subject} — {names.relation}"
    )


def _pair(values: Values, names: Names) -> str:
    if "age" not in values:
        return f"{names.subject} and {names.candidate} never had to do with each other"
    return (
        f"{names.subject} and {names.candidate} had to do with each other {values[f'count {FOREVER}']:.0f} times, last "
        f"{names.span(int(values['age']))} before; lately {values['share of subject 2']:.0%} of {names.subject}'s"
    )


def _popularity(values: Values, names: Names) -> str:
    active = f"it was active {values['activity 4']:.0f} times" if "activity 4" in values else "it was never active"
    if "age" not in values:
        return f"{names.candidate} was never the object of {names.relation}; {active}"
    return (
        f"{names.candidate} is lately the object of {values['share of relation 2']:.1%} of all {names.relation}, last "
        f"{names.span(int(values['age']))} before; {active}"
    )


def _paths(values: Values, names: Names) -> str:
    return (
        f"lately partners of {names.subject} did {names.relation} to {names.candidate} with a share of "
        f"{values['partners did it']:.1%}, and common partners lead to it with {values['common partners 3']:.1%}"
    )


def _rules(values: Values, names: Names) -> str:
    if not values["fires"]:
        return f"no rule of length 1 leads to {names.candidate}"
    return (
        f"{values['fires']:.0f} rules of length 1 lead to {names.candidate}; the best was right in "
        f"{values['probability 0']:.1%} of such cases, by age and share in {values['probability by share 0']:.1%}"
    )


def _constants(values: Values, names: Names) -> str:
    return (
        f"of those who were lately with the same partners as {names.subject}, up to {values['largest']:.1%} "
        f"did {names.relation} to {names.candidate}"
    )


_SENTENCES: dict[str, Callable[[Values, Names], str]] = {
    "recurrence": _recurrence,
    "pair": _pair,
    "popularity": _popularity,
    "paths": _paths,
    "rules": _rules,
    "constants": _constants,
}
