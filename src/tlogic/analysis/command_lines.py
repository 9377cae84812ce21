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
    dates = date_options(*trial.dates)
    learn = ["tlogic learn", quote(trial.source), *dates, "--out", quote(rules), *_options(trial.learning)]
    evaluate = ["tlogic evaluate", quote(trial.data), *dates, "--rules", quote(rules), *split]
    return f"{' '.join(learn)} && {' '.join([*evaluate, *_options(trial.application)])}"


def date_options(valid_from: str | None, test_from: str | None) -> list[str]:
    """The options that split data at dates.

    >>> date_options(None, "2014-12-01")
    ['--test-from 2014-12-01']
    """
    given = (("--valid-from", valid_from), ("--test-from", test_from))
    return [f"{option} {quote(date)}" for option, date in given if date is not None]


def _options(settings: Any) -> list[str]:
    """Options for all settings that differ from the defaults."""
    return [
        f"--{_OPTION_NAMES.get(field.name, field.name).replace('_', '-')} {_format(getattr(settings, field.name))}"
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    ]


def _format(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
