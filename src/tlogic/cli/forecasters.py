"""The --rules and --model options: what a command forecasts with."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.errors import InputError, SettingsError

if TYPE_CHECKING:
    from tlogic.models import Model
    from tlogic.rules import RuleSet


@dataclass(frozen=True)
class ForecasterOptions:
    """The rule file or model file to forecast with."""

    rules: Annotated[Path | None, typer.Option(help="The rule file to forecast with.", metavar="RULES")] = None
    model: Annotated[
        Path | None, typer.Option(help="The model file to forecast with, instead of rules.", metavar="MODEL")
    ] = None

    def check(self, *, is_required: bool = True) -> None:
        """Raise an error if both files are given, or neither although one is required."""
        if self.rules is not None and self.model is not None:
            raise SettingsError("Found both --rules and --model; give only one of them.")
        if is_required and self.rules is None and self.model is None:
            raise SettingsError("No rules or model given; expected --rules RULES or --model MODEL.")

    def load(self) -> "RuleSet | Model":
        """Load the rules or the model."""
        from tlogic.models import Model
        from tlogic.rules import RuleSet

        with other_option_hint(self.rules, self.model):
            return Model.load(self.model) if self.model is not None else RuleSet.load(str(self.rules))

    @property
    def kernel(self) -> Any:
        """The kernel that is compiled last when the rules or the model are first used."""
        if self.model is None:
            from tlogic.forecasting.application import apply_rules

            return apply_rules
        from tlogic.models.scorecard import scores_of

        return scores_of


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
