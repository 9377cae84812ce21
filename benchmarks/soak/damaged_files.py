"""Single bits flipped in files of all formats."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.damage import flipped

import tlogic
from benchmarks.soak.record import Budget, Record
from tlogic.evidence.memory_file import open_memory

PROMISE = "Files with a flipped bit are refused: {}."
IGNORED_PROMISE = "Files with a flipped bit are refused or built again, and change no answer: {}."
_FLIPS_PER_ROUND = 50


def measure(budget: Budget) -> list[Record]:
    """Flip bits all over rule files, model files, compiled graphs, memories and checkpoints."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        readers = _files(folder)
        answers = {
            "memories": (folder / "a.memory", _forecaster(folder / "a.graph", tlogic.Model.load(folder / "a.model"))),
            "checkpoints of learning": (folder / "a.partial", _learner(folder / "a.partial")),
        }
        share = Budget(budget.seconds / (len(readers) + len(answers)))
        refused = [_measure(share, kind, path, read) for kind, (path, read) in readers.items()]
        return refused + [_measure_ignored(share, kind, path, answer) for kind, (path, answer) in answers.items()]


def _files(folder: Path) -> dict[str, tuple[Path, Callable[[Path], object]]]:
    """A file of each format, with the function that reads it."""
    graph = tlogic.sample(days=60)
    tlogic.learn(graph, lengths=(1,)).save(folder / "a.rules")
    scorecard = tlogic.fit(graph, threads=1)
    scorecard.save(folder / "a.model")
    tlogic.fit(graph, model="boosted", evidence=["recurrence", "rules"], threads=1).save(folder / "b.model")
    tlogic.index(graph, folder / "a.graph", model=scorecard)
    return {
        "rules": (folder / "a.rules", tlogic.load),
        "scorecards": (folder / "a.model", tlogic.load),
        "boosted models": (folder / "b.model", tlogic.load),
        "compiled graphs": (folder / "a.graph", _use_graph),
        "memories": (folder / "a.memory", lambda path: open_memory(path, lambda _: True)),
    }


def _use_graph(path: Path) -> object:
    graph = tlogic.read(path)
    return graph.facts, graph.entities.names, graph.views, graph.triples


def _measure(budget: Budget, kind: str, path: Path, read: Callable[[Path], object]) -> Record:
    content, n_flips, accepted = path.read_bytes(), 0, 0
    for number in budget.rounds():
        for damaged in flipped(content, _FLIPS_PER_ROUND + number):
            path.write_bytes(damaged)
            n_flips += 1
            try:
                read(path)
                accepted += 1
            except tlogic.TLogicError:
                continue
    path.write_bytes(content)
    return Record(PROMISE.format(kind), f"{n_flips:,} flips, {n_flips - accepted:,} refused", accepted)


def _measure_ignored(budget: Budget, kind: str, path: Path, answer: Callable[[], object]) -> Record:
    content, n_flips, n_refused, failures = path.read_bytes(), 0, 0, 0
    expected = answer()
    for number in budget.rounds():
        for damaged in [*flipped(content, _FLIPS_PER_ROUND + number)][number % 10 :: 10]:
            path.write_bytes(damaged)
            n_flips += 1
            try:
                failures += answer() != expected
            except tlogic.TLogicError:
                n_refused += 1
            except Exception:
                failures += 1
    path.write_bytes(content)
    figure = f"{n_flips:,} flips: {n_refused:,} refused, {n_flips - n_refused - failures:,} with the same answer"
    return Record(IGNORED_PROMISE.format(kind), figure, failures)


def _forecaster(path: Path, model: tlogic.Model) -> Callable[[], object]:
    """Forecasts over a compiled graph, with the memory beside it."""

    def forecasts() -> object:
        graph = tlogic.read(path)
        query = tlogic.Query(subject=graph.entities.names[0], relation=graph.relations.base[0])
        return [list(candidates) for candidates in tlogic.forecast(graph, model, [query])]

    return forecasts


def _learner(path: Path) -> Callable[[], object]:
    """Rules that are learned with a checkpoint; a complete checkpoint is there already."""
    graph = tlogic.sample(days=60)

    def learned() -> object:
        return tlogic.learn(graph, lengths=(1,), walks=20, checkpoint=path, threads=1).rules

    learned()
    return learned
