"""`tlogic download` and `tlogic datasets`: known datasets, fetched and listed."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tlogic.events.datasets import DatasetStatus

_MEANINGS = {
    "whole": "[green]whole[/green]",
    "partly": "[yellow]partly[/yellow]",
    "different": "[yellow]other files[/yellow] than published",
    "unchecked": "here",
    "absent": "[dim]absent[/dim]",
}


def download(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Datasets, such as icews14.", show_default=False)],
    to: Annotated[
        Path | None,
        typer.Option(help="The folder for datasets; TLOGIC_DATA or the cache if not given.", metavar="DIR"),
    ] = None,
) -> None:
    """Fetch published datasets and check them; then DATA can be their name."""
    from tlogic.cli.console import error_console
    from tlogic.events.downloads import download as fetch

    for name in names:
        try:
            with _bar(name) as progress:
                done = fetch(name, to, progress=progress)
        except KeyboardInterrupt:
            error_console.print("What has arrived is kept: the same command goes on with it.")
            raise
        for told, files in (("was there already", done.present), ("was fetched", done.fetched)):
            for file in files:
                error_console.print(f"{name}/{file} {told}.")
        error_console.print(f"{name} is whole in {done.folder}", markup=False)


def datasets(
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """List the known datasets and those that are here."""
    from tlogic.cli.console import console, error_console
    from tlogic.events.datasets import data_folders, list_datasets

    found = list(list_datasets())
    if json_output:
        print(json.dumps([_as_dict(presence) for presence in found]))
        return
    console.print(_as_table(found))
    fetchable = [name for name, state, _, known in found if known and known.files and state in ("absent", "partly")]
    if fetchable:
        error_console.print(f"`tlogic download NAME` fetches {', '.join(fetchable)}.")
    error_console.print(f"Looked for in {' and '.join(map(str, data_folders()))}.", markup=False)


@contextmanager
def _bar(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each file, in bytes, on standard error; quiet where that is not a terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from tlogic.cli.console import error_console

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    tasks: dict[str, Any] = {}
    with Progress(*columns, console=error_console, transient=True, disable=not error_console.is_terminal) as bar:

        def progress(file: str, there: int, size: int) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(f"{name}/{file}", total=size, completed=there)
            bar.update(tasks[file], completed=there)

        yield progress


def _as_dict(presence: "DatasetStatus") -> dict[str, Any]:
    known = presence.known
    return {
        "name": presence.name,
        "state": presence.state,
        "folder": None if presence.folder is None else str(presence.folder),
        "downloadable": bool(known and known.files),
        "facts": dict(zip(("train", "valid", "test"), known.facts, strict=True)) if known else None,
        "entities": known.entities if known else None,
        "relations": known.relations if known else None,
        "steps": known.steps if known else None,
        "unit": known.unit if known else None,
    }


def _as_table(found: "list[DatasetStatus]") -> Any:
    from rich.table import Table

    table = Table()
    for column in ("dataset", "facts", "entities", "relations", "steps"):
        table.add_column(column, justify="left" if column == "dataset" else "right", no_wrap=True)
    table.add_column("here?")
    for presence in found:
        table.add_row(presence.name, *_figures(presence), _MEANINGS[presence.state])
    return table


def _figures(presence: "DatasetStatus") -> tuple[str, ...]:
    known = presence.known
    if known is None:
        return ("",) * 4
    return f"{sum(known.facts):,}", f"{known.entities:,}", f"{known.relations:,}", f"{known.steps:,} {known.unit}"
