"""A hook, and the decorator that makes one of a function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import anyio.to_thread

from ..core.call import HookEffects
from ..core.definitions import announce
from ..core.errors import UsageError
from .matching import compile_matcher

HookEvent = Literal["PreToolUse", "PostToolUse"]
OnFailure = Literal["block", "ask", "pass"]
"""What a hook that raises, or answers with something unreadable, does to the call."""

HookFunction = Callable[[dict[str, Any]], Awaitable[Any] | Any]

DEFAULT_TIMEOUT_S = 600.0
"""The field's default for hooks of tool events."""


@dataclass(frozen=True)
class Hook:
    """A function that is told of tool events and may have a say.

    Args:
        event: when it runs.
        function: sync or async; takes the event's JSON data (``tool_name``, ``tool_input``, ``tool_use_id``,
            ``session_id``, ``cwd`` …) and returns ``None``, a decision word, or the JSON data of a hook's answer.
        name: how records call it.
        matcher: tool names as ``Edit|Write``, a regular expression, or ``""`` for all.
        if_: a permission rule such as ``Bash(git *)``; the hook runs only where it matches.
        on_failure: what its failure does; guards (PreToolUse) block by default.
        timeout_s: seconds it may take. A guard that takes longer makes the call ask.
    """

    event: HookEvent
    function: HookFunction
    name: str
    matcher: str = ""
    if_: str | None = None
    on_failure: OnFailure = "block"
    timeout_s: float = DEFAULT_TIMEOUT_S

    @cached_property
    def no_objection(self) -> HookEffects:
        """What this hook adds up to, alone and with nothing to say."""
        return HookEffects(ran=(f"{self.name}: no objection",))

    @cached_property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    async def __call__(self, payload: dict[str, Any]) -> Any:
        """The function's answer. A sync function runs in a thread, so that it cannot hold up everybody else."""
        if self.is_async:
            return await self.function(payload)
        result = await anyio.to_thread.run_sync(self.function, payload, abandon_on_cancel=True)
        return await result if inspect.isawaitable(result) else result


def hook(
    event: HookEvent,
    *,
    matcher: str = "",
    if_: str | None = None,
    on_failure: OnFailure | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> Callable[[HookFunction], Hook]:
    """Make a hook of a function.

    In a notebook with the extension loaded it works at once, and running the cell again replaces it; elsewhere hand it
    to ``Session(hooks=[…])``. See :class:`Hook` for the arguments.

    Raises:
        UsageError: an event that is not fired here, an unreadable matcher, or a bad ``on_failure``.
    """
    if event not in get_args(HookEvent):
        raise UsageError(f"@hook: no event {event!r}; events: {', '.join(get_args(HookEvent))}")
    if on_failure is not None and on_failure not in get_args(OnFailure):
        raise UsageError(f"@hook: on_failure is one of {', '.join(get_args(OnFailure))}, not {on_failure!r}")
    compile_matcher(matcher)

    def decorate(function: HookFunction) -> Hook:
        name = getattr(function, "__name__", "hook")
        failure = on_failure or ("block" if event == "PreToolUse" else "pass")
        made = Hook(event, function, name, matcher, if_, failure, timeout_s)
        announce(made, key=f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', name)}")
        return made

    return decorate
