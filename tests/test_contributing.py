"""The guide for contributors names what exists."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_paths_exist() -> None:
    paths = re.findall(r"`((?:src|tests|benchmarks|docs|examples|\.ci)/[\w./-]+)`", GUIDE)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)", GUIDE))
    assert {"test", "help", "quick"} <= targets
    assert targets <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_the_layers_are_those_of_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = [set(layer.split(" : ")) for layer in settings["contracts"][0]["layers"]]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", GUIDE, re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows][: len(layers)] == layers
