"""The contract: blocks and messages, tools, contexts, results, decisions, views and events. Imports nothing of ours."""

from .blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from .build import build_tool, tool
from .call import CallState, CallStatus, HookEffects
from .cancel import Cancellation
from .context import ContextState, ToolOptions, ToolPermissionContext, ToolUseContext
from .decision import Decision, DecisionStep, PermissionResult
from .events import Observer, Observers, ProgressEvent, StageEvent
from .outcome import Outcome
from .permission_updates import (
    AddDirectories,
    AddRules,
    PermissionUpdate,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    SetMode,
)
from .prompting import PermissionAnswer, PermissionRequest, Prompter, RuleUpdate
from .result import ToolResult, ValidationResult
from .schema import StrictInput, lazy_schema
from .tool import Tool, find_tool_by_name
from .usage import Usage
from .views import ToolView

__all__ = [
    "AddDirectories",
    "AddRules",
    "CallState",
    "CallStatus",
    "Cancellation",
    "ContextState",
    "Decision",
    "DecisionStep",
    "HookEffects",
    "ImageBlock",
    "Message",
    "Observer",
    "Observers",
    "Outcome",
    "PermissionAnswer",
    "PermissionRequest",
    "PermissionResult",
    "PermissionUpdate",
    "ProgressEvent",
    "Prompter",
    "RemoveDirectories",
    "RemoveRules",
    "ReplaceRules",
    "RuleUpdate",
    "SetMode",
    "StageEvent",
    "StrictInput",
    "TextBlock",
    "ThinkingBlock",
    "Tool",
    "ToolOptions",
    "ToolPermissionContext",
    "ToolResult",
    "ToolResultBlock",
    "ToolUse",
    "ToolUseContext",
    "ToolView",
    "Usage",
    "ValidationResult",
    "build_tool",
    "find_tool_by_name",
    "lazy_schema",
    "tool",
]
