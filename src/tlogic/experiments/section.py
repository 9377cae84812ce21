"""What an experiment gives: a table of published and measured figures, remarks, and charts of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

Value = float | int | str | None

PUBLISHED, OPTIMISTIC, REALISTIC, OURS = "published", "ours, optimistic ties", "ours, realistic ties", "ours"
DIFFERENCE = "difference"


@dataclass(frozen=True)
class Row:
    """One thing that was measured: published and own values by column, and the command that gives the latter."""

    label: tuple[str, ...]
    values: dict[str, dict[str, Value]]
    """By source (published, ours ...) and column."""
    command: str = ""

    def lines(self) -> Iterator[tuple[str, dict[str, Value]]]:
        """The values by source, and behind them how far the first of ours is from the published ones."""
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
    """Lines over a common axis, or bars where the axis has names."""

    name: str
    title: str
    x_label: str
    y_label: str
    x: tuple[float | str, ...]
    lines: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Section:
    """One table or figure of the paper, done again."""

    name: str
    title: str
    about: str
    labels: tuple[str, ...]
    """The names of what tells rows apart."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = field(default=())

    def table(self) -> list[list[str]]:
        """The table as text, header first; a row's label stands in its first line only."""
        table = [[*self.labels, "", *self.columns]]
        for row in self.rows:
            label = row.label
            for source, values in row.lines():
                cells = (show(values.get(column), signed=source == DIFFERENCE) for column in self.columns)
                table.append([*label, source, *cells])
                label = ("",) * len(row.label)
        return table


def show(value: Value, signed: bool = False) -> str:
    """A value as tables show it.

    >>> show(0.43041), show(63685), show(-0.0012, signed=True), show(None)
    ('0.4304', '63,685', '-0.0012', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:+.4f}" if signed else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else value
