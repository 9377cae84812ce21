"""Watching what memories learn."""

import pytest

from tlogic.evidence.memory import Memory
from tlogic.graph import Facts


@pytest.fixture
def n_added(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many facts memories took in, one number per call."""
    found, add = list[int](), Memory.add

    def counted(memory: Memory, facts: Facts, *others: object) -> None:
        found.append(len(facts.time))
        add(memory, facts, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(Memory, "add", counted)
    return found
