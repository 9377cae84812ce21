"""The families of evidence, by the names that model files and settings use."""

from collections.abc import Sequence

from tlogic.evidence.families.acyclic_rules import AcyclicRules
from tlogic.evidence.families.constant_rules import ConstantRules
from tlogic.evidence.families.fact_recurrence import FactRecurrence
from tlogic.evidence.families.habits import Habits
from tlogic.evidence.families.name_structure import NameStructure
from tlogic.evidence.families.one_step_rules import OneStepRules
from tlogic.evidence.families.pair_history import PairHistory
from tlogic.evidence.families.paths import Paths
from tlogic.evidence.families.popularity import Popularity
from tlogic.evidence.families.two_step_rules import TwoStepRules
from tlogic.evidence.family import Family

FAMILIES: dict[str, type[Family]] = {
    "recurrence": FactRecurrence,
    "pair": PairHistory,
    "popularity": Popularity,
    "habits": Habits,
    "paths": Paths,
    "rules": OneStepRules,
    "chains": TwoStepRules,
    "acyclic": AcyclicRules,
    "constants": ConstantRules,
    "names": NameStructure,
}
"""The order is that of the columns in model files."""
DEFAULT_FAMILIES = tuple(name for name, family in FAMILIES.items() if family.by_default)


def evidence_columns(families: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The columns of evidence of some families: the name of the family and the name of the column.

    >>> evidence_columns(["constants"])
    (('constants', 'largest'), ('constants', 'sum'))
    """
    return tuple((name, column) for name in families for column in FAMILIES[name].columns)
