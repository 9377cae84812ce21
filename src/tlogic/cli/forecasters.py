"""The --rules and --model options: what commands forecast with."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic import Model, RuleSet

RuleFile = Annotated[Path | None, typer.Option(help="The rule file to apply.", metavar="RULES")]
ModelFile = Annotated[Path | None, typer.Option(help="The model file to use instead of rules.", metavar="MODEL")]


def check_forecaster(rules: Path | None, model: Path | None) -> None:
    """Raise an error unless exactly one of rules and model is given."""
    if (rules is None) == (model is None):
        raise SettingsError("Give either --rules RULES or --model MODEL.")


def load_forecaster(rules: Path | None, model: Path | None) -> "RuleSet | Model":
    """The rules or the model of a command."""
    import tlogic

    return tlogic.Model.load(model) if model is not None else tlogic.RuleSet.load(str(rules))


def forecasting_kernel(model: Path | None) -> Any:
    """The kernel that is compiled last when rules or a model are first used."""
    if model is None:
        from tlogic.forecasting.application import apply_rules

        return apply_rules
    from tlogic.models.scorecard import scores_of

    return scores_of
