"""Functions that learn: rules (learn, measure) and models (fit); load opens their files."""

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from tlogic.errors import InputError
from tlogic.files import StrPath
from tlogic.keywords import default, settings_from
from tlogic.learning.settings import Confidence, LearningSettings, Transition
from tlogic.models.settings import FitSettings, ModelKind, TrainOn

if TYPE_CHECKING:
    from tlogic.execution import Progress
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.rules import Rule, RuleSet


def learn(
    graph: "TemporalGraph",
    settings: LearningSettings | None = None,
    *,
    lengths: Sequence[int] = default(LearningSettings, "lengths"),
    walks: int = default(LearningSettings, "walks"),
    transition: Transition = default(LearningSettings, "transition"),
    body_samples: int = default(LearningSettings, "body_samples"),
    confidence: Confidence = default(LearningSettings, "confidence"),
    seed: int = default(LearningSettings, "seed"),
    relations: Sequence[str] | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
    checkpoint: StrPath | None = None,
) -> "RuleSet":
    """Learn temporal rules from the training facts of a graph.

    Args:
        graph: The graph to learn from.
        settings: All settings at once, instead of the keywords ``lengths`` to ``seed``.
        lengths: The rule lengths to learn: numbers of body atoms.
        walks: How many temporal walks to sample per head relation and length.
        transition: Whether a walk prefers recent edges ("exp") or not ("unif").
        body_samples: How many bodies to sample per rule to estimate its confidence.
        confidence: Whether confidence is estimated from sampled bodies ("sampled") or counted over all ("exact").
        seed: The seed of all sampling.
        relations: The head relations to learn rules for; None for all relations and their inverses.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The rules are the same as without a cluster.
        progress: Shows the progress of each stage.
        checkpoint: A file that keeps finished work, so that a run that was killed continues from there. It stays
            after the run; delete it once the rules are saved.

    Returns:
        The rules, by head relation and decreasing confidence.

    Raises:
        SettingsError: If a setting is out of range, or if both ``settings`` and keywords are given.
        InputError: If a relation is unknown, or the checkpoint belongs to other data or settings.

    Example:
        >>> import tlogic
        >>> rules = tlogic.learn(tlogic.sample(), lengths=(1,), relations=["sign_agreement_with"])
        >>> print(rules[0])
        sign_agreement_with(X, Y, T2) <- negotiate_with(X, Y, T1)
    """
    arguments = locals()
    from tlogic.execution import Execution
    from tlogic.learning.learner import learn_rules

    chosen = settings_from(LearningSettings, arguments)
    return learn_rules(graph, chosen, relations, checkpoint, Execution(threads, cluster, progress))


def measure(
    graph: "TemporalGraph",
    rules: "Iterable[Rule] | StrPath",
    *,
    body_samples: int = LearningSettings.body_samples,
    confidence: Confidence = LearningSettings.confidence,
    seed: int = LearningSettings.seed,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "RuleSet":
    """Measure the confidence of given rules, such as hand-written ones, on the training facts of a graph.

    A rule that learning found gets the same supports again, given the same settings.

    Args:
        graph: The graph to measure on.
        rules: The rules, or the path of a rule file.
        body_samples: How many bodies to sample per rule.
        confidence: Whether confidence is estimated from sampled bodies ("sampled") or counted over all ("exact").
        seed: The seed of the sampling.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The result is the same as without a cluster.
        progress: Shows the progress of each stage.

    Returns:
        The rules in their order, with supports. Rules whose body never occurs have no confidence and are left out.

    Raises:
        SettingsError: If a setting is out of range.
        InputError: If a rule names a relation that the graph does not have.

    Example:
        >>> import tlogic
        >>> from tlogic.rules import parse_rule
        >>> measured = tlogic.measure(tlogic.sample(), [parse_rule("sue(X, Y, T2) <- bid_for(Y, X, T1)")])
        >>> 0.3 < measured[0].confidence < 0.5
        True
    """
    from tlogic.execution import Execution
    from tlogic.learning.measurement import measure_rules
    from tlogic.rules import RuleSet

    given = RuleSet.load(rules) if isinstance(rules, str | os.PathLike) else rules
    return measure_rules(graph, given, body_samples, confidence, seed, Execution(threads, cluster, progress))


def fit(
    graph: "TemporalGraph",
    settings: FitSettings | None = None,
    *,
    model: ModelKind = default(FitSettings, "model"),
    names: bool = default(FitSettings, "names"),
    train_on: TrainOn = default(FitSettings, "train_on"),
    evidence: Sequence[str] | None = default(FitSettings, "evidence"),
    max_events: int = default(FitSettings, "max_events"),
    seed: int = default(FitSettings, "seed"),
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Model":
    """Fit a model: learn the weights of evidence from past queries with their true answers.

    Args:
        graph: The graph to learn from.
        settings: All settings at once, instead of the keywords ``model`` to ``seed``.
        model: "scorecard" for a sum of weights, "boosted" for a scorecard with trees on top (needs LightGBM).
        names: Whether the structure of entity names, such as "Police (India)", is evidence too.
        train_on: Whether weights are learned from the training facts alone ("train") or also from the validation
            facts ("train+valid").
        evidence: The families of evidence to use, such as ("recurrence", "rules"); None for all but names.
        max_events: How many last events of an entity are searched for evidence, which bounds the cost of entities with
            very many events. Forecasts with the model do the same.
        seed: The seed that chooses the queries and candidates to learn from.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The model is the same as without a cluster.
        progress: Shows how much is done; by default, a bar in terminals and notebooks.

    Returns:
        The fitted model.

    Raises:
        SettingsError: If a setting is out of range, if both ``settings`` and keywords are given, or if LightGBM is
            missing for a boosted model.
        InputError: If no query has its answer among entities seen before, so that there is nothing to learn from.

    Example:
        >>> import tlogic
        >>> tlogic.fit(tlogic.sample(days=60))
        Model(85 kinds of evidence, fitted to 1,336 facts)
    """
    arguments = locals()
    from tlogic.execution import Execution
    from tlogic.models.fitting import fit_model
    from tlogic.progress import progress_bars

    with progress_bars() if progress is None else nullcontext(progress) as follow:
        return fit_model(graph, settings_from(FitSettings, arguments), Execution(threads, cluster, follow))


def load(forecaster: "RuleSet | Model | StrPath") -> "RuleSet | Model":
    """Load a rule set or a model from a file; a rule set or a model is returned as it is.

    Args:
        forecaster: The path of a rule file or a model file, a rule set or a model.

    Returns:
        The rule set or the model.

    Raises:
        InputError: If there is no such file, or if it holds neither rules nor a model.

    Example:
        >>> import tlogic
        >>> from tempfile import TemporaryDirectory
        >>> rules = tlogic.learn(tlogic.sample(), lengths=(1,), relations=["sign_agreement_with"])
        >>> with TemporaryDirectory() as folder:
        ...     rules.save(Path(folder, "sample.rules"))
        ...     loaded = tlogic.load(Path(folder, "sample.rules"))
        >>> len(loaded) == len(rules)
        True
    """
    from tlogic.models import Model
    from tlogic.models.file_format import is_model_file
    from tlogic.rules import RuleSet

    if isinstance(forecaster, RuleSet | Model):
        return forecaster
    if not isinstance(forecaster, str | os.PathLike):
        raise InputError(
            f"Expected a rule set, a model, or the path of a file with either; found {type(forecaster).__name__}."
        )
    path = Path(forecaster)
    return Model.load(path) if is_model_file(path) else RuleSet.load(path)


def seal(path: "StrPath") -> "RuleSet | Model":
    """Write a new checksum into a rule file or a model file that was edited by hand.

    Files that do not match their checksum are refused, because they may be damaged.

    Args:
        path: The file: JSON, as ``RuleSet.save`` and ``Model.save`` write it. Rules in text files, which are made for
            editing, have no checksum.

    Returns:
        The rule set or the model that the file holds.

    Raises:
        InputError: If the file does not exist, or if it holds neither rules nor a model in JSON.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from tlogic.rules import Rule, RuleSet
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "edited.rules")
        ...     RuleSet((Rule("consult", ("meet",), (0, 1), 3, 4),)).save(file)
        ...     _ = file.write_text(file.read_text().replace("consult", "visit"))
        ...     print(seal(file)[0])
        visit(X, Y, T2) <- meet(X, Y, T1)
    """
    from tlogic.files import read_text, write_atomically
    from tlogic.models import Model
    from tlogic.models.file_format import is_model_file
    from tlogic.rules import RuleSet
    from tlogic.sealing import seal as with_checksum

    path = Path(path)
    is_model = is_model_file(path)
    content = read_text(path, "rule file", "tlogic learn")
    if not content.lstrip().startswith("{"):
        raise InputError(f"{path} is not a JSON file; rules in text files and tables need no checksum.")
    kind: type[RuleSet] | type[Model] = Model if is_model else RuleSet
    found = kind.from_json(with_checksum(content), path)
    _ = found.rules  # of a model, they are read when they are needed: a wrong number is found now
    write_atomically(path, found.to_json())
    return found
