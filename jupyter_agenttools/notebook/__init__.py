"""The only package that knows IPython: magics, prompts, progress and records in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .kernel_session import KernelSession

__all__ = ["get_session"]


def get_session() -> KernelSession:
    """The session that ``%tool`` and ``%agent`` use in this kernel.

    Raises:
        UsageError: the extension is not loaded, or its settings cannot be used.
    """
    from .errors import UsageError
    from .loaded import get_loaded

    loaded = get_loaded()
    if loaded is None:
        raise UsageError("run %load_ext jupyter_agenttools first")
    return loaded.runtime.session
