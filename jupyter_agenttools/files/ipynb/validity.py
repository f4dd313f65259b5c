"""Does an edit keep a valid notebook valid?"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...core.errors import ToolValidationError
from .document import SOMETHING, NotebookDocument


def require_still_valid(document: NotebookDocument, before: dict[str, Any] | None, after: dict[str, Any]) -> None:
    """Do nothing when the changed cell is valid, or was not valid before either (nothing is repaired unasked).

    Only the one cell is looked at: nothing else changed, and checking a whole large notebook takes seconds.

    Raises:
        ToolValidationError: the edit would break the notebook.
    """
    problem = _problem(document.minor, after)
    if problem is not None and (before is None or _problem(document.minor, before) is None):
        message = f"{document.path}: the edited cell would not be valid ({problem}). Nothing was changed"
        raise ToolValidationError(message, check_id="notebook-invalid")


def _problem(minor: int, cell: dict[str, Any]) -> str | None:
    """What the official schema says against a cell, in one line; ``None`` when nothing."""
    validate = _validator(minor)
    if validate is None:
        return None
    from fastjsonschema import JsonSchemaValueException

    try:
        validate({"cells": [_checkable(cell)], "metadata": {}, "nbformat": 4, "nbformat_minor": minor})
    except JsonSchemaValueException as error:
        return str(error.message)[:200]
    return None


def _checkable(cell: dict[str, Any]) -> dict[str, Any]:
    """The cell without the outputs that were not decoded: no edit writes any, so none can become invalid."""
    return {**cell, "outputs": []} if cell.get("outputs") is SOMETHING else cell


@cache
def _validator(minor: int) -> Callable[[Any], Any] | None:
    """nbformat's own schema of format 4, compiled; ``None`` for a minor version that it does not know.

    Only nbformat's file is used: importing nbformat imports jsonschema, which takes seconds where its optional
    format checkers are installed, and a kernel would stand still for that long at its first edit.
    """
    import fastjsonschema

    spec = find_spec("nbformat")
    folders = spec.submodule_search_locations if spec is not None else None
    name = f"v4/nbformat.v4.{minor}.schema.json"
    file = next((path for folder in folders or () if (path := Path(folder, name)).is_file()), None)
    return None if file is None else fastjsonschema.compile(json.loads(file.read_text(encoding="utf-8")))
