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
    from .models import ManualModel, RecordedModel, ScriptedModel, make_model
    from .session import (
        Session,
        export_transcript,
        fork_session,
        list_sessions,
        replay,
        resume_session,
        search_sessions,
    )

__version__ = "0.1.0"

_HOMES = {
    "Decision": "core",
    "Hook": "hooks",
    "ManualModel": "models",
    "Outcome": "core",
    "PermissionAnswer": "core",
    "PermissionRequest": "core",
    "RecordedModel": "models",
    "ScriptedModel": "models",
    "Session": "session",
    "Tool": "core",
    "ToolError": "core.errors",
    "ToolResult": "core",
    "ToolUse": "core",
    "ToolUseContext": "core",
    "UsageError": "core.errors",
    "build_tool": "core",
    "export_transcript": "session",
    "fork_session": "session",
    "hook": "hooks",
    "list_sessions": "session",
    "make_model": "models",
    "replay": "session",
    "resume_session": "session",
    "search_sessions": "session",
    "tool": "core",
}
"""Where each public name lives; it is imported when first used, so that loading the extension stays quick."""

__all__ = [
    "Decision",
    "Hook",
    "ManualModel",
    "Outcome",
    "PermissionAnswer",
    "PermissionRequest",
    "RecordedModel",
    "ScriptedModel",
    "Session",
    "Tool",
    "ToolError",
    "ToolResult",
    "ToolUse",
    "ToolUseContext",
    "UsageError",
    "build_tool",
    "export_transcript",
    "fork_session",
    "hook",
    "list_sessions",
    "load_ipython_extension",
    "make_model",
    "replay",
    "resume_session",
    "search_sessions",
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
