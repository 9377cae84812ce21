"""The commands. Heavy imports wait until a command runs, so that help is instant."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tlogic.errors import SettingsError

app = typer.Typer(
    help="Learn temporal rules from dated events, forecast what comes next, and show why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


class Transition(StrEnum):
    """How a walk chooses its next edge."""

    exp = "exp"
    unif = "unif"


class Stop(StrEnum):
    """When enough rules were applied."""

    published = "published"
    text = "text"


class Split(StrEnum):
    """The facts that are asked."""

    test = "test"
    valid = "valid"


class Filter(StrEnum):
    """Which other true answers are left out of a ranking."""

    time_aware = "time-aware"
    static = "static"
    raw = "raw"


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A folder with train, valid and test files, one file, or a name under TLOGIC_DATA.",
    ),
]
ValidFrom = Annotated[
    str | None,
    typer.Option(help="Where the validation period begins, if DATA is one file.", metavar="DATE"),
]
TestFrom = Annotated[
    str | None, typer.Option(help="Where the test period begins, if DATA is one file.", metavar="DATE")
]
Step = Annotated[
    str | None,
    typer.Option(help="The step of time, such as 1d, 1h or 15m; found from the data if not given."),
]
Threads = Annotated[int | None, typer.Option(help="How many threads to use; as many as there are cores if not given.")]


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Learn temporal rules from dated events, forecast what comes next, and show why."""
    if version:
        import tlogic

        print(f"tlogic {tlogic.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def learn(
    data: Data,
    out: Annotated[Path, typer.Option(help="The rule file to write.", metavar="RULES")],
    lengths: Annotated[str, typer.Option(help="Rule lengths, separated by commas.")] = "1,2,3",
    walks: Annotated[int, typer.Option(help="Walks per relation and length.")] = 200,
    transition: Annotated[Transition, typer.Option(help="Prefer recent edges (exp) or not (unif).")] = Transition.exp,
    body_samples: Annotated[int, typer.Option(help="Bodies sampled per rule for its confidence.")] = 500,
    relation: Annotated[
        list[str] | None,
        typer.Option(help="Learn rules for this relation only; can be given again.", metavar="NAME"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the random walks.")] = 12,
    threads: Threads = None,
    valid_from: ValidFrom = None,
    test_from: TestFrom = None,
    step: Step = None,
) -> None:
    """Learn rules from the training facts of DATA."""
    import tlogic
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.learning.bodies import count_supports

    settings = tlogic.LearningSettings(
        lengths=_integers(lengths),
        walks=walks,
        transition=transition.value,
        body_samples=body_samples,
        seed=seed,
    )
    graph = tlogic.read(data, valid_from=valid_from, test_from=test_from, step=step)
    with wait_for_kernels(count_supports), progress() as follow:
        rules = tlogic.learn(graph, settings, relations=relation, threads=threads, progress=follow)
    rules.save(out)
    counts = ", ".join(f"{count:,} of length {length}" for length, count in rules.by_length().items())
    error_console.print(f"{len(rules):,} rules ({counts}) from {len(graph.train):,} facts, written to {out}")


@app.command()
def evaluate(
    data: Data,
    rules: Annotated[Path, typer.Option(help="The rule file to apply.", metavar="RULES")],
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    window: Annotated[str, typer.Option(help="How many steps back facts count, or all.", metavar="N|all")] = "all",
    k: Annotated[int, typer.Option(help="How many candidates are enough.")] = 20,
    alpha: Annotated[float, typer.Option(help="The weight of the confidence in a score.")] = 0.5,
    decay: Annotated[float, typer.Option("--lambda", help="How fast a score falls with age, per step.")] = 0.1,
    stop: Annotated[
        Stop, typer.Option(help="Stop at k different scores (published) or k candidates (text).")
    ] = Stop.published,
    min_confidence: Annotated[float, typer.Option(help="Rules below are left out.")] = 0.01,
    min_support: Annotated[int, typer.Option(help="Rules with fewer bodies are left out.")] = 2,
    lengths: Annotated[str | None, typer.Option(help="Rule lengths to apply; all if not given.")] = None,
    max_groundings: Annotated[
        int | None,
        typer.Option(help="Follow only so many triples of an entity and relation, the newest first.", metavar="K"),
    ] = None,
    filter: Annotated[Filter, typer.Option(help="Which other true answers do not count.")] = Filter.time_aware,
    multi_step: Annotated[bool, typer.Option("--multi-step", help="Use no fact from within the split.")] = False,
    threads: Threads = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    valid_from: ValidFrom = None,
    test_from: TestFrom = None,
    step: Step = None,
) -> None:
    """Forecast the facts of a split with RULES and report how high the true answers rank."""
    import time

    import tlogic
    from tlogic.cli.console import print_evaluation, progress, wait_for_kernels
    from tlogic.forecasting.application import apply_rules

    settings = tlogic.ApplicationSettings(
        window=_window(window),
        k=k,
        alpha=alpha,
        decay=decay,
        stop=stop.value,
        min_confidence=min_confidence,
        min_support=min_support,
        lengths=None if lengths is None else _integers(lengths),
        max_groundings=max_groundings,
    )
    started = time.perf_counter()
    rule_set = tlogic.RuleSet.load(rules)
    graph = tlogic.read(data, valid_from=valid_from, test_from=test_from, step=step)
    read_in = time.perf_counter() - started
    with wait_for_kernels(apply_rules), progress() as follow:
        evaluation = tlogic.evaluate(
            graph,
            rule_set,
            settings,
            split=split.value,
            filter=filter.value,
            multi_step=multi_step,
            threads=threads,
            progress=follow,
        )
    figures = evaluation.to_dict()
    figures["seconds"] = {"read": read_in, **figures["seconds"]}
    if json_output:
        print(json.dumps(figures))
    else:
        print_evaluation(figures)


@app.command()
def sample(
    out: Annotated[Path, typer.Option(help="The folder to write to.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="The seed of the world.")] = 7,
    days: Annotated[int, typer.Option(help="How many days of events.")] = 450,
) -> None:
    """Write the sample world: invented events whose rules are known, because they were planted."""
    from tlogic.events.sample import write_sample

    write_sample(out, seed, days)
    typer.echo(f"The sample world is in {out}; its README.txt tells the planted rules.", err=True)


@app.command()
def demo(threads: Threads = None) -> None:
    """Learn and forecast the sample world, and show why."""
    from tlogic.cli.demo import run_demo

    run_demo(threads)


def _integers(text: str) -> tuple[int, ...]:
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
