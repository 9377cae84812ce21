"""TemporalGraph: the facts as integers, sorted by time, with their names beside them."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from tlogic.errors import InputError
from tlogic.events.read_report import ReadReport
from tlogic.events.timeline import Timeline
from tlogic.graph.edges import Edges, edges_of
from tlogic.graph.facts import Facts
from tlogic.graph.triples import TripleIndex, build_triple_index
from tlogic.graph.views import Views, build_views
from tlogic.graph.vocabulary import Relations, Vocabulary


@dataclass(frozen=True)
class TemporalGraph:
    """A temporal knowledge graph: a set of facts (subject, relation, object, time).

    Facts before ``valid_from`` are for training, those from ``test_from`` on for testing. Because a split is a point
    in time, every part of the data is a slice of the same arrays. The ``report`` says what was read to make the graph;
    parts of a graph keep the report of the whole.
    """

    entities: Vocabulary
    relations: Relations
    timeline: Timeline
    facts: Facts
    valid_from: int
    test_from: int
    report: ReadReport | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.facts.time)

    def __repr__(self) -> str:
        return (
            f"TemporalGraph({len(self)} facts, {len(self.entities)} entities, {len(self.relations.base)} relations, "
            f"{self.timeline.label_of(0)} to {self.timeline.label_of(self.end - 1)})"
        )

    @property
    def end(self) -> int:
        """The step after the last fact."""
        return int(self.facts.time[-1]) + 1

    @cached_property
    def train(self) -> "TemporalGraph":
        """The graph of the training facts alone."""
        return self.before(self.valid_from)

    def before(self, step: int) -> "TemporalGraph":
        """The graph as it was known just before a step; the names stay the same."""
        return replace(self, facts=self.facts.between(0, step))

    def split(self, name: str) -> Facts:
        """The facts of ``train``, ``valid`` or ``test``."""
        bounds = {
            "train": (0, self.valid_from),
            "valid": (self.valid_from, self.test_from),
            "test": (self.test_from, self.end),
        }
        if name not in bounds:
            raise InputError(f"unknown split {name!r}; expected train, valid or test")
        return self.facts.between(*bounds[name])

    def answers_at(self, subject: int, relation: int, time: int) -> list[int]:
        """The entities to which a subject did a relation at a time."""
        facts, half = self.facts.between(time, time + 1), len(self.relations.base)
        own, other = (facts.subject, facts.object) if relation < half else (facts.object, facts.subject)
        return other[(own == subject) & (facts.relation == relation % half)].tolist()

    @property
    def edges(self) -> Edges:
        """The facts and their inverses, in order of time. Not kept: they take twice the room of the facts."""
        return edges_of(self.facts, len(self.entities), len(self.relations.base))

    @cached_property
    def triples(self) -> TripleIndex:
        """The distinct triples with their times."""
        return build_triple_index(self.facts, len(self.entities), len(self.relations.base))

    @cached_property
    def views(self) -> Views:
        """The edges sorted for learning from the training facts."""
        return build_views(self.facts, len(self.entities), len(self.relations.base), self.valid_from)

    def describe(self) -> dict[str, str | int]:
        """Which facts these are, for files of what was learned from them."""
        return {
            "fingerprint": self.fingerprint,
            "facts": len(self),
            "from": self.timeline.label_of(0),
            "until": self.timeline.label_of(self.end - 1),
            "step": self.timeline.step_size,
        }

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the facts, their names and their dates, the same wherever the data was read."""
        digest = blake2b(digest_size=16)
        for names in (self.entities.names, self.relations.base):
            digest.update("\n".join(names).encode())
            digest.update(b"\0")
        digest.update(repr(sorted(self.timeline.to_dict().items())).encode())
        for column in self.facts:
            digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        return digest.hexdigest()
