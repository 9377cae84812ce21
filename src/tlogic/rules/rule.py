"""Rule: what follows from what, and how often."""

from itertools import pairwise
from typing import NamedTuple

from tlogic.errors import InputError
from tlogic.names import normalised, pattern_of
from tlogic.rules.quoted_names import quote_name


class Rule(NamedTuple):
    """A temporal rule: head(E_1, E_(l+1), T_(l+1)) <- body, with T_1 <= ... <= T_l < T_(l+1).

    Relation names may carry the mark ``^-1`` of an inverse relation. ``variables`` numbers E_1 .. E_(l+1) by first
    appearance, so a number that comes again is a repeated variable. A body support of 0 says that the rule was not
    measured yet: somebody wrote it, and its confidence is unknown.

    >>> rule = Rule("consult", ("meet", "visit^-1"), (0, 1, 2), rule_support=57, body_support=100)
    >>> print(rule)
    consult(X, Z, T3) <- meet(X, Y, T1), visit^-1(Y, Z, T2)
    >>> rule.confidence
    0.57
    """

    head: str
    body: tuple[str, ...]
    variables: tuple[int, ...]
    rule_support: int = 0
    body_support: int = 0

    @property
    def is_measured(self) -> bool:
        """Are the supports, and with them the confidence, known?"""
        return self.body_support > 0

    @property
    def confidence(self) -> float:
        """The share of bodies that the head followed; to ask for it before it was measured is an error."""
        if self.body_support == 0:
            raise InputError(
                f"The confidence of {self} is unknown; `tlogic measure DATA --rules RULES --out NEW` computes it, "
                "or write it in front of the rule, such as 0.57 or 57/100."
            )
        return self.rule_support / self.body_support

    @property
    def identity(self) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
        """What makes two rules the same: head, body and variables, however their names are spelled.

        >>> Rule("Sue", ("bid for",), (0, 1)).identity == Rule("sue", ("bid_for",), (0, 1), 1, 3).identity
        True
        """
        return normalised(self.head), tuple([normalised(name) for name in self.body]), self.variables

    def __str__(self) -> str:
        names = [variable_name(number) for number in self.variables]
        pairs = pairwise(names)
        atoms = [
            f"{quote_name(r)}({a}, {b}, T{i})" for i, (r, (a, b)) in enumerate(zip(self.body, pairs, strict=True), 1)
        ]
        return f"{quote_name(self.head)}({names[0]}, {names[-1]}, T{len(self.body) + 1}) <- {', '.join(atoms)}"


def variable_name(number: int) -> str:
    """X, Y, Z, then E3, E4, ...

    >>> [variable_name(number) for number in range(4)]
    ['X', 'Y', 'Z', 'E3']
    """
    return "XYZ"[number] if number < 3 else f"E{number}"


def is_pattern(variables: tuple[int, ...]) -> bool:
    """Are the variables numbered by first appearance?

    >>> is_pattern((0, 1, 0, 2)), is_pattern((0, 2, 1))
    (True, False)
    """
    return pattern_of(variables) == variables
