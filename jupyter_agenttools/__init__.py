"""A complete agent tool system inside your own Jupyter kernel: every call walks one visible pipeline.

``%load_ext jupyter_agenttools`` brings ``%tool`` and ``%agent``; ``Session`` is the same from Python.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core import (
        Decision,
        Outcome,
        PermissionAnswer,
        PermissionRequest,
        Tool,
        ToolResult,
        ToolUse,
        ToolUseContext,
        build_tool,
        tool,
    )
    from .core.errors import ToolError, UsageError
    from .hooks import Hook, hook
    from .models import ScriptedModel
    from .session import Session

__version__ = "0.1.0"

_HOMES = {
    "Decision": "core",
    "Hook": "hooks",
    "Outcome": "core",
    "PermissionAnswer": "core",
    "PermissionRequest": "core",
    "ScriptedModel": "models",
    "Session": "session",
    "Tool": "core",
    "ToolError": "core.errors",
    "ToolResult": "core",
    "ToolUse": "core",
    "ToolUseContext": "core",
    "UsageError": "core.errors",
    "build_tool": "core",
    "hook": "hooks",
    "tool": "core",
}
"""Where each public name lives; it is imported when first used, so that loading the extension stays quick."""

__all__ = [
    "Decision",
    "Hook",
    "Outcome",
    "PermissionAnswer",
    "PermissionRequest",
    "ScriptedModel",
    "Session",
    "Tool",
    "ToolError",
    "ToolResult",
    "ToolUse",
    "ToolUseContext",
    "UsageError",
    "build_tool",
    "hook",
    "load_ipython_extension",
    "tool",
    "unload_ipython_extension",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(ipython: Any) -> None:
    """What ``%load_ext jupyter_agenttools`` does."""
    from .notebook.extension import load_ipython_extension as load

    load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """What ``%unload_ext jupyter_agenttools`` does: everything is taken back."""
    from .notebook.extension import unload_ipython_extension as unload

    unload(ipython)
