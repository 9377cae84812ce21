"""Memories beside a compiled graph: commands with a model open them and need not learn from its facts again."""

from pathlib import Path

from tlogic.errors import InputError
from tlogic.evidence.memory_cache import describe_memory, files_beside
from tlogic.evidence.memory_file import MEMORY_FILE, write_memory
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.execution import Execution
from tlogic.files import check_writable
from tlogic.graph.array_file import has_kind
from tlogic.graph.temporal_graph import TemporalGraph


def check_memories(graph: TemporalGraph, path: Path) -> None:
    """Raise an error before long work if the memories beside a compiled graph could not be written.

    Raises:
        InputError: If one of the files cannot be written, or exists and is not a memory.
    """
    for file in files_beside(graph, path).values():
        check_writable(file)
        if file.exists() and not has_kind(file, MEMORY_FILE):
            raise InputError(
                f"{file} is not a {MEMORY_FILE.name} and would be overwritten; move it, or rename the compiled graph."
            )


def write_memories(
    graph: TemporalGraph, settings: MemorySettings, path: Path, execution: Execution = Execution()
) -> list[Path]:
    """Write the memories of a graph beside its compiled graph, each atomically; return their files."""
    evidence, files = QueryEvidence(graph, settings), files_beside(graph, path)
    for until, file in files.items():
        memory = evidence.memory_until(until, execution)
        write_memory(memory, file, describe_memory(graph.fingerprint, settings, until))
    return list(files.values())
