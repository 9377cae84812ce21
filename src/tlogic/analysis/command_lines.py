"""The commands that reproduce a trial's metrics."""

from dataclasses import fields
from shlex import quote
from typing import Any

from tlogic.analysis.trials import Trial

_OPTION_NAMES = {"decay": "lambda"}


def trial_commands(trial: Trial) -> str:
    """The commands that learn the rules and evaluate them.

    >>> print(trial_commands(Trial("icews14", split="valid")))
    tlogic learn icews14 --out icews14.rules && tlogic evaluate icews14 --rules icews14.rules --split valid
    """
    rules = f"{trial.source}.rules"
    split = [] if trial.split == "test" else [f"--split {trial.split}"]
    learn = ["tlogic learn", quote(trial.source), "--out", quote(rules), *_options(trial.learning)]
    evaluate = ["tlogic evaluate", quote(trial.data), "--rules", quote(rules), *split, *_options(trial.application)]
    return f"{' '.join(learn)} && {' '.join(evaluate)}"


def _options(settings: Any) -> list[str]:
    """Options for all settings that differ from the defaults."""
    return [
        f"--{_OPTION_NAMES.get(field.name, field.name).replace('_', '-')} {_format(getattr(settings, field.name))}"
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    ]


def _format(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
