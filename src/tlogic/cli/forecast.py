"""`tlogic forecast`: forecast the answers of queries, and explain them."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic import api
from tlogic.cli.application_options import ApplicationOptions
from tlogic.cli.data_options import DataOptions
from tlogic.cli.forecasters import ForecasterOptions, default_model
from tlogic.cli.options import Cluster, OutOption, Threads, default_of
from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic.forecasting import Forecast, Query
    from tlogic.graph import TemporalGraph

QueryOption = partial(typer.Option, rich_help_panel="Query")
ExplanationOption = partial(typer.Option, rich_help_panel="Explanation")


@dataclass(frozen=True)
class QueryOptions:
    """One query, or a file of queries."""

    subject: Annotated[
        str | None, QueryOption(help="The subject of the query; the object is forecast.", metavar="NAME")
    ] = None
    relation: Annotated[str | None, QueryOption(help="The relation of the query.", metavar="NAME")] = None
    object: Annotated[
        str | None, QueryOption(help="The object of the query; the subject is forecast.", metavar="NAME")
    ] = None
    at: Annotated[
        str | None,
        QueryOption(help="The time of the query; by default the time step after the last fact.", metavar="DATE"),
    ] = None
    queries: Annotated[
        Path | None,
        QueryOption(
            help="Answer many queries instead: a file with the columns subject, relation, object and at.",
            metavar="FILE",
        ),
    ] = None

    def check(self) -> None:
        """Raise an error unless there is either one query or a file of queries."""
        is_single = any(part is not None for part in (self.subject, self.relation, self.object, self.at))
        if is_single == (self.queries is not None):
            raise SettingsError(
                "Expected one query (--relation with --subject or --object), or many queries (--queries FILE)."
            )

    def read(self) -> "tuple[list[Query], list[str] | None]":
        """The queries to answer, and where each of them stands in the file if there is one."""
        from tlogic.forecasting import Query
        from tlogic.forecasting.query_files import read_queries

        if self.queries is not None:
            found = read_queries(self.queries)
            return list(found.values()), list(found)
        return [Query(self.subject, self.relation or "?", self.object, self.at)], None


@dataclass(frozen=True)
class ExplanationOptions:
    """The candidates to explain, and how."""

    explain: Annotated[
        bool, ExplanationOption("--explain", help="Explain the first candidate, and true answers in the data.")
    ] = False
    candidate: Annotated[
        list[str] | None, ExplanationOption(help="Explain this candidate; repeatable.", metavar="NAME")
    ] = None
    over: Annotated[
        str | None,
        ExplanationOption(
            help="Explain why a model ranks the --candidate above or below this one.",
            metavar="NAME",
        ),
    ] = None
    reasons: Annotated[int, ExplanationOption(help="The number of reasons to show.", metavar="N")] = 3
    groundings: Annotated[
        int,
        ExplanationOption(
            help="The number of groundings per rule, or of facts per kind of evidence, to show.", metavar="N"
        ),
    ] = 1
    picture: Annotated[
        Path | None,
        ExplanationOption(help="Draw the facts behind the explanation to an .svg or .png file.", metavar="FILE"),
    ] = None

    @property
    def is_wanted(self) -> bool:
        """Whether any candidate is to be explained."""
        return self.explain or self.picture is not None or bool(self.candidate)

    def check(self, forecaster: ForecasterOptions, query: QueryOptions) -> None:
        """Raise an error for options that have no effect with this forecaster or these queries."""
        if self.over is not None and (forecaster.rules is not None or not self.candidate):
            raise SettingsError("--over NAME needs a --candidate NAME to compare, and a model instead of --rules.")
        if query.queries is not None and (self.candidate or self.picture is not None):
            raise SettingsError("--candidate and --picture need a single query, not --queries FILE.")

    def check_output(self, query: QueryOptions, out: Path | None, json_output: bool) -> None:
        """Raise an error if explanations of many queries have no place in the output."""
        is_json = json_output if out is None else out.suffix.lower() == ".jsonl"
        if query.queries is not None and self.explain and not is_json:
            raise SettingsError("Explanations of many queries are JSON Lines: use --json, or --out FILE.jsonl.")

    def of_batch(self, answers: "Forecast[Any]") -> list[list[Any]] | None:
        """The explanations of each query, if they are wanted."""
        return answers.explain_all(groundings=self.groundings) if self.explain else None

    def explanations(self, answers: "Forecast[Any]") -> list[Any]:
        """The explanations of the given candidates, or of the first one, and of the true answers if the data has them.

        With --over, the comparisons of the given candidates with another one instead.
        """
        if not self.is_wanted:
            return []
        explain = partial(answers.explain, 0, groundings=self.groundings)
        chosen = self.candidate or [candidate.name for candidate in answers[0][:1]]
        true = answers.true_answers(0) if self.over is None else []
        # A name may be given in another spelling than that of the data.
        explained = {each.candidate: each for each in map(explain, dict.fromkeys([*chosen, *true]))}.values()
        if self.over is None:
            return list(explained)
        other = explain(self.over)
        return [each.over(other) for each in explained]


def forecast(
    forecaster: ForecasterOptions,
    query_options: QueryOptions,
    explanation: ExplanationOptions,
    data: DataOptions,
    application: ApplicationOptions,
    top: Annotated[int, typer.Option(help="The number of candidates per query.", metavar="N")] = default_of(
        api.forecast, "top"
    ),
    out: Annotated[
        Path | None, OutOption(help="Write the answers to a .csv, .parquet or .jsonl file.", metavar="FILE")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON: one object per query.")] = False,
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Forecast the object or the subject of a query, and explain why.

    Without MODEL and RULES, a scorecard is fitted to the facts before the query, and kept for the next time.
    """
    from tlogic.cli.forecast_output import give_answers, give_batch
    from tlogic.forecasting.queries import as_queries, encode_queries

    forecaster.check()
    query_options.check()
    explanation.check(forecaster, query_options)
    explanation.check_output(query_options, out, json_output)
    queries, locations = query_options.read()
    graph = data.read(out)
    # An unknown name is reported before a model is fitted.
    encoded = encode_queries(graph, as_queries(queries), locations=locations)
    first = min((query.time for query in encoded), default=None)
    options: dict[str, Any] = {"top": top, "threads": threads, "cluster": cluster}
    answers = _forecast(graph, forecaster, queries, first, application, options)
    if query_options.queries is not None:
        give_batch(answers, explanation.of_batch(answers), out, json_output)
        return
    explanations = explanation.explanations(answers)
    if explanation.picture is not None and explanations:
        explanations[0].draw(explanation.picture, explanation.reasons)
    texts = [each.text(explanation.reasons) for each in explanations]
    give_answers(answers, explanations, texts, out, json_output)


def _forecast(
    graph: "TemporalGraph",
    forecaster: ForecasterOptions,
    queries: "list[Query]",
    first: int | None,
    application: ApplicationOptions,
    options: dict[str, Any],
) -> "Forecast[Any]":
    """Answer the queries; without rules and model, a model is fitted to the facts before the time of the first one."""
    from tlogic.cli.console import progress, wait_for_kernels

    loaded = forecaster.load(lambda: default_model(graph, options["threads"], before=first))
    settings = None if forecaster.rules is None else application.settings()
    with wait_for_kernels(forecaster.kernel), progress() as follow:
        return api.forecast(graph, loaded, queries, settings, progress=follow, **options)
