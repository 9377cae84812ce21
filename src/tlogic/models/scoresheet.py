"""Scoresheet: why a model gave a candidate its score, as a sum of what each family of evidence says."""

from dataclasses import dataclass
from typing import Any

from tlogic.forecasting.queries import Query


@dataclass(frozen=True)
class Contribution:
    """What one family of evidence adds to a score, and what it is about."""

    family: str
    weight: float
    sentence: str
    columns: dict[str, tuple[float | None, float]]
    """By kind of evidence: its value, None where there is none, and its weight."""


@dataclass(frozen=True, repr=False)
class Scoresheet:
    """The score of a candidate as a sum, the largest contributions first."""

    query: Query
    candidate: str
    score: float
    rank: int | None
    """One more than there are candidates with higher scores; None where it is no candidate at all."""
    n_candidates: int
    contributions: tuple[Contribution, ...]

    def __repr__(self) -> str:
        return f"Scoresheet({self.query}: {self.candidate}, rank {self.rank} of {self.n_candidates})"

    def text(self, n_reasons: int | None = None) -> str:
        """The sum for people, with the largest contributions or all of them (None)."""
        lines = [f"Why {self.candidate} for {self.query}?", self._standing()]
        lines += [f"  {each.weight:+.4f}  {each.sentence}" for each in self.contributions[:n_reasons]]
        rest = self.contributions[n_reasons:] if n_reasons is not None else ()
        if rest:
            lines.append(f"  {sum(each.weight for each in rest):+.4f}  from {len(rest)} more kinds of evidence")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "query": self.query._asdict(),
            "candidate": self.candidate,
            "score": self.score,
            "rank": self.rank,
            "candidates": self.n_candidates,
            "contributions": [
                {
                    "family": each.family,
                    "weight": each.weight,
                    "sentence": each.sentence,
                    "evidence": {name: {"value": v, "weight": w} for name, (v, w) in each.columns.items()},
                }
                for each in self.contributions
            ],
        }

    def _standing(self) -> str:
        if self.rank is None:
            return f"It is not among the {self.n_candidates:,} candidates."
        return f"Rank {self.rank:,} of {self.n_candidates:,} candidates; the score {self.score:+.4f} is the sum of:"
