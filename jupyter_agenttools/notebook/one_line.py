"""How IPython shows an error in one line. It imports nothing of ours, as it is needed while that is being imported."""

from __future__ import annotations


def one_line(error: BaseException) -> list[str]:
    """What IPython shows of an error instead of a traceback."""
    return [f"{type(error).__name__}: {error}"]
