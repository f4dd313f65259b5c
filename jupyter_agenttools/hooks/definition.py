"""A hook, and the decorator that makes one of a function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import anyio.to_thread

from ..core.call import HookEffects, HookRun
from ..core.definitions import announce
from ..core.errors import UsageError
from .events import EVENTS, FIRED, GUARDS, HookEvent, default_timeout_s
from .handlers import Handler, HookKind
from .matching import compile_matcher

OnFailure = Literal["block", "ask", "pass"]
"""What a hook that raises, or answers with something unreadable, does to the call."""

HookFunction = Callable[[dict[str, Any]], Awaitable[Any] | Any]


@dataclass(frozen=True)
class Hook:
    """Something that is told of events and may have a say: a function, or what a settings file describes.

    Args:
        event: when it runs.
        function: sync or async; takes the event's JSON data (``tool_name``, ``tool_input``, ``tool_use_id``,
            ``session_id``, ``cwd`` …) and returns ``None``, a decision word, or the JSON data of a hook's answer.
            ``None`` for a hook with a ``handler``.
        name: how records call it.
        matcher: tool names as ``Edit|Write``, a JavaScript regular expression, or ``""`` for all.
        if_: a permission rule such as ``Bash(git *)``; the hook runs only where it matches.
        on_failure: what its failure does; guards (PreToolUse) block by default.
        timeout_s: seconds it may take; ``None`` for the event's default. A guard that takes longer makes the call ask.
        handler: what a hook of a settings file does.
        kind: what it is made of.
        source: where it comes from: a settings file, or ``python``.
        failure_is_set: somebody chose ``on_failure``. Then it also holds for exit codes that the documented protocol
            passes over.
        runs_async: nobody waits for it, and it has no say.
        rewakes: with ``runs_async``: exit code 2 is told to the model when the hook has ended.
        once: it runs one time in a session.
        status_message: shown while it runs.
    """

    event: HookEvent
    function: HookFunction | None
    name: str
    matcher: str = ""
    if_: str | None = None
    on_failure: OnFailure = "block"
    timeout_s: float | None = None
    handler: Handler | None = None
    kind: HookKind = "python"
    source: str = "python"
    failure_is_set: bool = False
    runs_async: bool = False
    rewakes: bool = False
    once: bool = False
    status_message: str = ""

    @cached_property
    def limit_s(self) -> float:
        """How long it may take, in seconds."""
        return default_timeout_s(self.event) if self.timeout_s is None else self.timeout_s

    @cached_property
    def is_guard(self) -> bool:
        return self.event in GUARDS

    @cached_property
    def no_objection(self) -> HookEffects:
        """What this hook adds up to, alone and with nothing to say."""
        return HookEffects(runs=(HookRun(self.name, "no objection", self.source),))

    @cached_property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    async def __call__(self, payload: dict[str, Any]) -> Any:
        """The function's answer. A sync function runs in a thread, so that it cannot hold up everybody else."""
        assert self.function is not None
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
    timeout_s: float | None = None,
) -> Callable[[HookFunction | Hook], Hook]:
    """Make a hook of a function; one of several events has this several times before it.

    In a notebook with the extension loaded it works at once, and running the cell again replaces it; elsewhere hand it
    to ``Session(hooks=[…])``. See :class:`Hook` for the arguments.

    Raises:
        UsageError: an event that is not fired here, an unreadable matcher, a bad ``on_failure`` or time limit.
    """
    if event not in FIRED:
        known = f"{event} is not fired here" if event in EVENTS else f"no event {event!r}"
        raise UsageError(f"@hook: {known}; events: {', '.join(name for name in EVENTS if name in FIRED)}")
    if on_failure is not None and on_failure not in get_args(OnFailure):
        raise UsageError(f"@hook: on_failure is one of {', '.join(get_args(OnFailure))}, not {on_failure!r}")
    if timeout_s is not None and not timeout_s > 0:
        raise UsageError(f"@hook: timeout_s is a number of seconds above 0, not {timeout_s!r}")
    compile_matcher(matcher)

    def decorate(decorated: HookFunction | Hook) -> Hook:
        function = decorated.function if isinstance(decorated, Hook) else decorated  # of several events
        if function is None or not callable(function):
            raise UsageError(f"@hook: stands before a function, not before {type(decorated).__name__}")
        name = getattr(function, "__name__", "hook")
        failure = on_failure or default_failure(event)
        made = Hook(event, function, name, matcher, if_, failure, timeout_s, failure_is_set=on_failure is not None)
        announce(made, key=f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '<hook>')}")
        return made

    return decorate


def default_failure(event: HookEvent) -> OnFailure:
    """What does a failure do when nobody chose? A guard that broke blocks; others have no say."""
    return "block" if event in GUARDS else "pass"
