"""Generated worlds unlike ICEWS: regular weekly events, yearly intervals, steps of 15 minutes, and very few facts.

Each is a graph with the usual three splits: 80% of the time steps to train, 10% to validate, 10% to test.
"""

from collections.abc import Callable, Iterable

import numpy as np
import polars as pl

import tlogic
from tlogic.graph import TemporalGraph

Row = tuple[str, str, str, int]
"""A subject, a relation, an object, and a time step."""


def weekly(seed: int = 1, n_weeks: int = 160) -> TemporalGraph:
    """Few relations, many answers per query: banks control the same instruments every week, or most weeks."""
    random = np.random.default_rng(seed)
    banks, instruments, firms = ([f"{kind} {i}" for i in range(n)] for kind, n in _KINDS.items())
    steady = [
        (bank, instruments[i], random.choice(_RATES))
        for bank in banks
        for i in random.choice(len(instruments), random.integers(2, 16), replace=False)
    ]
    rows: list[Row] = []
    for week in range(n_weeks):
        rows += [(bank, "control", what, week) for bank, what, rate in steady if random.random() < rate]
        for bank, firm in _skewed_pairs(random, banks, firms, 40):
            rows.append((bank, str(random.choice(["lend", "sue", "rate"], p=[0.6, 0.1, 0.3])), firm, week))
        rows += [(firm, "hold", what, week) for firm, what in _skewed_pairs(random, firms, instruments, 20)]
    return _graph(rows, lambda week: np.datetime64("2020-01-06") + 7 * week, "1w")


def regular(seed: int = 1, n_weeks: int = 60) -> TemporalGraph:
    """Very few facts: some happen every week, the others at random."""
    random = np.random.default_rng(seed)
    always = [(f"Bank {i}", "control", f"Rate {j}") for i in range(6) for j in range(random.integers(2, 6))]
    others = [(f"Firm {i}", f"relation {random.integers(3)}", f"Bank {j}") for i in range(20) for j in range(6)]
    rows: list[Row] = []
    for week in range(n_weeks):
        chosen = [others[k] for k in random.choice(len(others), 20, replace=False)]
        rows += [(*triple, week) for triple in (*always, *chosen)]
    return _graph(rows, lambda week: np.datetime64("2023-01-02") + 7 * week, "1w")


def yearly(seed: int = 1, n_years: int = 60) -> TemporalGraph:
    """Intervals of years, as in WIKI and YAGO: a fact that began holds for some years, one row per year."""
    random = np.random.default_rng(seed)
    rows: list[Row] = []
    for person in range(300):
        first = int(random.integers(n_years))
        for _ in range(random.integers(1, 5)):
            relation, ends = _OFFICES[int(random.integers(len(_OFFICES)))]
            last = first + int(random.geometric(1 / 6))
            where = f"{relation} {int(random.random() ** 2 * ends)}"
            rows += [(f"Person {person}", relation, where, year) for year in range(first, min(last, n_years))]
            first = last
    return _graph(rows, lambda year: np.datetime64("1950") + year, "1y")


def quarter_hourly(seed: int = 1, n_steps: int = 600) -> TemporalGraph:
    """Steps of 15 minutes, as in GDELT: bursts of events between few pairs, and noise."""
    random = np.random.default_rng(seed)
    names = [f"Country {i}" for i in range(40)]
    rows: list[Row] = []
    for step in range(n_steps):
        rows += [
            (one, f"code {random.integers(20)}", other, step) for one, other in _skewed_pairs(random, names, names, 6)
        ]
        for one, relation, other, before in rows[-60:]:
            if step - before < 8 and random.random() < 0.12:
                rows.append((one, relation, other, step))
    return _graph(rows, lambda step: np.datetime64("2018-01-01T00:00") + 15 * step, "15m")


_OFFICES = (("party", 6), ("club", 40), ("seat", 120))
"""Relations of persons, with the number of their objects."""
_KINDS = {"Bank": 12, "Instrument": 60, "Firm": 40}
_RATES = (1.0, 0.98, 0.9, 0.6, 0.3)
"""The probabilities of the steady events of a week."""


def _skewed_pairs(
    random: np.random.Generator, left: list[str], right: list[str], mean: float
) -> Iterable[tuple[str, str]]:
    """Random pairs, in which the first names are more frequent; their number varies, too."""
    n = random.poisson(mean)
    one, other = ((random.random(n) ** power * len(names)).astype(int) for names, power in ((left, 1.5), (right, 2.0)))
    return [(left[i], right[j]) for i, j in zip(one, other, strict=True)]


def _graph(rows: list[Row], date: Callable[[int], np.datetime64], step: str) -> TemporalGraph:
    """The graph of some rows with dates, split by time."""
    frame = pl.DataFrame(rows, ["subject", "relation", "object", "step"], orient="row").unique(maintain_order=True)
    n_steps = max(step for *_, step in rows) + 1
    dates = [str(date(step)) for step in range(n_steps)]
    frame = frame.select("subject", "relation", "object", time=pl.Series(dates).gather(frame["step"]))
    valid_from, test_from = (dates[int(share * n_steps)] for share in (0.8, 0.9))
    return tlogic.read(frame, step=step, valid_from=valid_from, test_from=test_from)
