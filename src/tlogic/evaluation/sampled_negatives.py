"""The sampled negatives of TGB 2.0: for each query, the entities that its answers are ranked against."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.pickled_arrays import find_arrays
from tlogic.events.sources.tgb import FORMAT, dataset_name, ids_of_edge_list, time_labels
from tlogic.forecasting.application import QueryBatch
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph

_SAMPLED = ("tkgl-wikidata",)
"""The datasets of TGB with sampled negatives. The answers of all others are ranked against all entities."""
_SPLIT_NAMES = {"valid": "val", "test": "test"}


class Negatives(NamedTuple):
    """The entities that the answers of each query are ranked against."""

    start: Ints
    entity: Ints


def sampled_negatives(graph: TemporalGraph, split: str) -> "SampledNegatives | None":
    """The published negatives of a split; None if answers are ranked against all entities.

    Raises:
        InputError: If the dataset has sampled negatives, but their file is missing or does not match the data.
    """
    edge_list = _edge_list(graph)
    if edge_list is None or dataset_name(edge_list) not in _SAMPLED:
        return None
    path = edge_list.with_name(f"{dataset_name(edge_list)}_{_SPLIT_NAMES[split]}_ns.pkl")
    if not path.is_file():
        raise InputError(
            f"{path} is missing: TGB ranks the answers of {dataset_name(edge_list)} against the negatives in it. "
            f"Get it with `tlogic download {dataset_name(edge_list)}`."
        )
    return SampledNegatives(graph, edge_list, path)


def _edge_list(graph: TemporalGraph) -> Path | None:
    """The edge list of TGB that a graph was read from."""
    files = () if graph.report is None else graph.report.files
    return Path(files[0].name) if files and files[0].format == FORMAT else None


class SampledNegatives:
    """The negatives of the queries of a split, in a file of TGB.

    Args:
        graph: The graph.
        edge_list: The edge list that the graph was read from. It gives the ids of TGB: entities and relations are
            numbered as they first appear in it.
        path: The file with the negatives of each query.
    """

    def __init__(self, graph: TemporalGraph, edge_list: Path, path: Path) -> None:
        self._graph, self._path = graph, path
        entities, relations = ids_of_edge_list(edge_list)
        self._entity = _positions(graph.entities.names, entities)
        self._arrays = find_arrays(path)
        time, subject, relation = self._arrays.key.T
        if subject.max() >= len(entities) or relation.max() >= 2 * len(relations):
            raise InputError(f"{path} does not belong to {edge_list}: it has ids that the edge list has not.")
        half, base = len(graph.relations.base), _positions(graph.relations.base, relations)
        both = np.concatenate([base, base + half])
        keys = self._codes(_steps(graph, time), self._entity[subject], both[relation])
        self._order = np.argsort(keys)
        self._keys = keys[self._order]

    def of(self, queries: QueryBatch) -> Negatives:
        """The negatives of some queries."""
        wanted = self._codes(queries.time, queries.subject, queries.relation)
        index = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        missing = np.flatnonzero(self._keys[index] != wanted)
        if len(missing):
            graph, q = self._graph, missing[0]
            raise InputError(
                f"{self._path} has no negatives for ({graph.entities.names[queries.subject[q]]}, "
                f"{graph.relations.names[queries.relation[q]]}, ?, {graph.timeline.label_of(int(queries.time[q]))}); "
                "it does not belong to this data."
            )
        arrays = self._arrays.read(self._order[index])
        sizes = np.array([len(array) for array in arrays], np.int64)
        return Negatives(np.append(0, np.cumsum(sizes)), self._entity[np.concatenate(arrays)])

    def _codes(self, time: Ints, subject: Ints, relation: Ints) -> Ints:
        """One number per query."""
        n_relations, n_entities = 2 * len(self._graph.relations.base), len(self._graph.entities)
        return (time.astype(np.int64) * n_entities + subject) * n_relations + relation


def _positions(names: list[str], in_order_of_tgb: pl.Series) -> Ints:
    """By id of TGB: the id in the graph."""
    return in_order_of_tgb.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()


def _steps(graph: TemporalGraph, times: Ints) -> Ints:
    """The time steps of times of TGB."""
    distinct, index = np.unique(times, return_inverse=True)
    return np.array([graph.timeline.step_of(label) for label in time_labels(distinct)], np.int64)[index]
