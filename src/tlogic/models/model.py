"""Model: the weights of each kind of evidence, with the settings and the data of the fit; stored as readable JSON."""

import json
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.groups import N_HALF_LIVES
from tlogic.evidence.memory_settings import ALL_EVENTS, MemorySettings
from tlogic.evidence.registry import FAMILIES, evidence_columns
from tlogic.files import read_text, write_atomically
from tlogic.graph.arrays import Floats, Ints
from tlogic.json_positions import line_of
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.boosting import Trees
from tlogic.models.calibration import Calibration
from tlogic.models.counted_rules import CountedRule, CountedRules, CountsByName, read_rules
from tlogic.models.file_format import FORMAT, VERSION
from tlogic.models.file_numbers import Keys, WrongNumberError, check_numbers
from tlogic.models.occurrence.occurrence_model import OccurrenceModel
from tlogic.models.pair_tables import N_GROUPS, PairTables, groups_of
from tlogic.models.softmax import scores_of
from tlogic.notebook import html_table
from tlogic.sealing import check_seal, seal

_RULES = ',\n "rules": '  # begins the last field before the checksum, in a file that `save` wrote
_OTHER_FIELDS = {"calibration", "data", "evidence", "families", "half_lives", "pairs", "settings", "trees"}


@dataclass(frozen=True)
class Model:
    """A fitted model. A score is a sum of weights: of single kinds of evidence, of pairs of kinds, and of any trees.

    ``tlogic.fit`` fits models; ``Model.load`` reads one from a file. Pass a model to ``tlogic.forecast`` and
    ``tlogic.evaluate``.

    Attributes:
        memory_settings: The families of evidence that the model uses, and how they remember the past.
        bins: The bins of each kind of evidence.
        weight: The weight of each bin, one row per kind of evidence.
        pairs: The tables of two kinds of evidence: what both say together, beyond the sum of what each says.
        calibration: Converts scores to probabilities.
        trees: The trees of a boosted model; None for a scorecard.
        counted: The rules that the evidence counts.
        occurrence: The probabilities that events happen, with nobody having asked; None in files of older versions.
        settings: The settings of the fit.
        data: A description of the facts that the model was fitted to.

    Example:
        >>> import tlogic
        >>> model = tlogic.fit(tlogic.sample(days=60), evidence=["recurrence", "popularity"])
        >>> model.families
        ('recurrence', 'popularity')
    """

    memory_settings: MemorySettings
    bins: Bins
    weight: Floats
    calibration: Calibration
    pairs: PairTables = field(default_factory=PairTables)
    trees: Trees | None = None
    counted: CountedRules = field(default_factory=CountedRules)
    occurrence: OccurrenceModel | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        kind = "Model" if self.trees is None else "Boosted model"
        return f"{kind}({len(self.weight)} kinds of evidence, fitted to {self.data.get('facts', 0):,} facts)"

    def _repr_html_(self) -> str:
        ranges: dict[str, list[float]] = {family: [] for family in self.families}
        for (family, _), weights in zip(self.columns, self.weight, strict=True):
            ranges[family].append(float(np.ptp(weights)))
        rows = [(family, len(own), max(own)) for family, own in ranges.items()]
        return html_table(repr(self), ["family", "kinds of evidence", "largest range of weights"], rows)

    @property
    def families(self) -> tuple[str, ...]:
        """The families of evidence that the model uses."""
        return self.memory_settings.families

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """The family and the name of each kind of evidence, in the order of the columns."""
        return evidence_columns(self.families)

    @property
    def rules(self) -> tuple[CountedRule, ...]:
        """The rules that the evidence counts, sorted by decreasing probability at the best age."""
        return self.counted.strongest_first

    def scores(self, evidence: Floats) -> Floats:
        """The score of each candidate, given one row of evidence per candidate."""
        bins = self.bins.of(evidence)
        scores = scores_of(self.weight, bins) + self.pairs.scores(bins)
        return scores if self.trees is None else scores + self.trees.scores(bins)

    def contributions(self, evidence: Floats) -> Floats:
        """What each column of evidence alone adds to the score of each candidate, given one row per candidate."""
        bins = self.bins.of(evidence)
        weights = self.weight[np.arange(len(self.weight)), bins]
        return weights if self.trees is None else weights + self.trees.contributions(bins)

    def pair_contributions(self, evidence: Floats) -> Floats:
        """What each table of two columns adds to the score of each candidate, given one row per candidate."""
        return self.pairs.contributions(self.bins.of(evidence))

    def probabilities(self, start: Ints, scores: Floats, history: Floats) -> Floats:
        """The probability that each candidate is an answer to its query, of any number of answers.

        Args:
            start: Per query: the index of its first candidate.
            scores: Per candidate: its score.
            history: Per query: how many answers it had before, as evidence tells it.
        """
        return self.calibration.probabilities(start, scores, history)

    def expected_answers(self, start: Ints, history: Floats) -> Floats:
        """Per query: its expected number of answers among its candidates."""
        return self.calibration.expected_answers(start, history)

    def without(self, families: Collection[str]) -> "Model":
        """Set the weights of some families of evidence to zero, also where they are combined with others.

        Args:
            families: The families to leave out.

        Returns:
            A copy of the model without them.

        Raises:
            InputError: If the model does not use one of the families, or if it is boosted.
        """
        unknown = [name for name in families if name not in self.families]
        if unknown:
            raise InputError(
                f"This model does not use the evidence family {unknown[0]!r}; it uses {', '.join(self.families)}."
            )
        if self.trees is not None:
            raise InputError("The trees of a boosted model combine all families of evidence; none can be left out.")
        off = np.array([family in families for family, _ in self.columns])
        kept = ~off[self.pairs.column].any(axis=1)
        pairs = self.pairs._replace(column=self.pairs.column[kept], weight=self.pairs.weight[kept])
        return replace(self, weight=np.where(off[:, None], 0.0, self.weight), pairs=pairs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, with one kind of evidence or rule per line, and a checksum at the end.

        An existing file is replaced only when the new one is complete.

        Args:
            path: The file to write.

        Raises:
            InputError: If the file cannot be written.
        """
        write_atomically(Path(path), self.to_json())

    def to_json(self) -> str:
        """The content of a model file."""
        lives = [life if np.isfinite(life) else None for life in self.memory_settings.half_lives]
        about: dict[str, Any] = {"format": FORMAT, "version": VERSION, "settings": self.settings, "data": self.data}
        about |= {"families": list(self.families), "half_lives": lives}
        about |= {"max_events": self.memory_settings.max_events}
        about |= {"calibration": self.calibration.to_dict()}
        about |= {"trees": self.trees.text if self.trees else None}
        about |= {"occurrence": self.occurrence.to_dict() if self.occurrence else None}
        head = "".join(
            f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n" for name, value in about.items()
        )
        lines, pairs = (",\n".join(map(json.dumps, entries)) for entries in (self.tables(), self.pair_tables()))
        evidence = f' "evidence": [\n{lines}\n],\n "pairs": [\n{pairs}\n]'
        return seal(f"{{\n{head}{evidence}{_RULES}{self.counted.to_json()}}}\n")

    def tables(self) -> list[dict[str, Any]]:
        """Per kind of evidence: its family, its name, the edges of its bins, and the weights of its bins.

        The first weight is for candidates without this evidence.
        """
        tables = []
        for column, (family, name) in enumerate(self.columns):
            edges = self.bins.edge[self.bins.start[column] : self.bins.start[column + 1]]
            weights = self.weight[column, : len(edges) + 2]
            tables.append({"family": family, "name": name, "edges": edges.tolist(), "weights": weights.tolist()})
        return tables

    def pair_tables(self) -> list[dict[str, Any]]:
        """Per table of two kinds of evidence: both kinds, and its weights.

        The first row and the first column are for candidates without this evidence; the others are for about equally
        many bins each.
        """
        return [
            {
                "of": [dict(zip(("family", "name"), self.columns[column], strict=True)) for column in columns],
                "weights": weight.tolist(),
            }
            for columns, weight in zip(self.pairs.column.tolist(), self.pairs.weight, strict=True)
        ]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Read a model file.

        Args:
            path: The file that ``save`` or ``tlogic fit`` wrote.

        Returns:
            The model.

        Raises:
            InputError: If the file does not exist, is not a model file, does not match its checksum, or needs
                evidence that this version lacks.

        Example:
            >>> import tlogic
            >>> from tempfile import TemporaryDirectory
            >>> model = tlogic.fit(tlogic.sample(days=60), evidence=["popularity"])
            >>> with TemporaryDirectory() as folder:
            ...     model.save(Path(folder, "sample.model"))
            ...     Model.load(Path(folder, "sample.model")).families
            ('popularity',)
        """
        return cls.from_json(read_text(Path(path), "model file", "tlogic fit"), path)

    @classmethod
    def from_json(cls, content: str, path: str | os.PathLike[str] = "this") -> "Model":
        """Read the content of a model file.

        Args:
            content: What ``to_json`` returned.
            path: The name of the file in error messages.

        Returns:
            The model.

        Raises:
            InputError: If the content is not that of a model file, or does not match its checksum.
        """
        before, mark, _ = content.rpartition(_RULES)
        try:
            found = json.loads(f"{before}}}" if mark else content)
            if mark and not _OTHER_FIELDS.issubset(found):  # somebody sorted the fields, so that rules are not the last
                mark, found = "", json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not a model file: {error}.") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise InputError(f"{path} is not a model file: expected JSON with the format {FORMAT!r}.")
        if found.get("version") != VERSION:
            raise InputError(
                f"{path} is a model file of version {found.get('version')!r}; this version of tlogic reads version "
                f"{VERSION}. Fit the model again."
            )
        sealed = check_seal(content, path, "tlogic fit")
        with _damage_reported(path, lambda keys: line_of(content, *keys)):
            if not mark:
                return _from_json(found, None, path)
            read = partial(_stored_rules, path, before.count("\n") + _RULES.count("\n"))
            return _from_json(found, CountedRules(sealed[len(before) + len(_RULES) :], read), path)


@contextmanager
def _damage_reported(path: str | os.PathLike[str], line_of_keys: Callable[[Keys], int]) -> Iterator[None]:
    """Turn the errors of reading a model file into those that its users see."""
    try:
        yield
    except WrongNumberError as error:
        line = line_of_keys(error.keys)
        raise InputError(f"{path} is a damaged model file, line {line}: {error}. Fit it again.") from None
    except ValueError as error:
        raise InputError(f"{path} is a damaged model file: {error}. Fit it again.") from None
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is a damaged model file ({error!r}); fit it again.") from None


def _stored_rules(path: str | os.PathLike[str], n_lines_before: int, text: str) -> CountsByName:
    """The rules from their text at the end of a model file."""
    with _damage_reported(path, lambda keys: n_lines_before + line_of(text, *keys[1:])):
        groups = json.loads(text)
        check_numbers({"rules": groups})
        return read_rules(groups)


def _from_json(found: dict[str, Any], rules: CountedRules | None, path: str | os.PathLike[str]) -> Model:
    families, tables = tuple(found["families"]), found["evidence"]
    check_numbers(found)
    known = set(families) <= set(FAMILIES)
    if not known or [(table["family"], table["name"]) for table in tables] != list(evidence_columns(families)):
        raise InputError(f"{path} uses features that this version of tlogic does not have; fit it again.")
    weight = np.zeros((len(tables), N_BINS + 1))
    for column, table in enumerate(tables):
        if len(table["weights"]) != len(table["edges"]) + 2:
            raise ValueError(f"{table['name']} has {len(table['weights'])} weights for {len(table['edges'])} edges")
        weight[column, : len(table["weights"])] = table["weights"]
    edges = [np.array(table["edges"], np.float32) for table in tables]
    if len(found["half_lives"]) != N_HALF_LIVES:
        raise ValueError(f"it has {len(found['half_lives'])} half-lives instead of {N_HALF_LIVES}")
    bins = Bins(np.append(0, np.cumsum([len(each) for each in edges])), np.concatenate(edges))
    return Model(
        memory_settings=MemorySettings(
            families,
            tuple(np.inf if life is None else float(life) for life in found["half_lives"]),
            int(found.get("max_events", ALL_EVENTS)),
        ),
        bins=bins,
        weight=weight,
        pairs=_pairs_of(found["pairs"], evidence_columns(families), groups_of(bins.sizes)),
        calibration=Calibration.from_dict(found["calibration"]),
        trees=Trees(found["trees"]) if found["trees"] else None,
        counted=rules or CountedRules(read_rules(found.get("rules", []))),
        occurrence=OccurrenceModel.from_dict(found["occurrence"]) if found.get("occurrence") else None,
        settings=found["settings"],
        data=found["data"],
    )


def _pairs_of(found: list[dict[str, Any]], columns: tuple[tuple[str, str], ...], groups: Ints) -> PairTables:
    """The tables of two kinds of evidence that a model file has."""
    index = {name: number for number, name in enumerate(columns)}
    column = [[index[kind["family"], kind["name"]] for kind in table["of"]] for table in found]
    weight = np.array([table["weights"] for table in found], np.float64).reshape(-1, N_GROUPS, N_GROUPS)
    return PairTables(np.array(column, np.int64).reshape(len(weight), 2), weight, groups)
