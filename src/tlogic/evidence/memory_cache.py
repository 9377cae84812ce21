"""Stored memories of graphs that were read from files: commands learn from unchanged facts once.

They are in the cache folder or, for a compiled graph, in files beside it.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tlogic.errors import InputError
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_file import MEMORY_FILE, open_memory, write_memory
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.graph.graph_cache import cache_folder, remove_least_recent
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.version import __version__


def files_beside(graph: TemporalGraph, path: Path) -> dict[int, Path]:
    """The files of memories beside a compiled graph, by the time step before which their facts are.

    One is of all facts, for forecasts. If there is a test period, another one is of the facts before it, for its
    evaluation.

    >>> from tlogic.graph.building import sample_graph
    >>> for until, file in files_beside(sample_graph(), Path("world.graph")).items():
    ...     print(until, file)
    405 world.test.memory
    450 world.memory
    """
    name = path.name.removesuffix(".graph")
    before_test, complete = (path.with_name(f"{name}{suffix}.memory") for suffix in (".test", ""))
    return {min(graph.test_from, graph.end): before_test, graph.end: complete}


def describe_memory(fingerprint: str | None, settings: MemorySettings, until: int) -> dict[str, Any]:
    """What the file of a memory says about it."""
    return {
        "tlogic": __version__,
        "fingerprint": fingerprint,
        "families": list(settings.families),
        "half_lives": list(settings.half_lives[:-1]),
        "max_events": settings.max_events,
        "until": until,
    }


class MemoryCache:
    """The stored memories of one graph.

    Args:
        graph: The graph. Only graphs whose fingerprint is known, because they come from a file, have stored memories.
        settings: What determines a memory, besides the facts.
    """

    def __init__(self, graph: TemporalGraph, settings: MemorySettings) -> None:
        known = graph.precomputed
        self._folder = cache_folder() if known.fingerprint else None
        self._beside = {} if known.path is None else files_beside(graph, known.path)
        self._describe = partial(describe_memory, known.fingerprint, settings)
        self._times = sorted({graph.valid_from, graph.test_from, graph.end}, reverse=True)

    def open_before(self, now: int) -> Memory | None:
        """The stored memory with most facts before a time step."""
        found = (self._open(path, until) for until in self._times if until <= now for path in self._paths(until))
        return next((memory for memory in found if memory is not None), None)

    def _open(self, path: Path, until: int) -> Memory | None:
        """The memory in a file; None if there is none, if it is of something else or damaged."""
        is_cached = path == self._cached(until)
        try:
            memory = open_memory(path, partial(_has, self._describe(until))) if path.exists() else None
            if memory is not None and is_cached:
                os.utime(path)  # marks it as recently used
        except InputError:
            if is_cached:  # so that it is stored again
                with suppress(OSError):
                    path.unlink()
            return None
        except OSError:
            return None
        return memory

    def store(self, memory: Memory, until: int) -> None:
        """Store a memory of the facts before a time step. Failures are ignored: the cache is optional."""
        path = self._cached(until)
        if path is None or until not in self._times or path.exists():
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_memory(memory, path, self._describe(until))
            remove_least_recent(path.parent)
        except (OSError, InputError):
            return

    def _paths(self, until: int) -> Iterator[Path]:
        """Where a memory may be stored: first the file beside the graph."""
        return (path for path in (self._beside.get(until), self._cached(until)) if path is not None)

    def _cached(self, until: int) -> Path | None:
        key = repr((MEMORY_FILE.version, sorted(self._describe(until).items())))
        name = f"{blake2b(key.encode(), digest_size=16).hexdigest()}.memory"
        return None if self._folder is None else self._folder / name


def _has(expected: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """Whether a description has the expected entries."""
    return all(about.get(name) == value for name, value in expected.items())
