"""Memories of a model over a live graph, stored on this machine so that a service starts at once."""

import json
from collections.abc import Mapping
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.live_evidence import LiveQueryEvidence
from tlogic.evidence.memory_file import open_memory, write_memory
from tlogic.graph.checksums import checksum
from tlogic.graph.graph_cache import cache_folder, remove_least_recent
from tlogic.graph.live_graph import LiveGraph
from tlogic.models import Model
from tlogic.serving.logs import log

MIN_FACTS = 20_000
"""A memory of fewer facts is built as fast as it is opened."""
_MIN_NEW_SHARE = 0.05  # of the events; a memory that lacks fewer is not written again


class StoredMemories:
    """The memories of models over the events of one store.

    Args:
        store: The name of the store.
    """

    def __init__(self, store: str) -> None:
        self._store, self._folder = store, cache_folder()
        self._n_saved = 0

    def evidence(self, graph: LiveGraph, model: Model) -> LiveQueryEvidence:
        """The evidence for queries over a graph, with the stored memory if it is one of the first facts."""
        path = self._path(model)
        evidence = LiveQueryEvidence(graph, model.memory_settings)
        if path is not None and path.exists() and len(graph) >= MIN_FACTS:
            try:
                memory = open_memory(path, partial(_is_of, graph))
            except (InputError, OSError):
                memory = None
            if memory is not None:
                self._n_saved = memory.n_facts
                evidence.resume(memory, memory.n_facts)
        if len(graph) - evidence.n_known >= MIN_FACTS:
            log.info("learning from events", extra={"fields": {"events": len(graph) - evidence.n_known}})
        return evidence

    def save(self, evidence: LiveQueryEvidence, model: Model) -> None:
        """Store a memory that has learned all events, if there are enough new ones.

        Failures are ignored: the memory can be built anew.
        """
        path, n_known = self._path(model), evidence.n_known
        has_changed = n_known - self._n_saved > _MIN_NEW_SHARE * n_known
        if path is None or n_known < MIN_FACTS or not evidence.is_complete or not has_changed:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            memory = evidence.memory
            about = _describe(evidence.graph, n_known, memory.n_entities, memory.n_relations)
            write_memory(memory, path, about)
            remove_least_recent(path.parent)
            self._n_saved = n_known
        except (InputError, OSError):
            return

    def _path(self, model: Model) -> Path | None:
        key = repr((self._store, model.memory_settings))
        name = f"{blake2b(key.encode(), digest_size=16).hexdigest()}.memory"
        return None if self._folder is None else self._folder / name


def _is_of(graph: LiveGraph, about: Mapping[str, Any]) -> bool:
    """Whether a memory with this description is one of the first facts of a graph."""
    size = (int(about.get(name, 0)) for name in ("facts", "entities", "relations"))
    return all(about.get(name) == value for name, value in _describe(graph, *size).items())


def _describe(graph: LiveGraph, n: int, n_entities: int, n_relations: int) -> dict[str, Any]:
    """The first facts and names of a graph: how many there are, and checksums of them."""
    first = np.concatenate([column[:n] for column in graph.facts_since(0)])
    names = json.dumps([graph.entities.names[:n_entities], graph.relations.base[:n_relations]])
    return {
        "facts": n,
        "entities": n_entities,
        "relations": n_relations,
        "checksum": checksum([first]),
        "names": blake2b(names.encode(), digest_size=16).hexdigest(),  # after a removal, ids may be of other names
        "origin": str(graph.timeline.origin),
    }
