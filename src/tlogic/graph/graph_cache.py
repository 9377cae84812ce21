"""A cache of compiled graphs: commands read unchanged text files only once."""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import Any

from tlogic import files
from tlogic.errors import InputError
from tlogic.events.sources.databases import is_database_url
from tlogic.graph.building import read_graph
from tlogic.graph.compiled_graph import VERSION, is_compiled, open_compiled, source_stamps, write_compiled
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.version import __version__

FOLDER_VARIABLE = "TLOGIC_CACHE"
_OFF = ("off", "0")
_NAME = re.compile("[0-9a-f]{32}[.](graph|memory|model)")
# Increases when the same files and options give another graph than before.
_READING_VERSION = 2
_MAX_FILES, _MAX_BYTES = 20, 4 << 30
_MIN_FILE_AGE_SECONDS = 2.0
"""A file that changed just now may change again with the same time stamp, because file clocks are coarse."""


def read_with_cache(source: str, **options: Any) -> TemporalGraph:
    """Read as ``tlogic.read`` does, or open the cached graph of the same files and options."""
    path = _cache_path(source, options)
    if path is None:
        return read_graph(source, **options)
    try:
        graph = open_compiled(path)
        os.utime(path)  # marks it as recently used
        return graph
    except (InputError, OSError):
        graph = read_graph(source, **options)
    _store(graph, path)
    return replace(graph, precomputed=graph.precomputed._replace(fingerprint=graph.fingerprint))


def cache_folder() -> Path | None:
    """The folder of cached graphs: TLOGIC_CACHE, or the cache folder of the user; None if caching is ``off``."""
    setting = os.environ.get(FOLDER_VARIABLE)
    if setting:
        return None if setting.lower() in _OFF else Path(setting).expanduser()
    try:
        return files.cache_folder() / "graphs"
    except InputError:  # the user has no home folder
        return None


def _cache_path(source: str, options: Mapping[str, Any]) -> Path | None:
    """The cache file of a source in its present state; None for databases, compiled graphs and files just changed."""
    folder = cache_folder()
    if folder is None or is_database_url(source) or is_compiled(Path(source).expanduser()):
        return None
    sources = source_stamps(source)
    if time() - max(changed for _, _, changed in sources) / 1e9 < _MIN_FILE_AGE_SECONDS:
        return None
    key = repr((__version__, VERSION, _READING_VERSION, sources, sorted(options.items())))
    return folder / f"{blake2b(key.encode(), digest_size=16).hexdigest()}.graph"


def _store(graph: TemporalGraph, path: Path) -> None:
    """Cache a graph and remove the least recently used ones. Failures are ignored: the cache is optional."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_compiled(graph, path)
        remove_least_recent(path.parent)
    except (OSError, InputError):
        return


def remove_least_recent(folder: Path) -> None:
    """Remove the least recently used files of the cache, if there are many or large ones."""
    cached = [file for file in folder.iterdir() if _NAME.fullmatch(file.name)]
    total_bytes = 0
    for index, file in enumerate(sorted(cached, key=lambda file: -file.stat().st_mtime)):
        total_bytes += file.stat().st_size
        if index >= _MAX_FILES or (index and total_bytes > _MAX_BYTES):
            file.unlink()
