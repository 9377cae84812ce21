"""`tlogic rules`: browse, compare, merge and convert rules."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.cli.options import OutOption
from tlogic.cli.rule_selection import SelectionOptions
from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic.rules import RuleSet


def rules(
    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES",
            help="A rule file (from tlogic learn, or .txt, .csv, .parquet), or a model file, whose counted rules are "
            "shown.",
            show_default=False,
        ),
    ],
    selection: SelectionOptions,
    logic: Annotated[bool, typer.Option("--logic", help="Show rules only in logic.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Show rules only in words.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    merge: Annotated[
        Path | None,
        typer.Option(
            help="Add the rules of another file; of equal rules, the one with the larger body support is kept.",
            metavar="OTHER",
        ),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Show the differences from another rule file.", metavar="OTHER")
    ] = None,
    out: Annotated[
        Path | None,
        OutOption(
            help="Write the rules to a file instead; its suffix selects the format: .txt, .csv, .parquet, else JSON.",
            metavar="FILE",
        ),
    ] = None,
    seal: Annotated[
        bool, typer.Option("--seal", help="Write a new checksum into RULES, after you edited the JSON file by hand.")
    ] = False,
    ids: Annotated[
        Path | None,
        typer.Option(
            help="The relation2id.json of the published TLogic code, or its folder; .json rule files are then read and "
            "written in the format of that code.",
            metavar="IDS",
        ),
    ] = None,
) -> None:
    """Browse RULES or the rules of a model, in logic and in words; select, compare, merge and convert them."""
    from tlogic.cli.rule_output import Style, print_comparison, print_rules
    from tlogic.models.file_format import is_model_file

    _check_exclusive(logic and words, "--logic and --words")
    _check_exclusive(compare and out, "--compare and --out")
    _check_exclusive(compare and merge, "--compare and --merge")
    if seal:
        _seal(rules)
        return
    style = Style(logic, words, json_output)
    if is_model_file(rules):
        if compare or merge or out or ids:
            raise SettingsError(f"{rules} is a model; --compare, --merge, --out and --ids are for rule files.")
        from tlogic.cli.model_rules import print_model_rules

        print_model_rules(rules, selection, style)
        return
    if selection.kind is not None:
        raise SettingsError(f"--kind is for the rules of a model, but {rules} is a rule file.")
    found = _load(rules, ids)
    second = compare or merge
    other = _load(second, ids) if second else None
    selection.check(found, other or [])
    if compare and other is not None:
        both = selection.select(found), selection.select(other)
        print_comparison(*both, (rules, compare), selection, json_output)
        return
    found = found if other is None else found.merge(other)
    selected = selection.select(found, keep_order=out is not None)
    if out:
        _write(selected.select(top=selection.top), out, ids)
    else:
        print_rules(selected, selection, len(found), style)


def _check_exclusive(both: Any, names: str) -> None:
    if both:
        raise SettingsError(f"Found both {names}; give only one of them.")


def _load(path: Path, ids: Path | None) -> "RuleSet":
    from tlogic.rules import RuleSet, import_published

    return import_published(path, ids) if ids and path.suffix.lower() == ".json" else RuleSet.load(path)


def _seal(path: Path) -> None:
    from tlogic.api import seal
    from tlogic.cli.console import error_console

    found = seal(path)
    error_console.print(f"{path} has a new checksum: {found}", markup=False)


def _write(rules: "RuleSet", path: Path, ids: Path | None) -> None:
    from tlogic.cli.console import error_console
    from tlogic.rules import export_published

    if ids and path.suffix.lower() == ".json":
        export_published(rules, path, ids)
    else:
        rules.save(path)
    error_console.print(f"{len(rules):,} rules written to {path}", markup=False)
