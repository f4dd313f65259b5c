"""Run the quickstart notebook without a browser and print what its cells showed: ``make demo``.

It runs in a copy of this folder, so nothing here changes; no key and no network are needed.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

HERE = Path(__file__).resolve().parent
NOTEBOOK = "00_quickstart.ipynb"
CELL_TIMEOUT_S = 120


def shown(output: Mapping[str, Any]) -> str:
    """What one output says in plain text."""
    if output["output_type"] == "stream":
        return output["text"].rstrip()
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return output["data"].get("text/plain", "").rstrip()


def transcript(notebook: Any) -> Iterator[str]:
    """Each code cell that ran, followed by what it showed."""
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cell.get("execution_count"):
            continue
        first, *rest = cell.source.splitlines() or [""]
        yield "\n".join([f"In [{cell.execution_count}]: {first}", *("    " + line for line in rest)])
        yield from (text + "\n" for output in cell.outputs if (text := shown(output)))


def run(folder: Path) -> int:
    """Execute the notebook in ``folder`` and print it; the exit status."""
    os.environ["JUPYTER_AGENTTOOLS_HOME"] = str(folder / "home")
    copy = folder / "notebooks"
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    notebook = nbformat.read(copy / NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=CELL_TIMEOUT_S, resources={"metadata": {"path": str(copy)}})
    try:
        client.execute()
        status = 0
    except CellExecutionError:  # the failing cell's output already says what happened
        status = 1
    print("\n".join(transcript(notebook)))
    return status


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="agenttools-demo-") as folder:
        return run(Path(folder))


if __name__ == "__main__":
    sys.exit(main())
