"""The commands that give a trial's figures, as one would type them."""

from dataclasses import fields
from shlex import quote
from typing import Any

from tlogic.experiments.laboratory import Trial
from tlogic.experiments.model_trials import ModelTrial

_NAMES = {"decay": "lambda"}


def commands(trial: Trial) -> str:
    """Two commands: learn, and evaluate.

    >>> print(commands(Trial("icews14", split="valid")))
    tlogic learn icews14 --out icews14.rules && tlogic evaluate icews14 --rules icews14.rules --split valid
    """
    rules = f"{trial.source}.rules"
    split = [] if trial.split == "test" else [f"--split {trial.split}"]
    learn = ["tlogic learn", quote(trial.source), "--out", quote(rules), *_options(trial.learning)]
    evaluate = ["tlogic evaluate", quote(trial.data), "--rules", quote(rules), *split, *_options(trial.application)]
    return f"{' '.join(learn)} && {' '.join(evaluate)}"


def model_commands(trial: ModelTrial, split: str = "test") -> str:
    """Two commands: fit, and evaluate.

    >>> print(model_commands(ModelTrial("icews14", "boosted", names=True)))
    tlogic fit icews14 --out icews14.model --model boosted --names && tlogic evaluate icews14 --model icews14.model
    """
    data, path = quote(trial.data), quote(f"{trial.data}.model")
    cut = [f"--valid-from {trial.valid_from} --test-from {trial.test_from}"] if trial.valid_from else []
    fit = ["tlogic fit", data, *cut, "--out", path]
    fit += ["--model boosted"] if trial.model == "boosted" else []
    fit += ["--names"] if trial.names else []
    fit += ["--train-on train"] if trial.train_on == "train" else []
    evaluate = ["tlogic evaluate", data, *cut, "--model", path, *([] if split == "test" else [f"--split {split}"])]
    return f"{' '.join(fit)} && {' '.join(evaluate)}"


def _options(settings: Any) -> list[str]:
    """The options by which settings differ from the defaults."""
    return [
        f"--{_NAMES.get(field.name, field.name).replace('_', '-')} {_value(getattr(settings, field.name))}"
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    ]


def _value(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
