"""Options that several commands share."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic import ApplicationSettings, TemporalGraph

Threads = Annotated[int | None, typer.Option(help="How many threads to use; as many as there are cores if not given.")]


class Stop(StrEnum):
    """When enough rules were applied."""

    published = "published"
    text = "text"


@dataclass(frozen=True)
class DataOptions:
    """What to read, and how."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A folder with train, valid and test files, one file, or a name under TLOGIC_DATA.",
            show_default=False,
        ),
    ]
    valid_from: Annotated[
        str | None, typer.Option(help="Where the validation period begins, if DATA is one table.", metavar="DATE")
    ] = None
    test_from: Annotated[
        str | None, typer.Option(help="Where the test period begins, if DATA is one table.", metavar="DATE")
    ] = None
    step: Annotated[
        str | None, typer.Option(help="The step of time, such as 1d, 1h or 15m; found from the data if not given.")
    ] = None

    def read(self) -> "TemporalGraph":
        """The graph of the data."""
        import tlogic

        return tlogic.read(self.data, valid_from=self.valid_from, test_from=self.test_from, step=self.step)


@dataclass(frozen=True)
class ApplicationOptions:
    """How rules are applied."""

    window: Annotated[str, typer.Option(help="How many steps back facts count, or all.", metavar="N|all")] = "all"
    k: Annotated[int, typer.Option(help="How many candidates are enough.")] = 20
    alpha: Annotated[float, typer.Option(help="The weight of the confidence in a score.")] = 0.5
    decay: Annotated[float, typer.Option("--lambda", help="How fast a score falls with age, per step.")] = 0.1
    stop: Annotated[Stop, typer.Option(help="Stop at k different scores (published) or k candidates (text).")] = (
        Stop.published
    )
    min_confidence: Annotated[float, typer.Option(help="Rules below are left out.")] = 0.01
    min_support: Annotated[int, typer.Option(help="Rules with fewer bodies are left out.")] = 2
    lengths: Annotated[str | None, typer.Option(help="Rule lengths to apply; all if not given.")] = None
    max_groundings: Annotated[
        int | None,
        typer.Option(help="Follow only so many triples of an entity and relation, the newest first.", metavar="K"),
    ] = None

    def settings(self) -> "ApplicationSettings":
        """The same, checked."""
        import tlogic

        return tlogic.ApplicationSettings(
            window=_window(self.window),
            k=self.k,
            alpha=self.alpha,
            decay=self.decay,
            stop=self.stop.value,
            min_confidence=self.min_confidence,
            min_support=self.min_support,
            lengths=None if self.lengths is None else integers(self.lengths),
            max_groundings=self.max_groundings,
        )


def integers(text: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"Expected whole numbers separated by commas, such as 1,2,3; found {text!r}.") from None


def _window(text: str) -> int | None:
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"The window is a number of steps or 'all'; found {text!r}.") from None
