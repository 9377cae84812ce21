"""The progress of learning from many facts is shown, and does not change what is learned."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import tlogic
from tlogic.evidence import query_evidence
from tlogic.evidence.query_evidence import followed
from tlogic.execution import Execution
from tlogic.graph import Facts

LEARNING = "learning from events"
EVIDENCE = ["pair", "rules", "chains"]


class Shown:
    """How many items each progress bar was told to expect, and how many came."""

    def __init__(self) -> None:
        self.bars: list[tuple[str, int, int]] = []

    def __call__(self, items: Iterable[Any], *, total: int, description: str) -> Iterator[Any]:
        n = 0
        for n, item in enumerate(items, start=1):  # noqa: B007
            yield item
        self.bars.append((description, total, n))

    @property
    def n_parts(self) -> list[int]:
        """The number of parts of each learning."""
        assert all(total == n for _, total, n in self.bars)
        return [n for description, _, n in self.bars if description == LEARNING]


def forecast(shown: Shown | None = None) -> str:
    """A fitted model and one of its forecasts, as text."""
    graph = tlogic.sample(days=150)
    model = tlogic.fit(graph, evidence=EVIDENCE, progress=shown)
    answers = tlogic.forecast(graph, model, [("Kite Aviation", "sue")], progress=shown)
    return model.to_json() + answers.frame.write_json()


def test_the_progress_of_many_facts_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = Shown(), Shown()
    expected = forecast(few)
    monkeypatch.setattr(query_evidence, "_MANY_FACTS", 1000)
    assert forecast(many) == expected
    assert few.n_parts == []
    for_fitting, for_forecasting = many.n_parts
    assert 50 < for_fitting <= 100
    assert 50 < for_forecasting <= 101


@pytest.mark.parametrize("times", [[0] * 50, range(50), [0, 0, 1, 1, 1, 5, 5, 5, 5, 9], [3]])
def test_parts_are_whole_time_steps(monkeypatch: pytest.MonkeyPatch, times: Iterable[int]) -> None:
    monkeypatch.setattr(query_evidence, "_MANY_FACTS", 1)
    time = np.array(times, np.int32)
    for n_parts in range(1, len(time) + 1):
        monkeypatch.setattr(query_evidence, "_N_PARTS", n_parts)
        parts = list(followed(Facts(time, time, time, time), Execution()))
        assert np.concatenate([part.time for part in parts]).tolist() == time.tolist()
        steps = [step for part in parts for step in set(part.time.tolist())]
        assert len(steps) == len(set(steps))
