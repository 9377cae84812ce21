"""Fitting shows its progress in terminals and notebooks, and nowhere else."""

import io

import nbclient
import nbformat
import pytest
from rich.console import Console

import tlogic
from tlogic.progress import progress_bars


def test_a_terminal_shows_a_bar() -> None:
    shown = io.StringIO()
    with progress_bars(Console(file=shown, force_terminal=True)) as follow:
        assert list(follow([1, 2, 3], total=3, description="steps")) == [1, 2, 3]
    assert "steps" in shown.getvalue()


def test_nothing_is_written_to_files_and_pipes(capfd: pytest.CaptureFixture[str]) -> None:
    tlogic.fit(tlogic.sample(days=30), evidence=["popularity"])
    assert capfd.readouterr() == ("", "")


def test_a_notebook_shows_a_bar_while_a_model_is_fitted() -> None:
    code = (
        "import tlogic, IPython.display as shown\n"
        "bars, display = [], shown.display\n"
        "shown.display = lambda html, **options: bars.append(html.data) or display(html, **options)\n"
        "tlogic.fit(tlogic.sample(days=30), evidence=['popularity'])\n"
        "print([bar for bar in bars if '<progress' in bar][:1])"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=300).execute()
    printed = "".join(output.get("text", "") for output in notebook.cells[0].outputs)
    assert "<progress value" in printed
