"""`tlogic rules`: browse, compare, merge and convert rules."""

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.cli.options import integers
from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tlogic.models.counted_rules import CountedRule
    from tlogic.rules import Rule, RuleSet
    from tlogic.rules.selection import RuleLike

_ON_A_SCREEN = 20


class Sort(StrEnum):
    """What comes first."""

    confidence = "confidence"
    support = "support"
    length = "length"
    head = "head"
    name = "name"


@dataclass(frozen=True)
class SelectionOptions:
    """Which rules, and in what order."""

    head: Annotated[str | None, typer.Option(help="Rules for this relation.", metavar="R")] = None
    body: Annotated[
        list[str] | None,
        typer.Option(help="Rules with this relation in the body; can be given again.", metavar="R"),
    ] = None
    length: Annotated[str | None, typer.Option(help="Rules of this length, or these: 1,2.", metavar="L")] = None
    min_confidence: Annotated[float, typer.Option(help="Rules below are left out.", metavar="C")] = 0.0
    min_support: Annotated[int, typer.Option(help="Rules with fewer bodies are left out.", metavar="N")] = 0
    sort: Annotated[
        Sort | None,
        typer.Option(help="The order, largest first; by confidence if not given, and as they are in a written file."),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(
            help=f"The first so many; {_ON_A_SCREEN} on a terminal, else all, if not given.", metavar="N", min=1
        ),
    ] = None

    def check(self, *rules: "Iterable[RuleLike]") -> None:
        """Refuse relations that none of the rules has."""
        from tlogic.rules.selection import check_relations

        wanted = [name for name in (self.head, *(self.body or [])) if name is not None]
        if wanted:
            check_relations(chain(*rules), wanted)

    def choose(self, rules: "RuleSet", keep_order: bool = False) -> "RuleSet":
        """The selection, before the top is cut off."""
        sort = self.sort or (None if keep_order and self.top is None else Sort.confidence)
        return rules.select(
            head=self.head,
            body=self.body or (),
            lengths=() if self.length is None else integers(self.length),
            min_confidence=self.min_confidence,
            min_support=self.min_support,
            sort=sort.value if sort else None,
        )

    def choose_counted(self, rules: "Sequence[CountedRule]") -> "list[CountedRule]":
        """The selection of a model's rules, before the top is cut off."""
        from tlogic.rules.selection import select_rules, sort_rules

        lengths = () if self.length is None else integers(self.length)
        chosen = select_rules(rules, self.head, self.body or (), lengths, self.min_confidence, self.min_support)
        return sort_rules(chosen, (self.sort or Sort.confidence).value)


def rules(
    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES",
            help="A rule file: from learn, or .txt, .csv, .parquet; or a model, whose counted rules are shown.",
            show_default=False,
        ),
    ],
    selection: SelectionOptions,
    logic: Annotated[bool, typer.Option("--logic", help="Show rules in logic only.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Show rules in words only.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    merge: Annotated[
        Path | None,
        typer.Option(
            help="Add the rules of another file; of a rule in both, the one with more bodies stays.", metavar="OTHER"
        ),
    ] = None,
    compare: Annotated[Path | None, typer.Option(help="Show how another rule file differs.", metavar="OTHER")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the rules instead: by suffix as .txt, .csv, .parquet, else JSON.", metavar="FILE"),
    ] = None,
    ids: Annotated[
        Path | None,
        typer.Option(
            help="The published TLogic code's relation2id.json, or its folder: rule files that end in .json are then "
            "in the format of that code.",
            metavar="IDS",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="A model's rules of this kind: rules (of length 1), chains or acyclic.", metavar="KIND"),
    ] = None,
) -> None:
    """Browse RULES, or those that a model counted, in logic and in words; compare, merge, select and convert them."""
    from tlogic.cli.model_rules import is_model_file

    _check(logic and words, "--logic and --words")
    _check(compare and out, "--compare and --out")
    _check(compare and merge, "--compare and --merge")
    style = _Style(logic, words, json_output)
    if is_model_file(rules):
        if compare or merge or out or ids:
            raise SettingsError(f"{rules} is a model; --compare, --merge, --out and --ids are for rule files.")
        _show_model(rules, selection, kind, style)
        return
    if kind is not None:
        raise SettingsError(f"--kind is for the rules of a model, and {rules} is none.")
    found = _load(rules, ids)
    second = compare or merge
    other = _load(second, ids) if second else None
    selection.check(found, other or [])
    if compare and other is not None:
        both = selection.choose(found), selection.choose(other)
        _show_comparison(*both, (rules, compare), selection.top, json_output)
        return
    found = found if other is None else found.merge(other)
    chosen = selection.choose(found, keep_order=out is not None)
    if out:
        _write(chosen.select(top=selection.top), out, ids)
    else:
        _show(chosen, selection.top, len(found), style)


def _check(both: Any, names: str) -> None:
    if both:
        raise SettingsError(f"Found both {names}; expected one of them, so leave out the other.")


def _load(path: Path, ids: Path | None) -> "RuleSet":
    from tlogic.rules import RuleSet, import_published

    return import_published(path, ids) if ids and path.suffix.lower() == ".json" else RuleSet.load(path)


def _write(rules: "RuleSet", path: Path, ids: Path | None) -> None:
    from tlogic.cli.console import error_console
    from tlogic.rules import export_published

    if ids and path.suffix.lower() == ".json":
        export_published(rules, path, ids)
    else:
        rules.save(path)
    error_console.print(f"{len(rules):,} rules written to {path}", markup=False)


@dataclass(frozen=True)
class _Style:
    logic: bool
    words: bool
    json: bool


def _show(chosen: "RuleSet", top: int | None, total: int, style: _Style) -> None:
    """A table on a terminal, else lines that are a rule file themselves, or one JSON object."""
    from tlogic.cli.console import console, error_console
    from tlogic.rules.table_format import rule_row

    screen = console.is_terminal and not style.json
    shown = chosen.select(top=top or (_ON_A_SCREEN if screen else None))
    if style.json:
        print(json.dumps({"total": total, "selected": len(chosen), "rules": [rule_row(rule) for rule in shown]}))
    elif screen:
        console.print(_table(shown, style))
    else:
        sys.stdout.writelines(f"{_line(rule, style)}\n" for rule in shown)
    if screen:
        error_console.print(_how_many(len(shown), len(chosen), total))


def _how_many(shown: int, chosen: int, total: int) -> str:
    more = "" if shown == chosen else f"; --top {chosen} shows all"
    return f"{shown:,} of {chosen:,} rules chosen among {total:,}{more}"


def _show_model(path: Path, selection: SelectionOptions, kind: str | None, style: _Style) -> None:
    """The rules that a model counted: a table on a terminal, else a line each, or one JSON object."""
    import tlogic
    from tlogic.cli import model_rules
    from tlogic.cli.console import console, error_console
    from tlogic.models.counted_rules import of_kind, unit_of

    model = tlogic.Model.load(path)
    selection.check(model.rules)
    chosen = selection.choose_counted(of_kind(model.rules, kind))
    screen = console.is_terminal and not style.json
    shown = chosen[: selection.top or (_ON_A_SCREEN if screen else None)]
    step = model.data.get("step")
    if style.json:
        print(model_rules.as_json(shown, len(chosen), len(model.rules), step))
    elif screen:
        console.print(model_rules.table_of(shown, unit_of(step), style.logic, style.words))
        error_console.print(_how_many(len(shown), len(chosen), len(model.rules)))
    else:
        model_rules.write_lines(shown, unit_of(step), style.logic, style.words)


def _line(rule: "Rule", style: _Style) -> str:
    from tlogic.rules import in_words
    from tlogic.rules.text_format import rule_line

    if style.words:
        return f"{_confidence(rule):<8} {in_words(rule)}"
    return rule_line(rule) if style.logic else f"{rule_line(rule)}  # {in_words(rule)}"


def _confidence(rule: "Rule") -> str:
    return f"{rule.confidence:.3f}" if rule.is_measured else "?"


def _supports(rule: "Rule") -> str:
    return f"{rule.rule_support}/{rule.body_support}" if rule.is_measured else "?"


def _table(rules: "RuleSet", style: _Style) -> Any:
    from rich.table import Table
    from rich.text import Text

    from tlogic.rules import in_words

    table = Table(box=None, padding=(0, 2, 0 if style.logic or style.words else 1, 0))
    for column in ("confidence", "support", "rule"):
        table.add_column(column, justify="left" if column == "rule" else "right", overflow="fold")
    for rule in rules:
        told = [] if style.words else [Text(str(rule))]
        told += [] if style.logic else [Text(in_words(rule), style="" if style.words else "dim")]
        table.add_row(_confidence(rule), _supports(rule), Text("\n").join(told))
    return table


def _show_comparison(
    first: "RuleSet", second: "RuleSet", files: tuple[Path, Path], top: int | None, as_json: bool
) -> None:
    """Differences in the manner of diff: - only in the first, + only in the second, ~ in both with other supports."""
    from tlogic.cli.console import console, error_console
    from tlogic.rules.table_format import rule_row

    found = first.compare(second)
    if as_json:
        parts = {name: [rule_row(rule) for rule in getattr(found, name)] for name in ("only_first", "only_second")}
        changed = [{"first": rule_row(a), "second": rule_row(b)} for a, b in found.changed]
        print(json.dumps({**parts, "changed": changed, "equal": len(found.equal)}))
        return
    top = top or (_ON_A_SCREEN if console.is_terminal else None)
    lines = [f"- {_supports(rule):<8} {rule}" for rule in found.only_first[:top]]
    lines += [f"+ {_supports(rule):<8} {rule}" for rule in found.only_second[:top]]
    lines += [f"~ {_supports(a)} -> {_supports(b)}  {a}" for a, b in found.changed[:top]]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    error_console.print(
        f"{len(found.only_first):,} rules only in {files[0]} (-), {len(found.only_second):,} only in {files[1]} (+), "
        f"{len(found.changed):,} in both with other supports (~), {len(found.equal):,} equal in both",
        markup=False,
    )
