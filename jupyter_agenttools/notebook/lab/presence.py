"""Is the front end's part there, and if not, how does one get it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .front_end import LabFrontEnd

NAME = "jupyter-agenttools"


def presence_line(lab: LabFrontEnd) -> str:
    """One line for ``%agent status``. A page that has said hello is the only proof; a server may live elsewhere."""
    if count := len(lab.pages):
        return f"JupyterLab extension: loaded in {count} {'page' if count == 1 else 'pages'}"
    if _installed():
        return "JupyterLab extension: installed, but no page has loaded it; reload the page"
    return (
        "JupyterLab extension: absent (all else works). In a clone `make labextension` builds it; "
        "then run `pip install .` again in this environment. Wheels carry it"
    )


def _installed() -> bool:
    from jupyter_core.paths import jupyter_path

    return any(Path(folder, NAME, "package.json").is_file() for folder in jupyter_path("labextensions"))
