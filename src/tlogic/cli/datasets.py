"""`tlogic download` and `tlogic datasets`: download and list benchmark datasets."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tlogic.events.datasets import DatasetStatus

_STATE_TEXTS = {
    "whole": "[green]complete[/green]",
    "partly": "[yellow]incomplete[/yellow]",
    "different": "[yellow]differs[/yellow] from the published files",
    "unchecked": "present",
    "absent": "[dim]absent[/dim]",
}


def download(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Datasets, such as icews14.", show_default=False)],
    to: Annotated[
        Path | None,
        typer.Option(help="The folder for datasets; by default TLOGIC_DATA, or else the cache folder.", metavar="DIR"),
    ] = None,
) -> None:
    """Download published datasets and verify them.

    Their names can then be given as DATA.
    """
    from tlogic.cli.console import error_console
    from tlogic.events.downloads import download as fetch

    for name in names:
        try:
            with _bar(name) as progress:
                done = fetch(name, to, progress=progress)
        except KeyboardInterrupt:
            error_console.print("The part downloaded so far is kept; run the same command again to resume.")
            raise
        for text, files in (("already present", done.present), ("downloaded", done.fetched)):
            for file in files:
                error_console.print(f"{name}/{file}: {text}")
        error_console.print(f"{name} is complete in {done.folder}", markup=False)
        if done.is_shape_only:
            error_console.print(
                "No hashes are published for it: only its published numbers, such as those of facts and entities, "
                "were verified."
            )


def datasets(
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """List the benchmark datasets and the datasets on this machine."""
    from tlogic.cli.console import console, error_console
    from tlogic.events.datasets import data_folders, list_datasets

    found = list(list_datasets())
    if json_output:
        print(json.dumps([_as_dict(status) for status in found]))
        return
    console.print(_as_table(found))
    available = [s.name for s in found if s.dataset and s.dataset.is_downloadable and s.state in ("absent", "partly")]
    if available:
        error_console.print(f"Available with `tlogic download NAME`: {', '.join(available)}.")
    error_console.print(f"Searched in {' and '.join(map(str, data_folders()))}.", markup=False)


@contextmanager
def _bar(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show one progress bar per file on standard error, if it is a terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from tlogic.cli.console import error_console

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    tasks: dict[str, Any] = {}
    with Progress(*columns, console=error_console, transient=True, disable=not error_console.is_terminal) as bar:

        def progress(file: str, received: int, size: int) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(f"{name}/{file}", total=size, completed=received)
            bar.update(tasks[file], completed=received)

        yield progress


def _as_dict(status: "DatasetStatus") -> dict[str, Any]:
    dataset = status.dataset
    return {
        "name": status.name,
        "state": status.state,
        "folder": None if status.folder is None else str(status.folder),
        "downloadable": bool(dataset and dataset.is_downloadable),
        "facts": _facts(dataset.facts) if dataset else None,
        "entities": dataset.entities if dataset else None,
        "relations": dataset.relations if dataset else None,
        "steps": dataset.steps if dataset else None,
        "unit": dataset.unit if dataset else None,
    }


def _facts(sizes: tuple[int, ...]) -> dict[str, int]:
    names = ("train", "valid", "test") if len(sizes) > 1 else ("all",)
    return dict(zip(names, sizes, strict=True))


def _as_table(found: "list[DatasetStatus]") -> Any:
    from rich.table import Table

    table = Table()
    for column in ("dataset", "facts", "entities", "relations", "steps"):
        table.add_column(column, justify="left" if column == "dataset" else "right", no_wrap=True)
    table.add_column("on this machine")
    for status in found:
        table.add_row(status.name, *_sizes(status), _STATE_TEXTS[status.state])
    return table


def _sizes(status: "DatasetStatus") -> tuple[str, ...]:
    dataset = status.dataset
    if dataset is None:
        return ("",) * 4
    return (
        f"{sum(dataset.facts):,}",
        f"{dataset.entities:,}",
        "" if dataset.relations is None else f"{dataset.relations:,}",
        f"{dataset.steps:,} {dataset.unit}",
    )
