"""The public API is documented: the reference lists every public name, and every docstring is complete."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tlogic
from tlogic import analysis, plots, reproduction, rules, serving

REFERENCE = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
PACKAGES = {
    "tlogic": tlogic,
    "tlogic.analysis": analysis,
    "tlogic.plots": plots,
    "tlogic.reproduction": reproduction,
    "tlogic.rules": rules,
    "tlogic.serving": serving,
}
# Classes of objects that public functions and methods return; users need not import them.
RETURNED = {
    "tlogic.evaluation.Backtest",
    "tlogic.explaining.Comparison",
    "tlogic.explaining.Contribution",
    "tlogic.explaining.OccurrenceExplanation",
    "tlogic.explaining.OddsFactor",
    "tlogic.explaining.Reason",
    "tlogic.models.CountedRule",
    "tlogic.monitoring.ChangeExplanation",
    "tlogic.monitoring.ChangedTriple",
    "tlogic.monitoring.Changes",
    "tlogic.monitoring.Likely",
    "tlogic.monitoring.Outlook",
    "tlogic.monitoring.Surprises",
    "tlogic.monitoring.Watchlist",
}


def _public_objects() -> Iterator[tuple[str, Any]]:
    """The shortest public name of each function and class, with the object."""
    seen: set[int] = set()
    for prefix, package in PACKAGES.items():
        for name in package.__all__:
            value = getattr(package, name)
            if not isinstance(value, ModuleType | str) and id(value) not in seen:
                seen.add(id(value))
                yield f"{prefix}.{name}", value
    for path in sorted(RETURNED):
        module, name = path.rsplit(".", 1)
        yield path, getattr(import_module(module), name)


OBJECTS = dict(_public_objects())
DESCRIPTORS = (property, cached_property, classmethod, staticmethod)
FUNCTIONS = {name: value for name, value in OBJECTS.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in OBJECTS.items() if inspect.isclass(value)}
METHODS = {
    f"{path}.{name}": member
    for path, owner in CLASSES.items()
    for base in reversed(owner.__mro__)
    if base.__module__.startswith("tlogic.")
    for name, member in vars(base).items()
    if not name.startswith("_") and (callable(member) or isinstance(member, DESCRIPTORS))
}


def test_the_reference_lists_every_public_name_and_no_other() -> None:
    listed = re.findall(r"^::: (tlogic\.[\w.]+)$", REFERENCE, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(OBJECTS)


@pytest.mark.parametrize("path", FUNCTIONS)
def test_functions_document_parameters_and_results(path: str) -> None:
    function = FUNCTIONS[path]
    text = _docstring(function)
    signature = inspect.signature(function)
    assert _unlisted(signature.parameters, text, "Args") == []
    if signature.return_annotation is not None:
        assert "\nReturns:\n" in text
    assert _has_example(text)


@pytest.mark.parametrize("path", CLASSES)
def test_classes_document_their_fields(path: str) -> None:
    owner = CLASSES[path]
    text = _docstring(owner)
    assert _unlisted(_fields(owner), text, "Attributes") == [] or _unlisted(_fields(owner), text, "Args") == []
    assert _has_example(text)


@pytest.mark.parametrize("path", METHODS)
def test_methods_have_a_summary(path: str) -> None:
    assert _docstring(METHODS[path])


def _docstring(documented: Any) -> str:
    """The docstring, which begins with a sentence on a line of its own."""
    text = inspect.getdoc(documented) or ""
    summary, _, rest = text.partition("\n")
    assert re.fullmatch(r"[A-Z].+[.:?]", summary), f"no summary: {summary!r}"
    assert not rest or rest.startswith("\n"), f"no blank line after the summary: {summary!r}"
    return text


def _fields(owner: type) -> list[str]:
    """The public fields of a dataclass or a named tuple."""
    if is_dataclass(owner):
        return [name for name in owner.__dataclass_fields__ if not name.startswith("_")]
    return list(getattr(owner, "_fields", ()))


def _unlisted(names: Any, text: str, section: str) -> list[str]:
    """The names that a section of a docstring leaves out."""
    found = re.search(rf"^{section}:\n((?:[ ]+.*\n|\n)*)", f"{text}\n", re.MULTILINE)
    listed = re.findall(r"^    (\w+)(?: \(.*\))?:", found[1], re.MULTILINE) if found else []
    return [name for name in names if name not in listed]


def _has_example(text: str) -> bool:
    return re.search(r"^Example:\n(?:.*\n)*?\s*>>> ", text, re.MULTILINE) is not None
