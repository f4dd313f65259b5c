"""Does an edit keep a valid notebook valid?"""

from __future__ import annotations

from typing import Any

from ...core.errors import ToolValidationError
from .document import NotebookDocument


def require_still_valid(document: NotebookDocument, before: dict[str, Any] | None, after: dict[str, Any]) -> None:
    """Do nothing when the changed cell is valid, or was not valid before either (nothing is repaired unasked).

    Only the one cell is looked at: nothing else changed, and checking a whole large notebook takes seconds.

    Raises:
        ToolValidationError: the edit would break the notebook.
    """
    if before is not None and _problem(document.minor, before) is not None:
        return
    problem = _problem(document.minor, after)
    if problem is not None:
        message = (
            f"{document.path}: the edited cell would not be a valid notebook cell ({problem}). Nothing was changed"
        )
        raise ToolValidationError(message, check_id="notebook-invalid")


def _problem(minor: int, cell: dict[str, Any]) -> str | None:
    """What the official schema says against a cell, in one line; ``None`` when nothing."""
    from nbformat.validator import get_validator

    validator = get_validator(4, minor)
    if validator is None:
        return None
    alone = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": minor}
    error = next(iter(validator.iter_errors(alone)), None)
    return None if error is None else str(error.message)[:200]
