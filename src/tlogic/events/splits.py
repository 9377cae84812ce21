"""The split into training, validation and test periods, which follow each other in time."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import NAME_ROLES
from tlogic.events.sources.raw_facts import RawFacts
from tlogic.events.sources.tgb import TGB
from tlogic.events.timeline import Label, Timeline

_TGB_VALID_RATIO, _TGB_TEST_RATIO = 0.15, 0.15


class Split(NamedTuple):
    """The first time steps of the validation and the test period; both None if all facts are training facts.

    A missing period is empty: without validation, it begins where the test period begins; without a test, the test
    period begins one step after the last fact.
    """

    valid_from: int | None
    test_from: int | None

    def sizes(self, steps: pl.Series) -> tuple[int, int, int]:
        """The numbers of facts for training, validation and test, given the time steps of the facts.

        >>> Split(2, 4).sizes(pl.Series([0, 1, 1, 2, 5]))
        (3, 1, 1)
        """
        valid, test = (0 if start is None else int((steps >= start).sum()) for start in self)
        return len(steps) - valid, valid - test, test


def split_by_time(steps: pl.Series, timeline: Timeline, valid_from: Label | None, test_from: Label | None) -> Split:
    """Split at the given times, at least one of which must be given."""
    end = _last(steps) + 1
    test = end if test_from is None else timeline.step_of(test_from)
    valid = test if valid_from is None else timeline.step_of(valid_from)
    if valid_from is not None and test_from is not None and valid >= test:
        raise InputError(f"valid_from={valid_from!s} must be at least one time step before test_from={test_from!s}.")
    _check_not_empty(steps, timeline, "training", 0, valid)
    if valid_from is not None:
        _check_not_empty(steps, timeline, "validation", valid, test)
    if test_from is not None:
        _check_not_empty(steps, timeline, "test", test, end)
    return Split(valid, test)


def split_by_files(rows: pl.DataFrame, timeline: Timeline, sources: dict[str, RawFacts]) -> Split:
    """Split by files, which must not overlap in time; the `part` of a row is the index of its file.

    Data of TGB is split at its quantiles.
    """
    if list(sources) == [TGB]:
        return split_by_quantiles(rows.select(*NAME_ROLES, "step").unique()["step"].to_numpy())
    spans = rows.group_by("part").agg(first=pl.col("step").min(), last=pl.col("step").max()).sort("part")
    for earlier, later in pairwise(spans.rows(named=True)):
        if later["first"] <= earlier["last"]:
            raise _overlap(rows, timeline, list(sources.values()), earlier["part"], later["part"])
    starts = dict(zip(sources, spans["first"].to_list(), strict=True))
    if list(starts) == ["train"]:
        return Split(None, None)
    test_from = starts.get("test", _last(rows["step"]) + 1)
    return Split(starts.get("valid", test_from), test_from)


def split_by_quantiles(steps: npt.NDArray[np.integer[Any]]) -> Split:
    """Split as TGB 2.0 does: at the 70% and the 85% quantile of the times of all facts in both directions.

    Facts at a quantile belong to the earlier period. The quantiles of both directions can differ from those of one, as
    they are interpolated between twice as many times.

    >>> split_by_quantiles(np.arange(20))
    Split(valid_from=14, test_from=17)
    """
    both = np.concatenate([steps, steps])
    last_train, last_valid = np.quantile(both, [1 - _TGB_VALID_RATIO - _TGB_TEST_RATIO, 1 - _TGB_TEST_RATIO])
    return Split(int(np.floor(last_train)) + 1, int(np.floor(last_valid)) + 1)


def _check_not_empty(steps: pl.Series, timeline: Timeline, period: str, start: int, end: int) -> None:
    if steps.is_between(start, end, closed="left").any():
        return
    first, last = timeline.label_of(0), timeline.label_of(_last(steps))
    raise InputError(
        f"There are no facts for {period}, from {timeline.label_of(start)} to before "
        f"{timeline.label_of(end)}; all facts are between {first} and {last}. "
        "Choose another valid_from (--valid-from) or test_from (--test-from)."
    )


def _last(steps: pl.Series) -> int:
    return int(steps.to_numpy().max())


def _overlap(
    rows: pl.DataFrame, timeline: Timeline, sources: Sequence[RawFacts], earlier: int, later: int
) -> InputError:
    last = rows.filter(part=earlier).filter(pl.col("step") == pl.col("step").max()).row(0, named=True)
    intruder = rows.filter(pl.col("part") == later, pl.col("step") <= last["step"]).row(0, named=True)

    def location(fact: dict[str, int]) -> str:
        return sources[fact["part"]].quote([fact["row"]])[0].location

    return InputError(
        f"{location(intruder)}: its time {timeline.label_of(intruder['step'])} is not after "
        f"{timeline.label_of(last['step'])} of {location(last)}. Train, valid and test must follow each other "
        "in time without overlap; give valid_from and test_from (--valid-from, --test-from) to split all facts by time "
        "instead."
    )
