"""The --rules and --model options: what a command forecasts with; by default, a model that is fitted once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.rules import RuleSet


@dataclass(frozen=True)
class ForecasterOptions:
    """The rule file or model file to forecast with."""

    model: Annotated[
        Path | None,
        typer.Option(
            help="The model file to forecast with; by default, a scorecard is fitted once and kept.", metavar="MODEL"
        ),
    ] = None
    rules: Annotated[
        Path | None,
        typer.Option(help="Forecast with a rule file instead, as in the paper.", metavar="RULES"),
    ] = None

    def check(self) -> None:
        """Raise an error if both files are given."""
        if self.rules is not None and self.model is not None:
            raise SettingsError("Found both --rules and --model; give only one of them.")

    def load(self, default: "Callable[[], Model]") -> "RuleSet | Model":
        """Load the rules or the model; the default if there is neither."""
        from tlogic.rules import RuleSet

        with other_option_hint(self.rules, self.model):
            if self.rules is not None:
                return RuleSet.load(self.rules)
            return load_model(self.model, default)

    @property
    def kernel(self) -> Any:
        """The kernel that is compiled last when the rules or the model are first used."""
        if self.rules is not None:
            from tlogic.forecasting.application import apply_rules

            return apply_rules
        from tlogic.models.softmax import scores_of

        return scores_of


def load_model(path: Path | None, default: "Callable[[], Model]") -> "Model":
    """Load a model file; the default if there is none."""
    from tlogic.models import Model

    return default() if path is None else Model.load(path)


def default_model(
    graph: "TemporalGraph",
    threads: int | None,
    *,
    before: int | None = None,
    split: str | None = None,
    train_only: bool = False,
) -> "Model":
    """The model for a graph if none is given: fitted now, or in an earlier command.

    Args:
        graph: The graph.
        threads: How many threads to use.
        before: The first time step to forecast: the model is fitted to earlier facts only.
        split: Or the split to forecast: the model is fitted to the facts before it.
        train_only: Whether the model is fitted to the training facts only, also for the test.
    """
    from tlogic import api
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.models.model_cache import ModelCache
    from tlogic.models.settings import FitSettings
    from tlogic.models.softmax import scores_of

    known = graph if before is None or before >= min(graph.test_from, graph.end) else graph.before(before)
    if len(known) == 0:
        raise InputError(f"There are no facts before {graph.timeline.label_of(before or 0)} to fit a model to.")
    settings = FitSettings(train_on="train") if train_only or split == "valid" else FitSettings()
    cache = ModelCache(known, settings)
    found = cache.open()
    if found is not None:
        return found
    error_console.print("No --model or --rules given: fitting a scorecard to the data.")
    with wait_for_kernels(scores_of), progress() as follow:
        model = api.fit(known, settings, threads=threads, progress=follow)
    kept = "It is kept in the cache for the next time" if cache.store(model) else "The cache is off, so it is not kept"
    error_console.print(f"{model!r}. {kept}; `tlogic fit` writes one to a file.", markup=False)
    return model


@contextmanager
def other_option_hint(rules: Path | None, model: Path | None) -> Iterator[None]:
    """If loading fails because a file belongs to the other option, raise an error that names that option."""
    try:
        yield
    except InputError:
        from tlogic.models.file_format import is_model_file

        if rules is not None and is_model_file(rules):
            raise InputError(f"{rules} is a model file, not a rule file; give it as --model {rules}.") from None
        if model is not None and _is_rule_file(model):
            raise InputError(f"{model} is a rule file, not a model file; give it as --rules {model}.") from None
        raise


def _is_rule_file(path: Path) -> bool:
    from tlogic.rules import RuleSet

    try:
        return len(RuleSet.load(path)) > 0
    except InputError:
        return False
