"""Putting something into the cell that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def show(bundle: Mapping[str, Any]) -> None:
    """Display a mime bundle."""
    from IPython.display import display

    display(dict(bundle), raw=True)
