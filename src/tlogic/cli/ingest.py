"""`tlogic ingest`: events for the store of a live service."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tlogic.cli.options import DataOptions, column_choice
from tlogic.errors import InputError

if TYPE_CHECKING:
    from tlogic.events import EventTable, ReadReport, Timeline


@dataclass(frozen=True)
class StoredDataOptions(DataOptions):
    """What to read into a store, which counts time in its own steps once it has events."""

    def events(self, timeline: "Timeline | None") -> "EventTable":
        """The events of the data; what was read is told on standard error."""
        self._refuse_periods()
        table = self._compiled_events() if self.is_compiled else self._read_events(timeline)
        # What there is to beware of in the first events says little about those that are added to them.
        self._tell(table.report, warn=timeline is None)
        return table

    def _read_events(self, timeline: "Timeline | None") -> "EventTable":
        from tlogic.events import read_events

        return read_events(
            self._source(),
            query=self.query,
            step=self.step if timeline is None else self._step_of(timeline),
            columns=None if self.columns is None else column_choice(self.columns),
            time_zone=self._time_zone_of(timeline),
            skip_bad_rows=self.skip_bad_rows,
        )

    def _compiled_events(self) -> "EventTable":
        """The facts of a compiled graph, in its own steps."""
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

    def _refuse_periods(self) -> None:
        if self.valid_from is not None or self.test_from is not None:
            raise InputError(
                "A store keeps events of all times alike; leave out --valid-from and --test-from, "
                "which split data to learn from."
            )

    def _step_of(self, timeline: "Timeline") -> str:
        from tlogic.serving.store.encoded_events import check_step

        check_step(timeline, self.step)
        if timeline.unit == "integer":
            return "1"  # so that integers stay as they are, wherever the steps of the store begin
        return f"{timeline.count}{'mo' if timeline.unit == 'month' else timeline.unit[0]}"

    def _time_zone_of(self, timeline: "Timeline | None") -> str:
        if timeline is None:
            return "UTC" if self.time_zone is None else self.time_zone
        if self.time_zone not in (None, timeline.time_zone):
            raise InputError(
                f"The store keeps the time of {timeline.time_zone}, not {self.time_zone}; leave out --time-zone."
            )
        return timeline.time_zone


def ingest(
    data: StoredDataOptions,
    store: Annotated[
        str,
        typer.Option(
            help="Where events are kept: a file, made if it is missing, or postgresql://USER@HOST/NAME.",
            metavar="STORE",
        ),
    ],
) -> None:
    """Add the events of DATA to the STORE of a live service; those that it has already are left out."""
    from tlogic.serving.store.encoded_events import EncodedEvents
    from tlogic.serving.store.event_store import EventStore, is_new

    table = data.events(None) if is_new(store) else None  # so that what cannot be read leaves no store behind
    with EventStore.open(store) as kept:
        timeline = kept.state().timeline
        added, known, last = kept.add(EncodedEvents.from_table(table or data.events(timeline), timeline))
    print(f"{added:,} event{'' if added == 1 else 's'} added to {kept.name}, {known:,} known already; {last:,} in all")
