"""Horizons: the periods for which an occurrence model is fitted, in time steps, and those that users ask for."""

from fractions import Fraction

from tlogic.errors import InputError
from tlogic.events.time_steps import Step, parse_step
from tlogic.events.timeline import Timeline

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MONTHS = {"month": 1, "year": 12}
_MEAN_DAYS = {"business day": Fraction(7, 5), "month": Fraction(30), "year": Fraction(365)}
_WEEK_AND_MONTH = (7, 30)  # in days, or in time steps of data without dates
_MAX_HORIZON = 100_000  # time steps


def fitted_horizons(timeline: Timeline) -> tuple[int, ...]:
    """One time step, a week and a month, in time steps.

    >>> fitted_horizons(Timeline("day", 1, "2014-08-09")), fitted_horizons(Timeline("week", 1, "2014-08-04"))
    ((1, 7, 30), (1, 4))
    """
    if timeline.unit == "integer":
        return (1, *_WEEK_AND_MONTH)
    days = _length_in_days(timeline.unit, timeline.count)
    return tuple(sorted({1, *(max(int(span / days), 1) for span in _WEEK_AND_MONTH)}))


def parse_horizon(timeline: Timeline, horizon: str | int) -> int:
    """The number of time steps of a period such as "7d", or of a plain number of time steps.

    Units without a fixed length are converted by their mean length: 7 days are 5 business days, a month is 4 weeks.

    Raises:
        InputError: If the period is not understood, no whole number of time steps, or too long.

    >>> parse_horizon(Timeline("day", 1, "2014-08-09"), "2w"), parse_horizon(Timeline("hour", 6, "2014-08-09"), "1d")
    (14, 4)
    """
    try:
        span = parse_step(horizon)
    except InputError:
        raise InputError(
            f'The horizon {str(horizon)[:50]!r} is not understood; expected a period such as "7d" or "2w", '
            "or a number of time steps."
        ) from None
    steps = _steps_of(timeline, span, horizon)
    if steps > _MAX_HORIZON:
        raise InputError(f"The horizon {horizon!r} is more than {_MAX_HORIZON:,} time steps.")
    return steps


def _steps_of(timeline: Timeline, span: Step, horizon: str | int) -> int:
    """The number of time steps of a period that was parsed."""
    if span.unit == "integer":
        return span.count
    if timeline.unit == "integer":
        raise InputError(
            f"The horizon {horizon!r} has a unit, but the data has no dates; give a number of time steps, such as 7."
        )
    steps = _ratio(span, timeline)
    if steps < 1:
        raise InputError(f"The horizon {horizon!r} is shorter than one time step of {timeline.step_size}.")
    if steps.denominator != 1:
        raise InputError(f"The horizon {horizon!r} is no whole number of time steps of {timeline.step_size}.")
    return int(steps)


def _ratio(span: Step, timeline: Timeline) -> Fraction:
    """The number of time steps of a period; rounded if the units have no fixed ratio."""
    if span.unit == timeline.unit:
        return Fraction(span.count, timeline.count)
    for lengths in (_SECONDS, _MONTHS):
        if span.unit in lengths and timeline.unit in lengths:
            return Fraction(span.count * lengths[span.unit], timeline.count * lengths[timeline.unit])
    mean = _length_in_days(span.unit, span.count) / _length_in_days(timeline.unit, timeline.count)
    return Fraction(round(mean))


def _length_in_days(unit: str, count: int) -> Fraction:
    return count * (Fraction(_SECONDS[unit], _SECONDS["day"]) if unit in _SECONDS else _MEAN_DAYS[unit])
