"""The options that select and sort rules."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.options import integers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tlogic.models.counted_rules import CountedRule
    from tlogic.rules import RuleSet
    from tlogic.rules.selection import RuleLike

TERMINAL_RULES = 20
"""The number of rules to show on a terminal, unless --top is given."""

SelectionOption = partial(typer.Option, rich_help_panel="Selection")


class Sort(StrEnum):
    """The order of rules."""

    confidence = "confidence"
    support = "support"
    length = "length"
    head = "head"
    name = "name"


@dataclass(frozen=True)
class SelectionOptions:
    """The options that select and sort rules."""

    head: Annotated[str | None, SelectionOption(help="Only rules for this head relation.", metavar="NAME")] = None
    body: Annotated[
        list[str] | None,
        SelectionOption(help="Only rules with this relation in the body; repeatable.", metavar="NAME"),
    ] = None
    length: Annotated[
        str | None, SelectionOption(help="Only rules of these lengths, such as 1,2.", metavar="LENGTHS")
    ] = None
    min_confidence: Annotated[float, SelectionOption(help="Skip rules with a lower confidence.", metavar="C")] = 0.0
    min_support: Annotated[int, SelectionOption(help="Skip rules with a lower body support.", metavar="N")] = 0
    kind: Annotated[
        str | None,
        SelectionOption(
            help="Only rules of this kind, if RULES is a model: rules (of length 1), chains or acyclic.", metavar="KIND"
        ),
    ] = None
    sort: Annotated[
        Sort | None,
        SelectionOption(
            help="Sort by confidence, support, length, head or name; by default by confidence, and with --out in the "
            "order of the file.",
            metavar="ORDER",
        ),
    ] = None
    top: Annotated[
        int | None,
        SelectionOption(
            help=f"The number of rules; by default {TERMINAL_RULES} on a terminal, and otherwise all.",
            metavar="N",
            min=1,
        ),
    ] = None

    def check(self, *rules: "Iterable[RuleLike]") -> None:
        """Raise an error for relations that none of the rules has."""
        from tlogic.rules.selection import check_relations

        wanted = [name for name in (self.head, *(self.body or [])) if name is not None]
        if wanted:
            check_relations(chain(*rules), wanted)

    def select(self, rules: "RuleSet", keep_order: bool = False) -> "RuleSet":
        """The selected rules, before --top is applied."""
        sort = self.sort or (None if keep_order and self.top is None else Sort.confidence)
        return rules.select(
            head=self.head,
            body=self.body or (),
            lengths=() if self.length is None else integers(self.length),
            min_confidence=self.min_confidence,
            min_support=self.min_support,
            sort=sort.value if sort else None,
        )

    def select_counted(self, rules: "Sequence[CountedRule]") -> "list[CountedRule]":
        """The selected rules of a model, before --top is applied."""
        from tlogic.models.counted_rules import of_kind
        from tlogic.rules.selection import select_rules, sort_rules

        lengths = () if self.length is None else integers(self.length)
        some = of_kind(rules, self.kind)
        selected = select_rules(some, self.head, self.body or (), lengths, self.min_confidence, self.min_support)
        return sort_rules(selected, (self.sort or Sort.confidence).value)

    def limit(self, is_terminal: bool) -> int | None:
        """The number of rules to show; None for all."""
        return self.top or (TERMINAL_RULES if is_terminal else None)
