"""Facts of the temporal graph benchmark TGB 2.0: its folders, and the datasets of its package py-tgb.

A folder of TGB holds all facts in one file, the edge list, without inverse edges: time, head, tail and relation. A
dataset of py-tgb holds the same facts and their inverse edges as arrays, in any order.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import NAME_ROLES
from tlogic.events.sources.data_frames import read_frame
from tlogic.events.sources.raw_facts import RawFacts
from tlogic.events.sources.text_files import read_text

TGB = "tgb"
"""The name of all facts of TGB, instead of the name of a split: quantiles of the times split them."""
FORMAT = "TGB edge list"

_PREFIX, _SUFFIX, _STATIC_SUFFIX = "tkgl-", "_edgelist.csv", "_static_edgelist.csv"
_POSITIONS = {"time": 0, "subject": 1, "object": 2, "relation": 3}
_SECONDS_PER_DAY = 86_400
_MIN_SECONDS = 100_000_000
"""Times from here on are seconds since 1970; smaller ones are years."""


def is_edge_list(path: Path) -> bool:
    """Whether a file has the name of an edge list of TGB.

    >>> is_edge_list(Path("tkgl-icews_edgelist.csv")), is_edge_list(Path("tkgl-wikidata_static_edgelist.csv"))
    (True, False)
    """
    return path.name.startswith(_PREFIX) and path.name.endswith(_SUFFIX) and not path.name.endswith(_STATIC_SUFFIX)


def find_edge_list(folder: Path) -> Path | None:
    """The edge list of a folder; None if there is none.

    Raises:
        InputError: If there are several.
    """
    found = [path for path in sorted(folder.glob(f"{_PREFIX}*{_SUFFIX}")) if is_edge_list(path)]
    if len(found) > 1:
        raise InputError(f"{folder} has several edge lists, {found[0].name} and {found[1].name}; give one as a file.")
    return found[0] if found else None


def dataset_name(edge_list: Path) -> str:
    """The name of the dataset of an edge list.

    >>> dataset_name(Path("tkgl_icews/tkgl-icews_edgelist.csv"))
    'tkgl-icews'
    """
    return edge_list.name.removesuffix(_SUFFIX)


def read_edge_list(path: Path, given: Mapping[str, str | int]) -> RawFacts:
    """Read the facts of an edge list. `given` maps roles to columns; by default they are in the order of TGB."""
    raw = read_text(path, True, {**_POSITIONS, **given}, {})
    static = path.with_name(dataset_name(path) + _STATIC_SUFFIX)
    notes = (f"{static.name} was not read: its edges have no time.",) if static.is_file() else ()
    return replace(raw, format=FORMAT, cells=_with_days(raw.cells), notes=notes)


def ids_of_edge_list(path: Path) -> tuple[pl.Series, pl.Series]:
    """The entities and the relations of an edge list, in the order of the ids that TGB gives them."""
    cells = read_text(path, True, _POSITIONS, {}).cells
    ends = pl.DataFrame({"ends": pl.concat([cells["subject"].alias("end"), cells["object"].alias("end")])})
    row = pl.concat([pl.Series(np.arange(2 * cells.height, step=2)), pl.Series(np.arange(1, 2 * cells.height, 2))])
    entities = ends.with_columns(row.alias("row")).group_by("ends").agg(pl.col("row").min()).sort("row")["ends"]
    return entities.cast(pl.String), cells["relation"].unique(maintain_order=True).cast(pl.String)


def time_labels(times: Any) -> list[str]:
    """The dates of times of TGB, as a graph labels them.

    >>> time_labels([1999, 2003]), time_labels([1514782800, 1514869200])
    (['1999', '2003'], ['2018-01-01', '2018-01-02'])
    """
    return [str(time) for time in _with_days(pl.DataFrame({"time": times}))["time"].to_list()]


def is_dataset(source: object) -> bool:
    """Whether this is a dataset of py-tgb, for numpy or for PyG; the package is not imported."""
    return type(source).__module__.startswith("tgb.linkproppred.dataset")


def read_dataset(source: Any) -> RawFacts:
    """Read the facts of a dataset of py-tgb, without its inverse edges.

    Entities and relations have the names of the edge list if the dataset keeps them, and otherwise its integer ids.
    """
    dataset = getattr(source, "dataset", source)  # the dataset for PyG wraps the one for numpy
    arrays = dataset.full_data
    if "edge_type" not in arrays:
        raise InputError(
            f"{dataset.name} has no relations; expected a temporal knowledge graph of TGB, such as tkgl-icews."
        )
    relation, n_relations = _relations(arrays["edge_type"], dataset.name)
    is_original = relation < n_relations
    cells = pl.DataFrame(
        {
            "subject": _names(arrays["sources"][is_original], getattr(dataset, "_node_id", None)),
            "relation": _names(relation[is_original], getattr(dataset, "_edge_type_ids", None)),
            "object": _names(arrays["destinations"][is_original], getattr(dataset, "_node_id", None)),
            "time": np.asarray(arrays["timestamps"])[is_original],
        }
    )
    raw = read_frame(cells.lazy(), {role: role for role in (*NAME_ROLES, "time")}, dataset.meta_dict["fname"], FORMAT)
    return replace(raw, cells=_with_days(raw.cells))


def _relations(edge_type: Any, name: str) -> tuple[Any, int]:
    """The relation of each edge, and the number of relations; those of inverse edges follow."""
    relation = np.asarray(edge_type)
    n_types = len(np.unique(relation))
    if n_types % 2 or relation.min() != 0 or relation.max() != n_types - 1:
        raise InputError(
            f"The relations of {name} are not numbered from 0, with inverse relations after them; "
            "read its folder instead."
        )
    return relation, n_types // 2


def _names(ids: Any, id_of_name: Mapping[str, int] | None) -> pl.Series:
    """The name of each id, or the id as text."""
    series = pl.Series(np.asarray(ids))
    if id_of_name is None:
        return series.cast(pl.String)
    return series.replace_strict(list(id_of_name.values()), list(id_of_name.keys()), return_dtype=pl.String)


def _with_days(cells: pl.DataFrame) -> pl.DataFrame:
    """Cells with days instead of seconds since 1970, if no two times are on the same day.

    The times of daily data are midnights of a time zone with summer time, so they are not whole days apart. Each
    belongs to the day whose midnight in UTC is nearest.
    """
    time = cells["time"]
    text_or_integer = time.cast(pl.String) if time.dtype == pl.Categorical else time  # large files are categorical
    seconds = text_or_integer.cast(pl.Int64, strict=False)
    if seconds.null_count() or seconds.is_empty() or int(seconds.to_numpy().max()) < _MIN_SECONDS:
        return cells
    days = (seconds + _SECONDS_PER_DAY // 2) // _SECONDS_PER_DAY
    if days.n_unique() == seconds.n_unique():
        return cells.with_columns(days.cast(pl.Int32).cast(pl.Date).alias("time"))
    return cells.with_columns(pl.from_epoch(seconds, time_unit="s").alias("time"))
