"""Telling Jupyter of a kernel that runs in another environment."""

from __future__ import annotations

import json
from pathlib import Path


def write_kernelspec(folder: Path, name: str, python: str | Path) -> Path:
    """Write ``<folder>/<name>/kernel.json`` for ``python``'s ipykernel and return that file."""
    spec = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": name,
        "language": "python",
        "interrupt_mode": "signal",
        "metadata": {"debugger": False},
    }
    path = folder / name / "kernel.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(spec))
    return path
