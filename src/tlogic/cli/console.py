"""What people see: progress on standard error, tables on standard output."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

if TYPE_CHECKING:
    from tlogic import Model, RuleSet
    from tlogic.forecasting import Forecast
    from tlogic.graph.graph_protocol import Graph

console = Console()
error_console = Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def progress() -> Iterator[Callable[..., Iterable[Any]]]:
    """Follow long work with a bar on standard error, until it is done; quiet where that is not a terminal."""
    with Progress(console=error_console, transient=True, disable=not error_console.is_terminal) as bar:

        def follow(items: Iterable[Any], total: float | None = None, description: str = "") -> Iterator[Any]:
            task = bar.add_task(description, total=total)
            yield from bar.track(items, total=total, task_id=task)
            bar.remove_task(task)

        yield follow


@contextmanager
def wait_for_kernels(kernel: Any) -> Iterator[None]:
    """Say why the first call after installation takes long: kernels are compiled for this machine, and kept."""
    name = f"{kernel.py_func.__module__.rsplit('.', 1)[-1]}.{kernel.py_func.__name__}"
    if not any(Path(kernel.stats.cache_path).glob(f"{name}-*.nbi")):
        error_console.print("Compiling the kernels of this command for this machine; this happens once.")
    yield


def print_evaluation(figures: dict[str, Any]) -> None:
    """The figures of an evaluation as a table."""
    by = _rules_applied(figures["settings"]) if "rules" in figures["settings"] else "by a model"
    table = Table(title=f"{figures['queries']:,} queries, {by}")
    for column in ("ties", "MRR", "hits@1", "hits@3", "hits@10"):
        table.add_column(column, justify="left" if column == "ties" else "right")
    for ties in ("realistic", "optimistic", "pessimistic"):
        table.add_row(ties, *(f"{value:.4f}" for value in figures[ties].values()))
    console.print(table)
    seconds = ", ".join(f"{stage} {value:.2f} s" for stage, value in figures["seconds"].items())
    console.print(
        f"{figures['no_candidates']:,} queries had no candidate and were answered by the fallback; "
        f"{seconds}; peak memory {figures['peak_mb']} MB",
        highlight=False,
    )


def _rules_applied(settings: dict[str, Any]) -> str:
    applied, given, foreign = (settings[name] for name in ("rules", "rules_given", "rules_foreign"))
    told = f"{applied:,} of {given:,} rules applied"
    return f"{told}; {foreign:,} name relations that the data does not have" if foreign else told


def print_forecast(answers: "Forecast[Any]") -> None:
    """The candidates of one query as a table; those that came true, where that is known, have a tick."""
    true = set(answers.true_answers(0))
    table = Table(title=escape(str(answers.queries[0])))
    table.add_column("rank", justify="right")
    table.add_column("candidate", overflow="fold")
    table.add_column("score", justify="right")
    if answers.by(0) == "model":
        table.add_column("probability", justify="right")
    for rank, name, score, probability in answers[0]:
        likely = [] if probability is None else [f"{probability:.1%}"]
        table.add_row(str(rank), escape(name) + (" [green]✓[/green]" if name in true else ""), f"{score:.4f}", *likely)
    console.print(table)
    if answers.by(0) == "fallback":
        console.print("No rule leads to a candidate; these are the usual answers to this relation.")
    if true:
        console.print(f"✓ what the data holds for that time: {escape(', '.join(sorted(true)))}", highlight=False)


def warn_of_other_steps(graph: "Graph", rules: "RuleSet | Model") -> None:
    """Rules count in steps of time: those learned in days say little about hours."""
    learned, here = rules.data.get("step"), graph.timeline.step_size
    if learned not in (None, here):
        error_console.print(
            f"Warning: the rules were learned from steps of {learned}, and the data has steps of {here}.", markup=False
        )
