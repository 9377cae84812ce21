"""Text that was read before is not read again: commands keep compiled graphs of it, and notice when it changes."""

import os
import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import Any

from tlogic import files
from tlogic.errors import InputError
from tlogic.events.sources.databases import is_database_url
from tlogic.graph.building import read
from tlogic.graph.compiled_graph import VERSION, is_compiled, open_compiled, sources_of, write_compiled
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.version import __version__

FOLDER_VARIABLE = "TLOGIC_CACHE"
_OFF = ("off", "0")
_NAME = re.compile("[0-9a-f]{32}[.]graph")
_MOST_FILES, _MOST_BYTES = 20, 4 << 30
_SETTLED_AFTER = 2.0
"""Seconds. A file that was changed just now may change again without showing it: clocks of files tick slowly."""


def read_with_cache(source: str, **options: Any) -> TemporalGraph:
    """Read as ``tlogic.read`` does, or open what an earlier command kept of the same files and options."""
    place = _place_for(source, options)
    if place is None:
        return read(source, **options)
    try:
        graph = open_compiled(place)
        os.utime(place)  # used last
        return graph
    except (InputError, OSError):
        graph = read(source, **options)
    _keep(graph, place)
    return graph


def cache_folder() -> Path | None:
    """Where compiled graphs are kept: TLOGIC_CACHE, or the user's folder for such things; None if it says ``off``."""
    told = os.environ.get(FOLDER_VARIABLE)
    if told:
        return None if told.lower() in _OFF else Path(told).expanduser()
    try:
        return files.cache_folder() / "graphs"
    except InputError:  # this user has none
        return None


def _place_for(source: str, options: Mapping[str, Any]) -> Path | None:
    """The file for a source as it is now; None for what is not kept: databases, what is compiled, or changes now."""
    folder = cache_folder()
    if folder is None or is_database_url(source) or is_compiled(Path(source).expanduser()):
        return None
    sources = sources_of(source)
    if time() - max(changed for _, _, changed in sources) / 1e9 < _SETTLED_AFTER:
        return None
    told = repr((__version__, VERSION, sources, sorted(options.items())))
    return folder / f"{blake2b(told.encode(), digest_size=16).hexdigest()}.graph"


def _keep(graph: TemporalGraph, place: Path) -> None:
    """Keep a graph, and not too many of them. Where that cannot be done it need not be."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_compiled(graph, place)
        ours = [path for path in place.parent.iterdir() if _NAME.fullmatch(path.name)]
        kept = sorted(ours, key=lambda path: -path.stat().st_mtime)
        total = 0
        for number, path in enumerate(kept):
            total += path.stat().st_size
            if number >= _MOST_FILES or (number and total > _MOST_BYTES):
                path.unlink()
    except (OSError, InputError):
        return
