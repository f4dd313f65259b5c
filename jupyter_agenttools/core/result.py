"""What a tool hands back, before it is mapped to a wire block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .blocks import Message

if TYPE_CHECKING:
    from .context import ContextState

Output = TypeVar("Output")
ContextModifier = Callable[["ContextState"], "ContextState"]


@dataclass(frozen=True)
class ToolResult(Generic[Output]):
    """The outcome of ``Tool.call``.

    Args:
        data: the structured output.
        new_messages: messages to append to the conversation after the result.
        context_modifier: how a serial tool changes the shared context (cwd, mode …). The executor applies it before
            the next call; a concurrent call's modifier waits for the end of its batch, and is not applied where the
            model was still writing when the call ran: nobody knew then where its batch ends.
        mcp_meta: an MCP server's metadata, passed through.
        structured_output: validated JSON that travels beside the text.
        is_error: the tool ran to its end and what it reports is a failure (a command's exit status, say).
        interrupted: somebody stopped it and ``data`` is what there was until then.
    """

    data: Output
    new_messages: tuple[Message, ...] = ()
    context_modifier: ContextModifier | None = None
    mcp_meta: Mapping[str, Any] | None = None
    structured_output: Any = None
    is_error: bool = False
    interrupted: bool = False


@dataclass(frozen=True)
class ValidationResult:
    """Whether an input that fits its schema can work. Never about rights.

    Args:
        result: ``True`` when it can.
        message: when not: what is wrong, where, and what to do.
        check_id: the stable id of the check that refused.
    """

    result: bool
    message: str = ""
    check_id: str = ""


VALID = ValidationResult(True)
