"""Model: a scorecard with the names of its evidence, how it was fitted and to what; kept in a file people can read."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.extraction import COLUMNS
from tlogic.files import write_whole
from tlogic.graph.arrays import Floats
from tlogic.models.scorecard import Scorecard, bins_of, scores_of

_FORMAT = "tlogic model"
_VERSION = 1


@dataclass(frozen=True)
class Model:
    """Scores candidates by a sum of weights, one for each kind of evidence."""

    scorecard: Scorecard
    half_lives: Floats
    """In steps of time."""
    settings: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Model({len(COLUMNS)} kinds of evidence, fitted to {self.data.get('facts', 0):,} facts)"

    def scores(self, evidence: Floats) -> Floats:
        """The score of each candidate, a row of evidence each."""
        card = self.scorecard
        return scores_of(card.weight, bins_of(card.edge_start, card.edge, evidence))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, a kind of evidence a line; the file is there whole or not at all."""
        lives = [life if np.isfinite(life) else None for life in self.half_lives.tolist()]
        about = {"format": _FORMAT, "version": _VERSION, "half_lives": lives}
        about |= {"settings": self.settings, "data": self.data}
        head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
        lines = ",\n".join(json.dumps(entry) for entry in self._tables())
        write_whole(Path(path), f'{head},\n "evidence": [\n{lines}\n]}}\n')

    def _tables(self) -> list[dict[str, Any]]:
        card = self.scorecard
        tables = []
        for column, (family, name) in enumerate(COLUMNS):
            edges = card.edge[card.edge_start[column] : card.edge_start[column + 1]]
            weights = card.weight[column, : len(edges) + 2]
            tables.append({"family": family, "name": name, "edges": edges.tolist(), "weights": weights.tolist()})
        return tables

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Read a model file."""
        try:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"There is no model file {path}; `tlogic fit` makes one.") from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InputError(f"{path} is not a model file: {error}.") from None
        if not isinstance(found, dict) or found.get("format") != _FORMAT or found.get("version") != _VERSION:
            raise InputError(
                f"{path} is not a model file: expected JSON with the format {_FORMAT!r}, version {_VERSION}."
            )
        try:
            tables = found["evidence"]
            if [(table["family"], table["name"]) for table in tables] != list(COLUMNS):
                raise InputError(f"{path} was fitted to other evidence than this tlogic has; fit it again.")
            lives = np.array([np.inf if life is None else life for life in found["half_lives"]])
            return cls(_scorecard(tables), lives, found["settings"], found["data"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path} is a damaged model file ({error!r}); fit it again.") from None


def _scorecard(tables: list[dict[str, Any]]) -> Scorecard:
    weight = np.zeros((len(tables), max(len(table["weights"]) for table in tables)))
    for column, table in enumerate(tables):
        if len(table["weights"]) != len(table["edges"]) + 2:
            raise ValueError(f"{table['name']} has {len(table['weights'])} weights for {len(table['edges'])} edges")
        weight[column, : len(table["weights"])] = table["weights"]
    edges = [np.array(table["edges"], np.float32) for table in tables]
    return Scorecard(np.append(0, np.cumsum([len(each) for each in edges])), np.concatenate(edges), weight)
