"""How NotebookRead looks to a person: as Read does with a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.texts import visible
from ...core.views import Density, ToolView
from ..read import view as read_view
from ..read.output import NotebookRead

NAME = "Read notebook"


def summary(input: Mapping[str, Any]) -> str:
    """``a.ipynb, cells 2-5``; works while the input is still incomplete."""
    path, cells = input.get("notebook_path"), input.get("cells")
    name = visible(path).rpartition("/")[2] if isinstance(path, str) else ""
    chosen = f"cells {visible(cells)}" if isinstance(cells, str) and cells.strip() else ""
    return ", ".join(filter(None, (name, chosen)))


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"{NAME} {summary(input)}".rstrip())


def render_result(output: NotebookRead, density: Density) -> ToolView:
    return read_view.render_result(output, density)
