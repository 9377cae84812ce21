"""Compiled graphs: names, facts and all sorted arrays in one memory-mapped file."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tlogic.errors import InputError
from tlogic.events.read_report import FileReport, ReadReport
from tlogic.events.sources.source_files import files_read, find_source
from tlogic.events.timeline import Timeline
from tlogic.graph.array_file import FileKind, damaged, has_kind, header_of, open_arrays, write_arrays
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts
from tlogic.graph.temporal_graph import Precomputed, TemporalGraph
from tlogic.graph.triples import TripleIndex
from tlogic.graph.views import Views
from tlogic.graph.vocabulary import Relations, StoredVocabulary

VERSION = 3
GRAPH_FILE = FileKind("compiled graph", b"tlogic graph\n\0\0\0", VERSION, "tlogic index DATA --out GRAPH")
_FACTS, _TRIPLES = "facts", "triples"
_VIEWS: Mapping[str, Any] = Views.__annotations__
"""The record type of each view."""

Record = TypeVar("Record", bound=Any)
SourceStamps = list[tuple[str, int, int]]
"""Path, size and modification time of each file that a graph was built from."""


def is_compiled(path: Path) -> bool:
    """Whether a file begins with the magic line of a compiled graph."""
    return has_kind(path, GRAPH_FILE)


def write_compiled(graph: TemporalGraph, path: Path, source: str | Path | None = None) -> None:
    """Write a graph with its indexes, atomically.

    If ``source`` is given, ``open_compiled`` refuses the graph after a change of the source files.
    """
    write_arrays(path, GRAPH_FILE, _about(graph, source), _arrays_of(graph))


def open_compiled(path: Path) -> TemporalGraph:
    """Open a compiled graph; its arrays are loaded from the file on access."""
    header, arrays = open_arrays(path, GRAPH_FILE)
    try:
        graph = _graph(header, arrays, path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(path, GRAPH_FILE, str(error)) from None
    _check_sources(path, header)
    return graph


def _arrays_of(graph: TemporalGraph) -> dict[str, Ints]:
    arrays = _named(_FACTS, graph.facts) | _named(_TRIPLES, graph.triples)
    del arrays[_name(_TRIPLES, "fact_time")]  # equals the time of the facts
    for kind, view in graph.views._asdict().items():
        arrays |= _named(kind, view)
    for kind, names in (("entities", graph.entities.names), ("relations", graph.relations.base)):
        encoded = [name.encode() for name in names]
        arrays[_name(kind, "text")] = np.frombuffer(b"".join(encoded), np.uint8)
        arrays[_name(kind, "end")] = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return arrays


def _name(kind: str, field: str) -> str:
    return f"{kind}.{field}"


def _named(kind: str, record: Any) -> dict[str, Ints]:
    """The arrays of a record, by their names in the file."""
    return {_name(kind, field): array for field, array in record._asdict().items()}


def _record(make: type[Record], kind: str, arrays: Mapping[str, Ints], **given: Ints) -> Record:
    """A record of arrays from the file; the given fields are taken as they are."""
    fields = [field for field in make._fields if field not in given]
    return make(**{field: arrays[_name(kind, field)] for field in fields}, **given)


def _about(graph: TemporalGraph, source: str | Path | None) -> dict[str, Any]:
    return {
        "timeline": graph.timeline.to_dict(),
        "valid_from": graph.valid_from,
        "test_from": graph.test_from,
        "fingerprint": graph.fingerprint,
        "fingerprint_of_train": graph.train.fingerprint,
        "report": None if graph.report is None else asdict(graph.report),
        "origin": None if source is None else str(find_source(source).resolve()),
        "sources": [] if source is None else [(*stamp, _content_hash(stamp[0])) for stamp in source_stamps(source)],
    }


def _graph(header: Mapping[str, Any], arrays: Mapping[str, Ints], path: Path) -> TemporalGraph:
    facts = _record(Facts, _FACTS, arrays)
    entity_ends, relation_ends = arrays["entities.end"], arrays["relations.end"]
    count_by_entity = partial(facts.count_by_entity, len(entity_ends))
    count_by_relation = partial(facts.count_by_relation, len(relation_ends))
    entities = StoredVocabulary(arrays["entities.text"], entity_ends, "entity", count_by_entity)
    relations = StoredVocabulary(arrays["relations.text"], relation_ends, "relation")
    precomputed = Precomputed(
        triples=_record(TripleIndex, _TRIPLES, arrays, fact_time=facts.time),
        views=Views(*(_record(make, kind, arrays) for kind, make in _VIEWS.items())),
        fingerprint=header["fingerprint"],
        train_fingerprint=header["fingerprint_of_train"],
        path=path.absolute(),
    )
    return TemporalGraph(
        entities,
        Relations(relations.names, count_by_relation),
        Timeline.from_dict(header["timeline"]),
        facts,
        header["valid_from"],
        header["test_from"],
        _report(header["report"]),
        precomputed,
    )


def _report(fields: Mapping[str, Any] | None) -> ReadReport | None:
    if fields is None:
        return None
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    files = tuple(FileReport(**(file | {"header": tuple(file["header"])})) for file in fields["files"])
    return ReadReport(**(dict(fields) | lists | {"files": files}))


def _check_sources(path: Path, header: Mapping[str, Any]) -> None:
    """Raise an error if the source of a graph has changed. A missing or unreadable source is ignored."""
    if not header["sources"]:
        return
    then = {name: stamp for name, *stamp in header["sources"]}
    try:
        now = {name: stamp for name, *stamp in source_stamps(header["origin"])}
        changed = sorted(name for name in {**then, **now} if not _is_same(name, now.get(name), then.get(name)))
    except (InputError, OSError):
        return
    if changed:
        raise InputError(
            f"{path} was built from {header['origin']}, but {Path(changed[0]).name} has changed since; "
            "create it again with `tlogic index`."
        )


def _is_same(name: str, now: list[int] | None, then: list[Any] | None) -> bool:
    """Whether a file has the content that it had. A new time stamp alone is no change, as after a copy."""
    if now is None or then is None:
        return False
    size, changed, *content_hash = then
    return now == [size, changed] or (now[0] == size and content_hash == [_content_hash(name)])


def _content_hash(path: str) -> str:
    with Path(path).open("rb") as file:
        return file_digest(file, "blake2b").hexdigest()


def source_stamps(source: str | Path) -> SourceStamps:
    """The stamps of the files of a source; for a compiled graph also of the files it was built from."""
    files = files_read(source)
    stats = [(str(path.resolve()), path.stat()) for path in files]
    sources = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
    if is_compiled(files[0]):
        header = header_of(files[0], GRAPH_FILE)
        if header["origin"] and Path(header["origin"]).exists():
            sources += source_stamps(header["origin"])
    return sources
