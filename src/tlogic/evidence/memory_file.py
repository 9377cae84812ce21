"""Memory files: a memory as one memory-mapped file of arrays.

The file names the graph that the memory is of, by its fingerprint, and the time step before which its facts are known.
"""

from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from tlogic.evidence.lists import Lists, compact_extent, compact_records
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.rates import Tally
from tlogic.evidence.tables import n_keys
from tlogic.graph.array_file import ArrayOrParts, FileKind, damaged, open_arrays, write_arrays

MEMORY_FILE = FileKind("memory file", b"tlogic memory\n\0\0", 3, "tlogic fit")


def write_memory(memory: Memory, path: Path, about: Mapping[str, Any]) -> None:
    """Write a memory, atomically, with a description of what it is of."""
    arrays = _arrays_of("events", memory.events._replace(**_trimmed_groups(memory)))
    arrays |= _arrays_of("newest_facts", memory.newest_facts)
    for name, family in memory.families.items():
        if family.state is not None:
            arrays |= _arrays_of(name, family.state)
    lives = list(memory.settings.half_lives[:-1])  # without the infinite one, which is no JSON
    settings = {"families": list(memory.families), "half_lives": lives, "max_events": memory.settings.max_events}
    write_arrays(path, MEMORY_FILE, {**about, **settings}, arrays)


def open_memory(path: Path, is_of: Callable[[Mapping[str, Any]], bool]) -> Memory | None:
    """Open a memory; None if it is of something else.

    Args:
        path: The file.
        is_of: Whether the description in the file is that of what is wanted.

    Raises:
        InputError: If the file is no memory file, or damaged.
    """
    header, arrays = open_arrays(path, MEMORY_FILE)
    if not is_of(header):
        return None
    try:
        lives = (*header["half_lives"], inf)
        memory = Memory(MemorySettings(tuple(header["families"]), lives, header["max_events"]))
        memory.events = _record(memory.events, "events", arrays)
        memory.newest_facts = _record(memory.newest_facts, "newest_facts", arrays)
        for name, family in memory.families.items():
            if family.state is not None:
                family.state = _record(family.state, name, arrays)
    except (KeyError, TypeError) as error:
        raise damaged(path, MEMORY_FILE, f"{error} is missing") from None
    return memory


def _trimmed_groups(memory: Memory) -> dict[str, Any]:
    """The groups and lists of the events without spare rows."""
    events = memory.events
    n_slots, n_triples, n_pairs = (int(n_keys(table)) for table in (events.slot, events.triple, events.pair))
    return {
        "slots": events.slots[:n_slots],
        "triples": events.triples[:n_triples],
        "pairs": events.pairs[:n_pairs],
        "targets_of_slot": _first_lists(events.targets_of_slot, n_slots),
        "triples_of_pair": _first_lists(events.triples_of_pair, n_pairs),
    }


def _first_lists(lists: Lists, n: int) -> Lists:
    return lists._replace(extent=lists.extent[: n + 1])


def _arrays_of(name: str, value: Any) -> dict[str, ArrayOrParts]:
    """The arrays of a record, and of the records in it, by their names in the file."""
    if isinstance(value, np.ndarray):
        return {name: value}
    if isinstance(value, Lists):
        return {f"{name}.extent": compact_extent(value), f"{name}.record": compact_records(value)}
    if isinstance(value, Tally):
        value = value._replace(counts=value.counts[: int(n_keys(value.rule))])
    arrays: dict[str, ArrayOrParts] = {}
    for field, part in value._asdict().items():
        arrays |= _arrays_of(f"{name}.{field}", part)
    return arrays


def _record(like: Any, name: str, arrays: Mapping[str, np.ndarray]) -> Any:
    """The record of a name, with the fields of a similar one."""
    if isinstance(like, np.ndarray):
        return arrays[name]
    return type(like)(*(_record(part, f"{name}.{field}", arrays) for field, part in like._asdict().items()))
