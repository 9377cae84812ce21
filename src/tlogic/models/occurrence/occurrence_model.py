"""OccurrenceModel: the probability that an event happens within some time steps, as a sum of log-odds of evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tlogic.evidence.occurrence_evidence import COLUMNS, NOVELTIES, OccurrenceEvidence
from tlogic.graph.arrays import Floats
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.occurrence.correction import Correction
from tlogic.models.occurrence.logistic import Logistic

_MAX_LOG_ODDS = 30.0  # so that probabilities stay below 1


class OccurrenceTables(NamedTuple):
    """How triples of one novelty are judged: the bins of the evidence, and the log-odds for each horizon."""

    bins: Bins
    by_horizon: tuple[Logistic, ...]


@dataclass(frozen=True)
class OccurrenceModel:
    """The probabilities of events, with nobody having asked.

    Attributes:
        horizons: The periods for which it was fitted, in time steps, the shortest first.
        tables: Per novelty of a triple: the weights of the evidence.
    """

    horizons: tuple[int, ...]
    tables: tuple[OccurrenceTables, ...]

    def probabilities(self, evidence: OccurrenceEvidence) -> Floats:
        """Per triple and fitted horizon: the probability that it occurs within the horizon."""
        found = np.empty((len(evidence.novelty), len(self.horizons)))
        for novelty, table in enumerate(self.tables):
            own = np.flatnonzero(evidence.novelty == novelty)
            bins = table.bins.of(evidence.values[own])
            for column, logistic in enumerate(table.by_horizon):
                found[own, column] = logistic.log_odds(bins)
        return np.maximum.accumulate(1.0 / (1.0 + np.exp(-np.clip(found, -_MAX_LOG_ODDS, _MAX_LOG_ODDS))), axis=1)

    def contributions(self, values: Floats, novelty: int, horizon: int) -> tuple[float, Floats]:
        """The intercept, and what each column of one row adds to the log-odds for one of the fitted horizons."""
        bins, by_horizon = self.tables[novelty]
        return by_horizon[self.horizons.index(horizon)].contributions(bins.of(values[None, :])[0])

    def within(self, probabilities: Floats, steps: int) -> Floats:
        """The probabilities of an event within any number of time steps, from those for the fitted horizons."""
        return -np.expm1(-self.hazards(probabilities, steps))

    def hazards(self, probabilities: Floats, steps: int) -> Floats:
        """The cumulative hazards -log(1 - p) within any number of time steps, from those for the fitted horizons.

        They are interpolated between the fitted horizons, and go on at the last rate.
        """
        hazard = -np.log1p(-probabilities)
        at, known = [0, *self.horizons], np.hstack([np.zeros((len(hazard), 1)), hazard])
        after = min(int(np.searchsorted(at, steps)), len(at) - 1)
        share = (steps - at[after - 1]) / (at[after] - at[after - 1])
        return np.maximum(known[:, after - 1] + share * (known[:, after] - known[:, after - 1]), 0.0)

    def to_dict(self) -> dict[str, Any]:
        """The content of a model file, with one entry per column of evidence."""
        found: dict[str, Any] = {"horizons": list(self.horizons)}
        for name, (bins, by_horizon) in zip(NOVELTIES, self.tables, strict=True):
            entries = []
            for column, (family, column_name) in enumerate(COLUMNS):
                edges = bins.edge[bins.start[column] : bins.start[column + 1]]
                weights = [each.weight[column, : len(edges) + 2].tolist() for each in by_horizon]
                entries.append({"family": family, "name": column_name, "edges": edges.tolist(), "weights": weights})
            found[name] = {
                "intercepts": [each.intercept for each in by_horizon],
                "corrections": [_correction_to_dict(each.correction) for each in by_horizon],
                "evidence": entries,
            }
        return found

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> "OccurrenceModel":
        """Read what ``to_dict`` returned.

        Raises:
            ValueError: If it has other columns than this version.
        """
        horizons = tuple(int(each) for each in found["horizons"])
        return cls(horizons, tuple(_tables(found[name], len(horizons)) for name in NOVELTIES))


def _tables(found: Mapping[str, Any], n_horizons: int) -> OccurrenceTables:
    entries = found["evidence"]
    if [(each["family"], each["name"]) for each in entries] != list(COLUMNS):
        raise ValueError("its occurrence model uses evidence that this version of tlogic does not have")
    edges = [np.array(each["edges"], np.float32) for each in entries]
    weight = np.zeros((n_horizons, len(entries), N_BINS + 1))
    for column, each in enumerate(entries):
        for row, weights in enumerate(each["weights"]):
            weight[row, column, : len(edges[column]) + 2] = weights
    bins = Bins(np.append(0, np.cumsum([len(each) for each in edges])), np.concatenate(edges))
    intercepts = [float(each) for each in found["intercepts"]]
    corrections = [_correction_of(each) for each in found["corrections"]]
    parts = zip(intercepts, weight, corrections, strict=True)
    return OccurrenceTables(bins, tuple(Logistic(*each) for each in parts))


def _correction_to_dict(correction: Correction) -> dict[str, Any]:
    return {"knots": correction.knot.tolist(), "offset": correction.offset, "slope": correction.slope.tolist()}


def _correction_of(found: Mapping[str, Any]) -> Correction:
    knot, slope = np.array(found["knots"], np.float64), np.array(found["slope"], np.float64)
    if len(slope) != len(knot) + 1:
        raise ValueError(f"a correction of its occurrence model has {len(slope)} slopes for {len(knot)} knots")
    return Correction(knot, float(found["offset"]), slope)
