"""What others say about a call: functions, commands, requests and models, and how their decisions add up."""

from .answer import Answer
from .command import encode
from .definition import Hook, OnFailure, hook
from .events import BLOCKABLE, EVENTS, FIRED, TOLD, TOOL_EVENTS, HookEvent
from .from_settings import HookSettingsError, HooksOfLayer, hooks_from_settings, not_approved, unreadable_hooks
from .hook_set import HookSet, cut_off
from .matching import matcher_matches
from .output import HookOutput, HookOutputError, read_output
from .running import fold
from .services import HookServices, ProcessEnd, ProcessOrder

__all__ = [
    "BLOCKABLE",
    "EVENTS",
    "FIRED",
    "TOLD",
    "TOOL_EVENTS",
    "Answer",
    "Hook",
    "HookEvent",
    "HookOutput",
    "HookOutputError",
    "HookServices",
    "HookSet",
    "HookSettingsError",
    "HooksOfLayer",
    "OnFailure",
    "ProcessEnd",
    "ProcessOrder",
    "cut_off",
    "encode",
    "fold",
    "hook",
    "hooks_from_settings",
    "matcher_matches",
    "not_approved",
    "read_output",
    "unreadable_hooks",
]
