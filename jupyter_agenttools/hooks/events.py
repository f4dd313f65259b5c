"""The events that hooks are for: their names, what a matcher is compared with, what exit code 2 means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, get_args

HookEvent = Literal[
    "SessionStart",
    "Setup",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "MessageDisplay",
    "SubagentStart",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "Stop",
    "StopFailure",
    "TeammateIdle",
    "InstructionsLoaded",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreCompact",
    "PostCompact",
    "Elicitation",
    "ElicitationResult",
    "SessionEnd",
]
EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)

FIRED: frozenset[HookEvent] = frozenset(
    {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PermissionDenied",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Notification",
        "SubagentStart",
        "SubagentStop",
        "TaskCreated",
        "TaskCompleted",
        "Stop",
        "StopFailure",
        "ConfigChange",
        "CwdChanged",
        "FileChanged",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
    }
)
"""What happens here. Hooks for the other events are kept; nothing fires them."""

TOOL_EVENTS: frozenset[HookEvent] = frozenset(
    {"PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure"}
)
"""Events of one tool call: a matcher means tool names, and ``if`` a permission rule."""

BLOCKABLE: frozenset[HookEvent] = frozenset(
    {
        "PreToolUse",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "Stop",
        "SubagentStop",
        "TeammateIdle",
        "TaskCreated",
        "TaskCompleted",
        "ConfigChange",
        "PostToolBatch",
        "PreCompact",
        "Elicitation",
        "ElicitationResult",
        "WorktreeCreate",
    }
)
"""Exit code 2 blocks what is about to happen."""

TOLD: frozenset[HookEvent] = frozenset({"PostToolUse", "PostToolUseFailure"})
"""It has happened: a block, or exit code 2, tells the model why that was wrong."""

CONTEXT_FROM_TEXT: frozenset[HookEvent] = frozenset({"SessionStart", "UserPromptSubmit", "UserPromptExpansion"})
"""Plain text that a hook prints is context for the model; for other events it is only shown."""

GUARDS: frozenset[HookEvent] = frozenset({"PreToolUse"})
"""Hooks that stand before a call: one that gives no answer must not let it pass."""

_SUBJECT_FIELDS: Mapping[HookEvent, str] = {
    "SessionStart": "source",
    "Setup": "trigger",
    "SessionEnd": "reason",
    "Notification": "notification_type",
    "SubagentStart": "agent_type",
    "SubagentStop": "agent_type",
    "PreCompact": "trigger",
    "PostCompact": "trigger",
    "ConfigChange": "source",
    "FileChanged": "file_path",
    "StopFailure": "error",
    "InstructionsLoaded": "load_reason",
    "UserPromptExpansion": "command_name",
    "Elicitation": "mcp_server_name",
    "ElicitationResult": "mcp_server_name",
}

DEFAULT_TIMEOUT_S = 600.0
"""The field's default for commands and HTTP."""

_EVENT_TIMEOUT_S: Mapping[HookEvent, float] = {"UserPromptSubmit": 30.0, "MessageDisplay": 10.0, "SessionEnd": 1.5}

SESSION_END_S = 1.5
"""What all hooks together may take at the end of a session, whatever they ask for."""


def default_timeout_s(event: HookEvent, kind_default_s: float = DEFAULT_TIMEOUT_S) -> float:
    """How long may a hook of this event take, in seconds, when it does not say?"""
    return min(kind_default_s, _EVENT_TIMEOUT_S.get(event, kind_default_s))


def subject_of(event: HookEvent, payload: Mapping[str, Any]) -> str | None:
    """What the matcher of a hook for ``event`` is compared with; ``None`` when that event has nothing to match."""
    name = _SUBJECT_FIELDS.get(event)
    if name is None:
        return None
    value = str(payload.get(name) or "")
    return os.path.basename(value) if event == "FileChanged" else value
