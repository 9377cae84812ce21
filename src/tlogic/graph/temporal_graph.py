"""TemporalGraph: facts as integers, sorted by time, with their names."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.events.read_report import ReadReport
from tlogic.events.timeline import Timeline
from tlogic.graph.arrays import Ints
from tlogic.graph.edges import Edges, edges_of
from tlogic.graph.facts import Facts
from tlogic.graph.triples import TripleIndex, build_triple_index
from tlogic.graph.views import Views, build_views
from tlogic.graph.vocabulary import Relations, Vocabulary
from tlogic.names import name_sketch, noun_for
from tlogic.notebook import html_table


class Precomputed(NamedTuple):
    """Derived data of a graph that need not be computed again, such as the indexes of a compiled graph."""

    triples: TripleIndex | None = None
    views: Views | None = None
    fingerprint: str | None = None
    train_fingerprint: str | None = None
    path: Path | None = None
    """The file of a compiled graph."""


_NOTHING_PRECOMPUTED = Precomputed()


def size_text(n_facts: int, n_entities: int, n_relations: int, number_format: str = "") -> str:
    """The size of a graph in words.

    >>> size_text(1200, 5, 1), size_text(1200, 5, 1, number_format=",")
    ('1200 facts, 5 entities, 1 relation', '1,200 facts, 5 entities, 1 relation')
    """
    sizes = ((n_facts, "fact", "facts"), (n_entities, "entity", "entities"), (n_relations, "relation", "relations"))
    return ", ".join(f"{size:{number_format}} {noun_for(size, *nouns)}" for size, *nouns in sizes)


@dataclass(frozen=True)
class TemporalGraph:
    """A temporal knowledge graph: a set of facts (subject, relation, object, time).

    Facts before ``valid_from`` are for training, facts from ``test_from`` on for testing. Splits are separated by
    points in time, so every split is a slice of the same arrays. ``tlogic.read`` and ``tlogic.sample`` build graphs.
    Ids follow the sorted names, and facts are sorted, so equal sets of facts give equal graphs.

    Attributes:
        entities: The entity names and their ids.
        relations: The relation names and their ids; the inverse relations follow the relations.
        timeline: Converts time steps to dates and back.
        facts: All facts as integer arrays, sorted by time, subject, relation and object.
        valid_from: The first time step of the validation period.
        test_from: The first time step of the test period.
        report: What was read to build the graph, with warnings. The training part keeps the report of the whole graph.
        precomputed: Indexes that a compiled graph holds already.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> len(graph), len(graph.entities), len(graph.relations.base)
        (11751, 55, 22)
        >>> graph.timeline.label_of(graph.test_from)
        '2031-02-10'
    """

    entities: Vocabulary
    relations: Relations
    timeline: Timeline
    facts: Facts
    valid_from: int
    test_from: int
    report: ReadReport | None = field(default=None, compare=False, repr=False)
    precomputed: Precomputed = field(default=_NOTHING_PRECOMPUTED, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.facts.time)

    def __repr__(self) -> str:
        steps = f", steps of {self.timeline.description}" if self.timeline.has_dates else ""
        return (
            f"TemporalGraph({size_text(len(self), len(self.entities), len(self.relations.base))}, "
            f"{self.timeline.label_of(0)} to {self.timeline.label_of(self.end - 1)}{steps})"
        )

    def _repr_html_(self) -> str:
        label, end = self.timeline.label_of, self.end
        periods = {
            "training": (0, self.valid_from),
            "validation": (self.valid_from, self.test_from),
            "test": (self.test_from, end),
        }
        rows = [
            (name, len(self.facts.between(first, last).time), label(first), label(last - 1))
            for name, (first, last) in periods.items()
            if first < min(last, end)
        ]
        size = size_text(len(self), len(self.entities), len(self.relations.base), number_format=",")
        return html_table(f"TemporalGraph: {size}", ["period", "facts", "from", "until"], rows)

    @property
    def end(self) -> int:
        """The time step after the last fact.

        Example:
            >>> import tlogic
            >>> tlogic.sample().end
            450
        """
        return int(self.facts.time[-1]) + 1

    @cached_property
    def train(self) -> "TemporalGraph":
        """The graph of the training facts; names and splits stay the same.

        Example:
            >>> import tlogic
            >>> len(tlogic.sample().train)
            9392
        """
        fingerprint = self.precomputed.train_fingerprint
        return replace(self.before(self.valid_from), precomputed=Precomputed(fingerprint=fingerprint))

    def before(self, step: int) -> "TemporalGraph":
        """Return the graph of the facts before a time step; names and splits stay the same.

        Args:
            step: The first time step to leave out.

        Returns:
            A graph that shares the arrays of this one.

        Example:
            >>> import tlogic
            >>> graph = tlogic.sample()
            >>> graph.before(graph.timeline.step_of("2030-02-01"))
            TemporalGraph(723 facts, 55 entities, 22 relations, 2030-01-01 to 2030-01-31)
        """
        return replace(self, facts=self.facts.between(0, step), precomputed=_NOTHING_PRECOMPUTED)

    def split(self, name: str) -> Facts:
        """Return the facts of one split.

        Args:
            name: "train", "valid" or "test".

        Returns:
            Four arrays of equal length: subject, relation, object and time. They may be empty.

        Raises:
            InputError: If there is no such split.

        Example:
            >>> import tlogic
            >>> graph = tlogic.sample()
            >>> [len(graph.split(name).time) for name in ("train", "valid", "test")]
            [9392, 1239, 1120]
        """
        bounds = {
            "train": (0, self.valid_from),
            "valid": (self.valid_from, self.test_from),
            "test": (self.test_from, self.end),
        }
        if name not in bounds:
            raise InputError(f"Unknown split {name!r}; expected train, valid or test.")
        return self.facts.between(*bounds[name])

    def facts_between(self, first: int, end: int) -> Facts:
        """The facts with ``first <= time < end``."""
        return self.facts.between(first, end)

    def answers_at(self, subject: int, relation: int, time: int) -> list[int]:
        """The entities that complete (subject, relation, ?, time) to a fact; all are ids."""
        facts, half = self.facts.between(time, time + 1), len(self.relations.base)
        own, other = (facts.subject, facts.object) if relation < half else (facts.object, facts.subject)
        return other[(own == subject) & (facts.relation == relation % half)].tolist()

    @cached_property
    def entity_rank(self) -> Ints:
        """Per entity: the position of its name among the sorted names. It equals the id."""
        return np.arange(len(self.entities), dtype=np.int32)

    @cached_property
    def relation_rank(self) -> Ints:
        """Per relation: the position of its name among the sorted names; inverses follow. It equals the id."""
        return np.arange(len(self.relations), dtype=np.int32)

    @property
    def edges(self) -> Edges:
        """The facts and their inverses, sorted by time. Not cached, because they need twice the memory of the facts."""
        return edges_of(self.facts, len(self.entities), len(self.relations.base))

    @cached_property
    def triples(self) -> TripleIndex:
        """The distinct triples with their times."""
        if self.precomputed.triples is not None:
            return self.precomputed.triples
        return build_triple_index(self.facts, len(self.entities), len(self.relations.base))

    @cached_property
    def views(self) -> Views:
        """The edges, sorted for learning from the training facts."""
        if self.precomputed.views is not None:
            return self.precomputed.views
        return build_views(self.facts, len(self.entities), len(self.relations.base), self.valid_from)

    def describe(self) -> dict[str, Any]:
        """Summarise the facts, as rule files and models record it about their training data.

        Returns:
            The fingerprint, the number of facts, the first and last date, the length of a time step, and hashes of
            some names, by which other data is recognised.

        Example:
            >>> import tlogic
            >>> summary = tlogic.sample().describe()
            >>> summary["facts"], summary["from"], summary["until"], summary["step"]
            (11751, '2030-01-01', '2031-03-26', '1 day')
        """
        return {
            "fingerprint": self.fingerprint,
            "facts": len(self),
            "from": self.timeline.label_of(0),
            "until": self.timeline.label_of(self.end - 1),
            "step": self.timeline.step_size,
            "names": {
                "entities": name_sketch(self.entities.names),
                "relations": name_sketch(self.relations.base),
            },
        }

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the facts, names and dates. Equal data has equal fingerprints, whatever it was read from.

        Example:
            >>> import tlogic
            >>> tlogic.sample().fingerprint == tlogic.sample(seed=8).fingerprint
            False
        """
        if self.precomputed.fingerprint is not None:
            return self.precomputed.fingerprint
        digest = blake2b(digest_size=16)
        for names in (self.entities.names, self.relations.base):
            digest.update("\n".join(names).encode())
            digest.update(b"\0")
        digest.update(repr(sorted(self.timeline.to_dict().items())).encode())
        for column in self.facts:
            digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        return digest.hexdigest()
