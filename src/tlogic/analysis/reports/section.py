"""The content of a report: tables of published and measured values, remarks, and charts."""

from collections.abc import Iterator
from dataclasses import dataclass, field

Value = float | int | str | None

PUBLISHED, OPTIMISTIC, REALISTIC, OURS = "published", "ours, optimistic ties", "ours, realistic ties", "ours"
DIFFERENCE = "difference"


@dataclass(frozen=True)
class Row:
    """One measurement: published and own values by column, and the command that reproduces the own values."""

    label: tuple[str, ...]
    values: dict[str, dict[str, Value]]
    """By source (published, ours, ...) and column."""
    command: str = ""

    def lines(self) -> Iterator[tuple[str, dict[str, Value]]]:
        """The values by source, followed by the difference between the first own and the published values."""
        yield from self.values.items()
        ours = next((values for source, values in self.values.items() if source != PUBLISHED), None)
        if ours and PUBLISHED in self.values:
            difference = {
                column: value - published
                for column, published in self.values[PUBLISHED].items()
                if isinstance(published, float) and isinstance(value := ours.get(column), float)
            }
            if difference:
                yield DIFFERENCE, dict(difference)


@dataclass(frozen=True)
class Chart:
    """Lines over a common axis of numbers or categories."""

    name: str
    title: str
    x_label: str
    y_label: str
    x: tuple[float | str, ...]
    lines: dict[str, tuple[float, ...]]
    errors: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Of some lines: the half length of an error bar at each point."""
    has_ticks: bool = True
    """Does every x have a tick? Otherwise ticks are spaced evenly."""


@dataclass(frozen=True)
class Section:
    """One table of a report, with its charts."""

    name: str
    title: str
    about: str
    labels: tuple[str, ...]
    """The names of the label columns."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = field(default=())

    def table(self) -> list[list[str]]:
        """The table as text, header first; only the first line of a row shows its label."""
        table = [[*self.labels, "", *self.columns]]
        for row in self.rows:
            label = row.label
            for source, values in row.lines():
                cells = (format_value(values.get(column), signed=source == DIFFERENCE) for column in self.columns)
                table.append([*label, source, *cells])
                label = ("",) * len(row.label)
        return table


def format_value(value: Value, signed: bool = False) -> str:
    """A value as text, with four decimals or thousands separators.

    >>> format_value(0.43041), format_value(63685), format_value(-0.0012, signed=True), format_value(None)
    ('0.4304', '63,685', '-0.0012', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:+.4f}" if signed else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else value
