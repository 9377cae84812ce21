"""Flags take no value, so help shows no type for them."""

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command whose help shows no type for flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, flags without a type."""
        return _without_types_of_flags(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands whose help shows no type for flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, flags without a type."""
        return _without_types_of_flags(super().get_params(ctx))


def _without_types_of_flags(params: list[Any]) -> list[Any]:
    for each in params:
        if getattr(each, "is_flag", False):
            each.metavar = ""
    return params
