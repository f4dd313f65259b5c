"""Matplotlib's figures that code left open, as images: where no notebook shows them by itself."""

from __future__ import annotations

import base64
import io
import sys
from typing import Any


def open_figures() -> frozenset[int]:
    """The numbers of the figures that are open now; matplotlib is not imported for it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return frozenset(pyplot.get_fignums()) if pyplot is not None else frozenset()


def take_figures(before: frozenset[int]) -> list[dict[str, Any]]:
    """The figures that were opened since, as PNG bundles; they are closed, as in a notebook."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    bundles = []
    for number in sorted(open_figures() - before):
        figure, data = pyplot.figure(number), io.BytesIO()
        figure.savefig(data, format="png", bbox_inches="tight")
        size = "x".join(f"{round(side * figure.dpi)}" for side in figure.get_size_inches())
        png = base64.b64encode(data.getvalue()).decode("ascii")
        bundles.append({"text/plain": f"<Figure size {size}>", "image/png": png})
        pyplot.close(number)
    return bundles
