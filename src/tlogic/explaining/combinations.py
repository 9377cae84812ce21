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


def combination_sentence(kinds: Sequence[tuple[Kind, Kind]], weights: Sequence[float]) -> str:
    """The sentence for all tables of two kinds of evidence: it names the one that adds or takes most.

    >>> combination_sentence([(("pair", "age"), ("chains", "sum"))], [-0.2])
    'how recently the two had events and how strongly chains of two events lead to it: together less than each alone'
    """
    strongest = max(range(len(weights)), key=lambda index: abs(weights[index]))
    one, other = (kind_in_words(kind) for kind in kinds[strongest])
    return f"{one} and {other}: together {'more' if weights[strongest] > 0 else 'less'} than each alone"


def kind_in_words(kind: Kind) -> str:
    """A kind of evidence as a clause.

    >>> kind_in_words(("recurrence", "reverse share 2"))
    'how exclusively the same event happened before'
    """
    family, name = kind
    manner = next((words for starts, words in _MANNERS if name.startswith(starts)), _OTHERWISE)
    return f"{manner} {FAMILIES[family].claim}"
