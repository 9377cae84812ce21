import pytest

import tlogic
from tlogic.graph import TemporalGraph
from tlogic.models import Model


@pytest.fixture(scope="session")
def days() -> TemporalGraph:
    return tlogic.sample(days=150)


@pytest.fixture(scope="session")
def judge(days: TemporalGraph) -> Model:
    """A model with what probabilities of events need, and little more."""
    return tlogic.fit(days, evidence=["recurrence", "rules"])
