"""Models on generated worlds unlike ICEWS: not worse than their parts, and with probabilities that come true."""

from collections.abc import Callable

import pytest
from benchmarks import worlds
from benchmarks.robustness import measure

from tlogic.graph import TemporalGraph


@pytest.mark.parametrize("generate", [worlds.weekly, worlds.regular, worlds.yearly, worlds.quarter_hourly])
def test_models_are_not_worse_than_rules_or_one_family(generate: Callable[[int], TemporalGraph]) -> None:
    found = measure(generate(1))
    assert found.model >= max(found.rules, *found.families) - 0.002
    assert found.reliability.error_by_answers <= found.reliability.error_by_chance + 0.02
