"""One call's state as it walks through the stages: a frozen value that each stage takes and returns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .blocks import ToolResultBlock, ToolUse
from .decision import Decision
from .result import ToolResult

if TYPE_CHECKING:
    from .context import ToolUseContext
    from .tool import Tool

CallStatus = Literal["ok", "error", "denied", "interrupted"]


class HookRun(NamedTuple):
    """One hook that ran.

    Attributes:
        name: how records call it.
        decision: what it decided, in a word or a few.
        source: the settings file, or the place, it comes from.
        duration_ms: wall time, 0 where the stage's own says it.
        exit_code: of a command, ``None`` for others and where a signal ended it.
        note: what went wrong or was left out.
    """

    name: str
    decision: str
    source: str = ""
    duration_ms: float = 0.0
    exit_code: int | None = None
    note: str = ""


class HookEffects(NamedTuple):
    """What the hooks of one event added up to.

    Attributes:
        behavior: the folded decision (deny > defer > ask > allow), ``None`` when no hook had one. For an event that can
            only be blocked ``deny`` says that it was.
        reason: the reason of the hook that decided.
        hook: the name of that hook.
        updated_input: a whole input to use instead, or ``None``.
        updated_output: a whole tool output to use instead, or ``None``.
        additional_context: texts for the model, in order.
        stop: a hook asked to end the turn; its reason.
        ran: one line for each hook that had something to say, or failed.
        runs: every hook that ran, also the silent ones.
        messages: what the person is told.
        permission_updates: changes of the rights that a ``PermissionRequest`` hook wants, as on the wire.
        interrupt: a denial that ends the turn as well.
        retry: the model may try a denied call again.
        extra: what only some events know, by its name on the wire (``watchPaths``, ``sessionTitle`` …).
    """

    behavior: Literal["allow", "ask", "defer", "deny"] | None = None
    reason: str = ""
    hook: str = ""
    updated_input: Mapping[str, Any] | None = None
    updated_output: Any = None
    additional_context: tuple[str, ...] = ()
    stop: str | None = None
    ran: tuple[str, ...] = ()
    runs: tuple[HookRun, ...] = ()
    messages: tuple[str, ...] = ()
    permission_updates: tuple[Mapping[str, Any], ...] = ()
    interrupt: bool = False
    retry: bool = False
    extra: Mapping[str, Any] = MappingProxyType({})


NO_EFFECTS = HookEffects()


class CallState(NamedTuple):
    """Everything known about one call so far.

    Attributes:
        tool_use: the block that asked; its input is never changed, only replaced as a whole by an edit.
        tool: the tool it names.
        context: what the call can see.
        input: the parsed input: a pydantic model, or a frozen mapping for tools with a raw JSON Schema.
        observed: the back-filled copy that hooks and permission code see.
        speculation: a classifier's verdict that is still being worked out.
        pre_hooks, post_hooks: what hooks added up to.
        decision: the gate's answer.
        result: what the tool handed back.
        block: the ``tool_result``.
        error: why there is no proper result.
        approved: the person's approval that an edited input carries through its second judgement.
        call_ms: how long the tool itself took, ``None`` before that.
        problem: why the input that the model wrote cannot be read, ``""`` when it can.
    """

    tool_use: ToolUse
    context: ToolUseContext
    tool: Tool | None = None
    input: Any = None
    observed: Mapping[str, Any] | None = None
    speculation: Any = None
    pre_hooks: HookEffects = NO_EFFECTS
    decision: Decision | None = None
    result: ToolResult[Any] | None = None
    post_hooks: HookEffects = NO_EFFECTS
    block: ToolResultBlock | None = None
    error: BaseException | None = None
    approved: Decision | None = None
    call_ms: float | None = None
    problem: str = ""

    def but(self, **changes: Any) -> CallState:
        """This state with some fields replaced (``_replace``, at a third of its cost: every stage does this)."""
        values = list(self)
        for name, value in changes.items():
            values[_POSITIONS[name]] = value
        return tuple.__new__(CallState, values)


_POSITIONS = {name: position for position, name in enumerate(CallState._fields)}
