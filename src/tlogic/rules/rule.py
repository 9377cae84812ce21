"""Rule: a temporal logical rule and its confidence."""

from itertools import pairwise
from typing import NamedTuple

from tlogic.errors import InputError
from tlogic.names import normalised, pattern_of
from tlogic.rules.quoted_names import quote_name

MAX_SUPPORT = 10**18
"""Larger supports are mistakes."""


class Rule(NamedTuple):
    """A temporal logical rule with its supports.

    A rule of length l reads head(E_1, E_(l+1), T_(l+1)) <- r_1(E_1, E_2, T_1), ..., r_l(E_l, E_(l+1), T_l) with
    T_1 <= ... <= T_l < T_(l+1).

    Attributes:
        head: Head relation. Names of inverse relations end in ``^-1``.
        body: Body relations r_1 .. r_l.
        variables: The variables E_1 .. E_(l+1), numbered by first appearance; a repeated number is a repeated variable.
        rule_support: Number of body groundings that the head follows.
        body_support: Number of body groundings; 0 if the rule has not been measured.

    Example:
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
        """Whether the supports, and so the confidence, are known."""
        return self.body_support > 0

    @property
    def confidence(self) -> float:
        """Rule support / body support.

        Raises:
            InputError: If the rule has not been measured.
        """
        if self.body_support == 0:
            raise InputError(
                f"The confidence of {self} is unknown; `tlogic measure DATA --rules RULES --out NEW` computes it, "
                "or write it before the rule, such as 0.57 or 57/100."
            )
        return self.rule_support / self.body_support

    @property
    def identity(self) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
        """Head, body and variables with normalised names: equal for the same rule in different spellings.

        Example:
            >>> Rule("Sue", ("bid for",), (0, 1)).identity == Rule("sue", ("bid_for",), (0, 1), 1, 3).identity
            True
        """
        return normalised(self.head), tuple([normalised(name) for name in self.body]), self.variables

    def __str__(self) -> str:
        names = [variable_name(number) for number in self.variables]
        atoms = [
            f"{quote_name(relation)}({subject}, {object_}, T{i})"
            for i, (relation, (subject, object_)) in enumerate(zip(self.body, pairwise(names), strict=True), 1)
        ]
        return f"{quote_name(self.head)}({names[0]}, {names[-1]}, T{len(self.body) + 1}) <- {', '.join(atoms)}"


def are_supports(rule_support: object, body_support: object) -> bool:
    """Whether two values can be the supports of a rule.

    >>> are_supports(3, 4), are_supports(4, 3), are_supports(None, 4), are_supports(0.5, 4)
    (True, False, False, False)
    """
    return type(rule_support) is int and type(body_support) is int and 0 <= rule_support <= body_support <= MAX_SUPPORT


def variable_name(number: int) -> str:
    """The name of a variable: X, Y, Z, then E3, E4, ...

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
