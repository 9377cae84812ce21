"""The options for applying rules."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from tlogic.cli.options import integers
from tlogic.errors import SettingsError
from tlogic.forecasting.settings import (
    LARGE_GRAPH_FACTS,
    LARGE_GRAPH_MAX_GROUNDINGS,
    UNLIMITED_GROUNDINGS,
    ApplicationSettings,
)

ApplicationOption = partial(typer.Option, rich_help_panel="Rule application")


class Stop(StrEnum):
    """When to stop applying rules to a query."""

    published = "published"
    text = "text"


@dataclass(frozen=True)
class ApplicationOptions:
    """The options for applying rules, with the defaults of `ApplicationSettings`."""

    window: Annotated[
        str,
        ApplicationOption(help="The number of past time steps whose facts are used, or all.", metavar="N|all"),
    ] = "all" if ApplicationSettings.window is None else str(ApplicationSettings.window)
    k: Annotated[
        int, ApplicationOption(help="The number of candidates after which no more rules are applied.", metavar="N")
    ] = ApplicationSettings.k
    alpha: Annotated[
        float, ApplicationOption(help="The weight of the rule confidence in a score; the rest weighs recency.")
    ] = ApplicationSettings.alpha
    decay: Annotated[
        float, ApplicationOption("--lambda", help="The decay rate of a score with age, per time step.")
    ] = ApplicationSettings.decay
    stop: Annotated[
        Stop,
        ApplicationOption(help="Stop at k different scores (published) or at k candidates (text).", metavar="WHEN"),
    ] = Stop[ApplicationSettings.stop]
    min_confidence: Annotated[float, ApplicationOption(help="Skip rules with a lower confidence.", metavar="C")] = (
        ApplicationSettings.min_confidence
    )
    min_support: Annotated[int, ApplicationOption(help="Skip rules with a lower body support.", metavar="N")] = (
        ApplicationSettings.min_support
    )
    lengths: Annotated[
        str | None,
        ApplicationOption(help="The rule lengths to apply, such as 1,2; by default all.", metavar="LENGTHS"),
    ] = None
    max_groundings: Annotated[
        str | None,
        ApplicationOption(
            help="The number of triples to follow per entity and relation, newest first; by default all, or "
            f"{LARGE_GRAPH_MAX_GROUNDINGS} in graphs of more than {LARGE_GRAPH_FACTS:,} facts.",
            metavar="N|all",
        ),
    ] = None

    def settings(self) -> ApplicationSettings:
        """The validated settings."""
        return ApplicationSettings(
            window=_window(self.window),
            k=self.k,
            alpha=self.alpha,
            decay=self.decay,
            stop=self.stop.value,
            min_confidence=self.min_confidence,
            min_support=self.min_support,
            lengths=None if self.lengths is None else integers(self.lengths),
            max_groundings=_limit(self.max_groundings),
        )


def _window(text: str) -> int | None:
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"--window must be a number of time steps or 'all', not {text!r}.") from None


def _limit(text: str | None) -> int | None:
    if text is None:
        return None
    if text != "all" and not text.isdecimal():
        raise SettingsError(f"--max-groundings must be a number or 'all', not {text!r}.")
    return UNLIMITED_GROUNDINGS if text == "all" else int(text)
