"""The lessons run to their end with no key, no network and nobody there, and show what they speak of."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.kernel

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def shown_by(cell: Any) -> str:
    return "".join(out.text if out.output_type == "stream" else out.data["text/plain"] for out in cell.outputs)


def test_the_lesson_on_the_agent_shows_what_it_speaks_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    folder = shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    lesson = nbformat.read(folder / "01_the_agent.ipynb", as_version=4)
    NotebookClient(lesson, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    cells = {cell.id: shown_by(cell) for cell in lesson.cells if cell.cell_type == "code"}
    said = list(cells.values())

    def cell(words: str) -> str:
        (found,) = [text for text in said if words in text]
        return found

    assert "Read 2 files" in cell("I read both files first.")
    watched = cell("waits to run alone").splitlines()
    assert [line.split()[1] for line in watched].count("yielded") == 3
    failing = cell("The second try went through.")
    assert "slow down" in failing and "InputValidationError" in failing
    assert "broke off" in cell("This answer breaks off in the")
    answered = [text for text in said if "It imports what it needs." in text]
    assert len(answered) == 2 and all("done" in text and "1 call" in text for text in answered), "and replayed"
    assert cell("TurnEnded").rstrip().endswith("TurnEnded")
    assert cell("nobody can be asked here").startswith("denied")
    assert "1,200" in cell("Cost")
    assert not list(folder.glob("lesson.*"))
