"""`tlogic ingest`: adds events to the store of a live service."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tlogic.cli.data_options import DataOptions, column_choice
from tlogic.errors import InputError

if TYPE_CHECKING:
    from tlogic.events import EventTable, ReadReport, Timeline


@dataclass(frozen=True)
class StoredDataOptions(DataOptions):
    """The data to read. A store that has events determines the time step and time zone."""

    def events(self, timeline: "Timeline | None") -> "EventTable":
        """Read the events, and report on standard error what was read."""
        self._refuse_splits()
        table = self._compiled_events() if self.is_compiled else self._read_events(timeline)
        # Warnings about the data as a whole are only useful for the first events of a store.
        self._print_report(table.report, warn=timeline is None)
        return table

    def _read_events(self, timeline: "Timeline | None") -> "EventTable":
        from tlogic.events import read_events
        from tlogic.serving.store.encoded_events import check_step

        if timeline is not None:
            check_step(timeline, self.step)
        return read_events(
            self._source(),
            query=self.query,
            step=self.step if timeline is None else timeline,
            columns=None if self.columns is None else column_choice(self.columns),
            time_zone=self._time_zone_of(timeline),
            skip_bad_rows=self.skip_bad_rows,
            intervals=None if self.intervals is None else self.intervals.value,
        )

    def _compiled_events(self) -> "EventTable":
        """The facts of a compiled graph, with its time steps."""
        import polars as pl

        from tlogic.events import EventTable

        graph = self._graph(keep=False)
        entities, relations = pl.Series(graph.entities.names), pl.Series(graph.relations.base)
        frame = pl.DataFrame(
            {
                "subject": entities.gather(graph.facts.subject),
                "relation": relations.gather(graph.facts.relation),
                "object": entities.gather(graph.facts.object),
                "step": graph.facts.time,
            }
        )
        return EventTable(frame, graph.timeline, None, None, cast("ReadReport", graph.report))

    def _refuse_splits(self) -> None:
        if self.valid_from is not None or self.test_from is not None:
            raise InputError("An event store has no splits; leave out --valid-from and --test-from.")

    def _time_zone_of(self, timeline: "Timeline | None") -> str:
        if timeline is None:
            return "UTC" if self.time_zone is None else self.time_zone
        if self.time_zone not in (None, timeline.time_zone):
            raise InputError(
                f"The time zone of the store is {timeline.time_zone}, not {self.time_zone}; leave out --time-zone."
            )
        return timeline.time_zone


def ingest(
    data: StoredDataOptions,
    store: Annotated[
        str,
        typer.Option(
            help="The event store: a file, created if missing, or postgresql://USER@HOST/NAME.",
            metavar="STORE",
        ),
    ],
) -> None:
    """Add the events in DATA to the STORE of a live service.

    Events that the store already has are skipped.
    """
    from tlogic.serving.store.encoded_events import EncodedEvents
    from tlogic.serving.store.event_store import EventStore, is_new

    # Read new data before the store is opened: if it is unreadable, no empty store is left behind.
    table = data.events(None) if is_new(store) else None
    with EventStore.open(store) as opened:
        timeline = opened.state().timeline
        given = EncodedEvents.from_table(table or data.events(timeline), timeline)
        added, known, _ = opened.add(given)
        total, _ = opened.find(limit=0)
    repeated = len(given) - given.n_distinct
    events = "1 event" if added == 1 else f"{added:,} events"
    repeats = f", {repeated:,} repeated in the data" if repeated else ""
    print(f"{events} added to {opened.name}, {known - repeated:,} already stored{repeats}; {total:,} in total")
