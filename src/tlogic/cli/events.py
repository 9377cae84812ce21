"""`tlogic events`: removes events from the store of a live service."""

from typing import Annotated

import typer

from tlogic.cli.flags import Command, Group
from tlogic.errors import InputError

N_SHOWN = 10
"""Events that are shown before they are removed."""

events = typer.Typer(cls=Group, help="Remove events from the STORE of a live service.", no_args_is_help=True)

Store = Annotated[
    str,
    typer.Option(help="The event store: a file, or postgresql://USER@HOST/NAME.", metavar="STORE", show_default=False),
]


@events.command(cls=Command)
def remove(
    store: Store,
    subject: Annotated[str | None, typer.Option(help="Only events with this subject.", metavar="NAME")] = None,
    relation: Annotated[str | None, typer.Option(help="Only events with this relation.", metavar="NAME")] = None,
    object: Annotated[str | None, typer.Option(help="Only events with this object.", metavar="NAME")] = None,
    since: Annotated[str | None, typer.Option(help="Only events from this time on.", metavar="DATE")] = None,
    until: Annotated[str | None, typer.Option(help="Only events until this time, inclusive.", metavar="DATE")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove the events; without it, they are only shown.")] = False,
) -> None:
    """Remove the events that match all options from the STORE. Running services load the others again.

    Rules and models that were learned from the events stay as they are until the service learns again.
    """
    from tlogic.serving.store.event_store import EventStore
    from tlogic.serving.store.removals import Selection

    selection = Selection(subject, relation, object, since, until)
    selection.check()
    _check_exists(store)
    with EventStore.open(store) as opened:
        if yes:
            removed = opened.remove(**selection._asdict())
            print(f"{_events(removed)} removed from {opened.name}; {opened.find(limit=0)[0]:,} left")
            return
        count, first = opened.find(**selection._asdict(), limit=N_SHOWN)
    for event in first:
        print("\t".join((event[-1], *event[:-1])))
    more = f", of which the first {len(first)} are shown" if count > len(first) else ""
    print(f"{_events(count)} found in {opened.name}{more}; nothing was removed. To remove them, add --yes.")


@events.command(cls=Command)
def removals(store: Store) -> None:
    """List the removals of events from the STORE: when, what was selected, and how many events."""
    from tlogic.serving.store.event_store import EventStore

    _check_exists(store)
    with EventStore.open(store) as opened:
        found = opened.removals()
    for each in found:
        parts = ", ".join(f"{name} {value}" for name, value in each.selection.items())
        print(f"{each.time}\t{_events(each.events)}\t{parts}")
    if not found:
        print(f"No events were removed from {opened.name}.")


def _check_exists(store: str) -> None:
    from tlogic.serving.store.event_store import is_new

    if is_new(store):
        raise InputError(f"The store {store} does not exist; check the spelling of its path.")


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count:,} events"
