"""Compiled graphs: names, facts and all sorted arrays in one memory-mapped file.

The file begins with a magic line, the version, and the length and digest of a JSON header. The header lists the name,
type, length and checksum of each array. Arrays follow in that order and begin at multiples of 64 bytes.
"""

import json
import mmap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any, TypeVar

import numpy as np

from tlogic.errors import InputError
from tlogic.events.read_report import FileReport, ReadReport
from tlogic.events.sources.source_files import files_read, find_source
from tlogic.events.timeline import Timeline
from tlogic.files import atomic_write
from tlogic.graph.arrays import Ints
from tlogic.graph.checksums import checksum
from tlogic.graph.facts import Facts
from tlogic.graph.temporal_graph import Precomputed, TemporalGraph
from tlogic.graph.triples import TripleIndex
from tlogic.graph.views import Views
from tlogic.graph.vocabulary import Relations, StoredVocabulary
from tlogic.parallel import in_parallel

MAGIC = b"tlogic graph\n\0\0\0"
VERSION = 3
_START = Struct("<16sIQ16s")
_ALIGNMENT_BYTES = 64
_FACTS, _TRIPLES = "facts", "triples"
_VIEWS: Mapping[str, Any] = Views.__annotations__
"""The record type of each view."""

Record = TypeVar("Record", bound=Any)
SourceStamps = list[tuple[str, int, int]]
"""Path, size and modification time of each file that a graph was built from."""


def is_compiled(path: Path) -> bool:
    """Whether a file begins with the magic line of a compiled graph."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def write_compiled(graph: TemporalGraph, path: Path, source: str | Path | None = None) -> None:
    """Write a graph with its indexes, atomically.

    If ``source`` is given, ``open_compiled`` refuses the graph after a change of the source files.
    """
    arrays = _arrays_of(graph)
    header = _header(graph, arrays, source)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        file.write(_START.pack(MAGIC, VERSION, len(header), _digest(header)))
        file.write(header)
        for array in arrays.values():
            file.write(b"\0" * (-file.tell() % _ALIGNMENT_BYTES))
            file.write(np.ascontiguousarray(array).data)


def open_compiled(path: Path) -> TemporalGraph:
    """Open a compiled graph; its arrays are loaded from the file on access."""
    content = _mapped(path)
    header, begin = _read_header(content, path)
    try:
        arrays = _map_arrays(content, header["arrays"], begin)
        _check_arrays(arrays, header["arrays"])
        graph = _graph(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, str(error)) from None
    _check_sources(path, header)
    return graph


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            # copy-on-write, so that arrays are writeable; processes that map the file share its pages
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be opened: {error}.") from None


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


def _header(graph: TemporalGraph, arrays: Mapping[str, Ints], source: str | Path | None) -> bytes:
    about: dict[str, Any] = {
        "timeline": graph.timeline.to_dict(),
        "valid_from": graph.valid_from,
        "test_from": graph.test_from,
        "fingerprint": graph.fingerprint,
        "fingerprint_of_train": graph.train.fingerprint,
        "report": None if graph.report is None else asdict(graph.report),
        "origin": None if source is None else str(find_source(source).resolve()),
        "sources": [] if source is None else source_stamps(source),
        "arrays": [
            [name, array.dtype.str, len(array), int(checksum(np.ascontiguousarray(array)))]
            for name, array in arrays.items()
        ],
    }
    return json.dumps(about, ensure_ascii=False).encode()


def _digest(header: bytes) -> bytes:
    return blake2b(header, digest_size=16).digest()


def _read_header(content: mmap.mmap, path: Path) -> tuple[dict[str, Any], int]:
    """The header, and the offset of the arrays."""
    if len(content) < _START.size or content[: len(MAGIC)] != MAGIC:
        raise InputError(f"{path} is not a compiled graph; create one with `tlogic index DATA --out GRAPH`.")
    _, version, length, digest = _START.unpack(content[: _START.size])
    if version != VERSION:
        raise InputError(
            f"{path} is a compiled graph of version {version}, but this tlogic reads version {VERSION}; "
            "create it again with `tlogic index`."
        )
    header = content[_START.size : _START.size + length]
    if _digest(header) != digest:
        raise _damaged(path, "the checksum of its header is wrong")
    return json.loads(header), _START.size + length


def _map_arrays(content: mmap.mmap, entries: Sequence[Sequence[Any]], begin: int) -> dict[str, Ints]:
    arrays, at = {}, begin
    for name, kind, length, _ in entries:
        begin, at = at, at + -at % _ALIGNMENT_BYTES
        if any(content[begin:at]):
            raise ValueError(f"unexpected bytes before {name}")
        dtype = np.dtype(kind)
        end = at + length * dtype.itemsize
        if end > len(content):
            raise ValueError(f"expected at least {end:,} bytes, found {len(content):,}")
        arrays[name] = np.frombuffer(content, dtype, length, at)
        at = end
    if at != len(content):
        raise ValueError(f"expected {at:,} bytes, found {len(content):,}")
    return arrays


def _check_arrays(arrays: Mapping[str, Ints], entries: Sequence[Sequence[Any]]) -> None:
    names = [name for name, _, _, _ in entries]
    found = in_parallel(lambda: checksum, [arrays[name] for name in names])
    for (name, _, _, expected), actual in zip(entries, found, strict=True):
        if actual != expected:
            raise ValueError(f"the checksum of {name} is wrong")


def _graph(header: Mapping[str, Any], arrays: Mapping[str, Ints]) -> TemporalGraph:
    facts = _record(Facts, _FACTS, arrays)
    entities = StoredVocabulary(arrays["entities.text"], arrays["entities.end"], kind="entity")
    relations = StoredVocabulary(arrays["relations.text"], arrays["relations.end"], kind="relation")
    precomputed = Precomputed(
        triples=_record(TripleIndex, _TRIPLES, arrays, fact_time=facts.time),
        views=Views(*(_record(make, kind, arrays) for kind, make in _VIEWS.items())),
        fingerprint=header["fingerprint"],
        train_fingerprint=header["fingerprint_of_train"],
    )
    return TemporalGraph(
        entities,
        Relations(relations.names),
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


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} is a damaged graph file: {why}; create it again with `tlogic index`.")


def _check_sources(path: Path, header: Mapping[str, Any]) -> None:
    """Raise an error if the source of a graph has changed. A missing or unreadable source is ignored."""
    try:
        now = source_stamps(header["origin"]) if header["origin"] else []
    except (InputError, OSError):
        return
    then = [tuple(source) for source in header["sources"]]
    if then and now != then:
        names = [name for name, _, _ in set(now) ^ set(then)]
        raise InputError(
            f"{path} was built from {header['origin']}, but {Path(min(names)).name} has changed since; "
            "create it again with `tlogic index`."
        )


def source_stamps(source: str | Path) -> SourceStamps:
    """The stamps of the files of a source; for a compiled graph also of the files it was built from."""
    files = files_read(source)
    stats = [(str(path.resolve()), path.stat()) for path in files]
    sources = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
    if is_compiled(files[0]):
        header, _ = _read_header(_mapped(files[0]), files[0])
        if header["origin"] and Path(header["origin"]).exists():
            sources += source_stamps(header["origin"])
    return sources
