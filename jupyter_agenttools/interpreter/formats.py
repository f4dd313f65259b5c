"""Representations of a value by media type, where no IPython does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.faults import faults

_METHODS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
}


def plain_bundle(value: Any) -> dict[str, Any]:
    """What a value says of itself through the methods that Jupyter looks for, and its ``repr``.

    Raises:
        Exception: whatever ``repr`` of the value raises.
    """
    made: dict[str, Any] = {"text/plain": repr(value)}
    if isinstance(value, type):
        return made  # the methods are those of its objects
    bundle = _called(value, "_repr_mimebundle_")
    bundle = bundle[0] if isinstance(bundle, tuple) and bundle else bundle
    if isinstance(bundle, Mapping):
        made.update({str(kind): data for kind, data in bundle.items()})
    for kind, method in _METHODS.items():
        if kind not in made and (data := _called(value, method)) is not None:
            made[kind] = data[0] if isinstance(data, tuple) and data else data
    return made


def _called(value: Any, name: str) -> Any:
    """What such a method says; one that fails says nothing. Objects that have every attribute have no such method."""
    if getattr(value, "_ipython_canary_method_should_not_exist_", None) is not None:
        return None
    method = getattr(value, name, None)
    if not callable(method):
        return None
    try:
        return method()
    except faults():
        return None
