"""The examples run, and print what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SCRIPTS = {
    "csv_to_forecasts.py": "5 forecasts are in forecasts.csv",
    "live_service.py": "2073 events are served",
    "model_reasons.py": "Why Lena over Jonas for (mailer, alerts, ?, 2030-08-29)?",
    "own_rules.py": "X alerts Y after Y deploys X",
    "quickstart.py": "Why Bo for (checkout, alerts, ?, 2030-01-10)?",
}
NOTEBOOKS = {
    "model_against_rules.ipynb": "Why Lena over Jonas for (mailer, alerts, ?, 2030-08-29)?",
    "own_data.ipynb": "Why Ana for (refunds, alerts, ?, 2030-08-29)?",
}


def test_every_example_is_run_and_listed() -> None:
    names = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")}
    assert names == {*SCRIPTS, *NOTEBOOKS}
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"]({name})" in listed for name in names)


@pytest.mark.parametrize(("name", "promised"), SCRIPTS.items(), ids=list(SCRIPTS))
def test_a_script_runs(name: str, promised: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        cwd=tmp_path,
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert promised in done.stdout


@pytest.mark.parametrize(("name", "promised"), NOTEBOOKS.items(), ids=list(NOTEBOOKS))
def test_a_notebook_runs(name: str, promised: str) -> None:
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells), f"clear the outputs of {name}"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    shown = [output.get("text") or output.data.get("text/html", "") for cell in cells for output in cell.outputs]
    assert promised in "".join(shown)
