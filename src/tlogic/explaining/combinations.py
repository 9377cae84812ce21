"""What pairs of kinds of evidence add to a score, in words."""

from collections.abc import Sequence

from tlogic.evidence.registry import FAMILIES

COMBINATIONS = "combinations"
"""The name under which explanations sum all tables of two kinds of evidence."""

_MANNERS = (
    (("age", "activity age"), "how recently"),
    (("count", "activity", "events"), "how often"),
    (("share", "reverse share"), "how exclusively"),
    (("rank", "order", "pair order"), "compared with other candidates, how strongly"),
)
_OTHERWISE = "how strongly"

Kind = tuple[str, str]
"""The family and the name of a kind of evidence."""


def combination_sentence(
    kinds: Sequence[tuple[Kind, Kind]], weights: Sequence[float], subject: str, candidate: str
) -> str:
    """The sentence for all tables of two kinds of evidence: it names the strongest one with the sign of their sum.

    Args:
        kinds: Per table: the two kinds of evidence.
        weights: Per table: what it adds to the score.
        subject: The name of the entity in the query.
        candidate: The name of the candidate.

    >>> kinds = [(("pair", "age"), ("chains", "sum")), (("pair", "age"), ("recurrence", "age"))]
    >>> combination_sentence(kinds, [-0.2, 0.1], "Ann", "Bo")  # doctest: +ELLIPSIS
    'how recently Ann and Bo had events in common and how strongly chains of two events lead to Bo: together ...'
    """
    sign = 1 if sum(weights) >= 0 else -1
    strongest = max(range(len(weights)), key=lambda index: sign * weights[index])
    if not weights[strongest]:
        return "no two kinds of evidence say more or less together than each alone"
    one, other = (kind_in_words(kind, subject, candidate) for kind in kinds[strongest])
    return f"{one} and {other}: together {'more' if sign > 0 else 'less'} than each alone"


def kind_in_words(kind: Kind, subject: str, candidate: str) -> str:
    """A kind of evidence as a clause.

    >>> kind_in_words(("recurrence", "reverse share 2"), "Ann", "Bo")
    'how exclusively the same event happened before'
    """
    family, name = kind
    manner = next((words for starts, words in _MANNERS if name.startswith(starts)), _OTHERWISE)
    return f"{manner} {FAMILIES[family].claim.format(subject=subject, candidate=candidate)}"
