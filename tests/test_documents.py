"""What README and guide show runs as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tlogic

ROOT = Path(__file__).parents[1]
DOCUMENTS = ["README.md", "docs/guide.md"]
# Commands that set the project up, measure it for long, or need the network.
ELSEWHERE = ("pip ", "make ", "tlogic download")


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def commands(document: str) -> list[str]:
    lines = "".join(blocks(document, "console")).splitlines()
    found = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [command for command in found if not command.startswith(ELSEWHERE)]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_code_run(document: str, tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in commands(document):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    code = "\n".join(blocks(document, "python"))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Kite Aviation" in done.stdout


def test_the_readme_shows_what_is_printed() -> None:
    shown = next(block for block in blocks("README.md", "console") if "Why Northlight" in block)
    graph = tlogic.sample()
    forecast = tlogic.forecast(graph, tlogic.learn(graph), [("Kite Aviation", "sue", None, "2031-02-10")])
    text = forecast.explain(0, "Northlight Energy").text()
    assert text.startswith(shown.partition("...\n")[2])


@pytest.mark.parametrize("document", [*DOCUMENTS, "docs/performance.md"])
def test_links_lead_somewhere(document: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / document).read_text(encoding="utf-8")):
        assert target.startswith("http") or (ROOT / document).parent.joinpath(target).exists(), target
