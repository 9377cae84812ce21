"""Rule: what follows from what, and how often."""

from typing import NamedTuple


class Rule(NamedTuple):
    """A temporal rule: head(E_1, E_(l+1), T_(l+1)) <- body, with T_1 <= ... <= T_l < T_(l+1).

    Relation names may carry the mark ``^-1`` of an inverse relation. ``variables`` numbers E_1 .. E_(l+1) by first
    appearance, so a number
    that comes again is a repeated variable.

    >>> rule = Rule("consult", ("meet", "visit^-1"), (0, 1, 2), rule_support=57, body_support=100)
    >>> print(rule)
    consult(X, Z, T3) <- meet(X, Y, T1), visit^-1(Y, Z, T2)
    >>> rule.confidence
    0.57
    """

    head: str
    body: tuple[str, ...]
    variables: tuple[int, ...]
    rule_support: int
    body_support: int

    @property
    def confidence(self) -> float:
        """The share of bodies that the head followed."""
        return self.rule_support / self.body_support

    def __str__(self) -> str:
        names = [variable_name(number) for number in self.variables]
        atoms = [
            f"{r}({a}, {b}, T{i})" for i, (r, a, b) in enumerate(zip(self.body, names, names[1:], strict=False), 1)
        ]
        return f"{self.head}({names[0]}, {names[-1]}, T{len(self.body) + 1}) <- {', '.join(atoms)}"


def variable_name(number: int) -> str:
    """X, Y, Z, then E3, E4, ...

    >>> [variable_name(number) for number in range(4)]
    ['X', 'Y', 'Z', 'E3']
    """
    return "XYZ"[number] if number < 3 else f"E{number}"
