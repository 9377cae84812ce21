"""A shared result is computed once per state, not too often, and for everybody."""

from threading import Event

import pytest

from tests.waiting import wait_until
from tlogic.errors import InputError
from tlogic.serving.engine import shared_result
from tlogic.serving.engine.shared_result import SharedResult


class Source:
    """Something to compute, with a state that changes on demand."""

    def __init__(self) -> None:
        self.state = self.n_computed = 0
        self.go_on = Event()
        self.go_on.set()

    def compute(self) -> int:
        self.go_on.wait()
        self.n_computed += 1
        return self.state

    def shared(self) -> SharedResult[int]:
        return SharedResult(self.compute, lambda: self.state)


def test_all_who_ask_meanwhile_wait_for_one_computation() -> None:
    source = Source()
    source.go_on.clear()
    shared = source.shared()
    first, second = shared.latest(), shared.latest()
    assert not first.cancel()
    source.go_on.set()
    assert (first.result(), second.result()) == (0, 0)
    assert shared.latest().result() == 0
    assert source.n_computed == 1


def test_the_former_result_stays_until_the_next_one_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_result, "MIN_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(shared_result, "PAUSE_FACTOR", 0.0)
    source = Source()
    shared = source.shared()
    assert shared.latest().result() == 0
    source.state = 1
    source.go_on.clear()
    assert shared.latest().result(timeout=0) == 0
    source.go_on.set()
    wait_until(lambda: shared.latest().result(timeout=0) == 1)


def test_a_change_during_the_pause_is_computed_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_result, "MIN_PAUSE_SECONDS", 3600.0)
    source = Source()
    shared = source.shared()
    shared.latest().result()
    source.state = 1
    wait_until(lambda: shared.latest().done())
    assert shared.latest().result() == 0
    assert source.n_computed == 1


class Failure:
    """A computation that fails until it is repaired."""

    def __init__(self) -> None:
        self.is_repaired, self.n_computed = False, 0
        self.go_on = Event()

    def compute(self) -> int:
        self.go_on.wait()
        self.n_computed += 1
        if not self.is_repaired:
            raise InputError("No facts.")
        return 1


def test_all_who_wait_for_a_computation_get_its_error() -> None:
    failure = Failure()
    shared = SharedResult(failure.compute, lambda: 0)
    waiting = [shared.latest() for _ in range(3)]
    failure.go_on.set()
    for each in waiting:
        with pytest.raises(InputError, match="No facts"):
            each.result()
    assert failure.n_computed == 1


def test_an_error_is_not_kept() -> None:
    failure = Failure()
    failure.go_on.set()
    shared = SharedResult(failure.compute, lambda: 0)
    for n_computed in (1, 2):
        with pytest.raises(InputError, match="No facts"):
            shared.latest().result()
        assert failure.n_computed == n_computed
        assert shared.has_just_failed
    failure.is_repaired = True
    assert shared.latest().result() == 1
    assert not shared.has_just_failed
    assert shared.latest().result() == 1
    assert failure.n_computed == 3


def test_a_result_after_a_change_does_not_outlive_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_result, "MIN_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(shared_result, "PAUSE_FACTOR", 0.0)
    failure, state = Failure(), 0
    failure.go_on.set()
    failure.is_repaired = True
    shared = SharedResult(failure.compute, lambda: state)
    assert shared.latest().result() == 1
    state, failure.is_repaired = 1, False
    wait_until(lambda: shared.latest().exception() is not None)
