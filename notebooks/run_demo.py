"""Run the quickstart notebook without a browser; print what its cells showed and the transcript of its calls.

It runs in a copy of this folder, so nothing here changes; no key and no network are needed. ``make demo`` runs it.
Nobody can be asked here: a few calls are approved beforehand, by rules in a file that the environment names; whatever
else would ask a person is denied, and the transcript says why.
"""

from __future__ import annotations

import json
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
LINE_CHARS = 160
APPROVED = ("Bash(python slow.py)", "Edit(scratch.py)", "Edit(scratch.ipynb)", "Edit(agent_notes.md)")
"""What is allowed beforehand; the other calls of the notebook that ask show what a denial looks like."""


def shown(output: Mapping[str, Any]) -> str:
    """What one output says in plain text."""
    if output["output_type"] == "stream":
        return output["text"].rstrip()
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    return output["data"].get("text/plain", "").rstrip()


def cells(notebook: Any) -> Iterator[str]:
    """Each code cell that ran, followed by what it showed."""
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cell.get("execution_count"):
            continue
        first, *rest = cell.source.splitlines() or [""]
        yield "\n".join([f"In [{cell.execution_count}]: {first}", *("    " + line for line in rest)])
        yield from (text + "\n" for output in cell.outputs if (text := shown(output)))


def transcript(path: Path) -> Iterator[str]:
    """The calls in one session's ``transcript.jsonl``: what was asked, each stage that acted, and how it ended.

    Calls that ran side by side are told one after the other, in the order in which they began.
    """
    calls: dict[str, list[str]] = {}
    for line in path.read_bytes().splitlines():
        event = json.loads(line)
        if event["tool_use_id"] is not None:
            calls.setdefault(event["tool_use_id"], []).extend(told(event))
    for lines in calls.values():
        yield from lines


def told(event: Mapping[str, Any]) -> Iterator[str]:
    """One event of a transcript in at most one line."""
    if event["type"] == "call_start":
        use = event["tool_use"]
        yield f"{use['name']} {json.dumps(use['input'], ensure_ascii=False)}"[:LINE_CHARS]
    elif event["type"] == "stage" and event["status"] != "skipped":
        yield f"    {event['stage']:<15}{event['status']:<9}{event['reason']}"[:LINE_CHARS].rstrip()
    elif event["type"] == "call_end":
        yield f"  = {event['status']} after {event['duration_ms']:.1f} ms"


def run(folder: Path) -> int:
    """Execute the notebook in ``folder`` and print it; the exit status."""
    home = folder / "home"
    os.environ["JUPYTER_AGENTTOOLS_HOME"] = str(home)
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"permissions": {"allow": APPROVED}}), encoding="utf-8")
    os.environ["JUPYTER_AGENTTOOLS_SETTINGS"] = str(settings)
    copy = folder / "notebooks"
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    notebook = nbformat.read(copy / NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=CELL_TIMEOUT_S, resources={"metadata": {"path": str(copy)}})
    try:
        client.execute()
        status = 0
    except CellExecutionError:  # the failing cell's output already says what happened
        status = 1
    print(f"Approved beforehand: {', '.join(APPROVED)}\n")
    print("\n".join(cells(notebook)))
    for path in sorted(home.glob("sessions/*/transcript.jsonl")):
        print("\n".join(["", f"Transcript of session {path.parent.name}:", *transcript(path)]))
    return status


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="agenttools-demo-") as folder:
        return run(Path(folder))


if __name__ == "__main__":
    sys.exit(main())
