"""A cache of memories on the disk, for graphs that were read from files: commands learn from unchanged facts once."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tlogic.errors import InputError
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_file import MEMORY_FILE, open_memory, write_memory
from tlogic.graph.arrays import Floats
from tlogic.graph.graph_cache import cache_folder, remove_least_recent
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.version import __version__


class MemoryCache:
    """The stored memories of one graph.

    Args:
        graph: The graph. Only graphs whose fingerprint is known, because they come from a file, have a cache.
        families: The names of the families of evidence.
        half_lives: The half-lives of decayed counts.
    """

    def __init__(self, graph: TemporalGraph, families: Sequence[str], half_lives: Floats) -> None:
        self._folder = cache_folder() if graph.precomputed.fingerprint else None
        self._about = {
            "fingerprint": graph.precomputed.fingerprint,
            "families": list(families),
            "half_lives": half_lives[:-1].tolist(),
        }
        self._times = sorted({graph.valid_from, graph.test_from, graph.end}, reverse=True)

    def open_before(self, now: int) -> Memory | None:
        """The stored memory with most facts before a time step."""
        for until in self._times:
            path = self._path(until)
            if until <= now and path is not None and path.exists():
                try:
                    memory = open_memory(path, partial(self._is_of, until))
                    os.utime(path)  # marks it as recently used
                except (InputError, OSError):
                    continue
                if memory is not None:
                    return memory
        return None

    def _is_of(self, until: int, about: Mapping[str, Any]) -> bool:
        return all(about.get(name) == value for name, value in {**self._about, "until": until}.items())

    def store(self, memory: Memory, until: int) -> None:
        """Store a memory of the facts before a time step. Failures are ignored: the cache is optional."""
        path = self._path(until)
        if path is None or until not in self._times or path.exists():
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_memory(memory, path, {**self._about, "until": until})
            remove_least_recent(path.parent)
        except (OSError, InputError):
            return

    def _path(self, until: int) -> Path | None:
        key = repr((__version__, MEMORY_FILE.version, sorted(self._about.items()), until))
        name = f"{blake2b(key.encode(), digest_size=16).hexdigest()}.memory"
        return None if self._folder is None else self._folder / name
