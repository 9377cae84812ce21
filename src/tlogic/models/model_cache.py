"""A cache of models: commands without rules or a model fit one to unchanged data only once."""

import os
from hashlib import blake2b
from pathlib import Path

from tlogic.errors import InputError
from tlogic.graph.graph_cache import cache_folder, remove_least_recent
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.file_format import VERSION
from tlogic.models.model import Model
from tlogic.models.settings import FitSettings
from tlogic.version import __version__


class ModelCache:
    """The cached model of one graph.

    Args:
        graph: The graph that the model is fitted to.
        settings: How it is fitted.
    """

    def __init__(self, graph: TemporalGraph, settings: FitSettings) -> None:
        folder = cache_folder()
        key = repr((__version__, VERSION, graph.fingerprint, graph.valid_from, graph.test_from, settings))
        name = f"{blake2b(key.encode(), digest_size=16).hexdigest()}.model"
        self._path: Path | None = None if folder is None else folder / name

    def open(self) -> Model | None:
        """The cached model; None if there is none, or if its file is damaged."""
        if self._path is None or not self._path.exists():
            return None
        try:
            model = Model.load(self._path)
            os.utime(self._path)  # marks it as recently used
        except (InputError, OSError):
            return None
        return model

    def store(self, model: Model) -> bool:
        """Store a model, and say whether that succeeded: the cache is optional."""
        if self._path is None:
            return False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            model.save(self._path)
            remove_least_recent(self._path.parent)
        except (OSError, InputError):
            return False
        return True
