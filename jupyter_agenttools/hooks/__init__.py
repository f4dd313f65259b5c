"""What others say about a call: Python hooks, their matchers, and how their decisions add up."""

from .definition import Hook, HookEvent, OnFailure, hook
from .hook_set import HookSet, cut_off
from .matching import matcher_matches
from .output import HookOutput, HookOutputError, read_output

__all__ = [
    "Hook",
    "HookEvent",
    "HookOutput",
    "HookOutputError",
    "HookSet",
    "OnFailure",
    "cut_off",
    "hook",
    "matcher_matches",
    "read_output",
]
