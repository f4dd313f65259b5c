"""One call on its way through the executor: who runs it, how it is called in words, and the results of those that are
not run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..core.blocks import ToolResultBlock, ToolUse
from ..core.cancel import Cancellation
from ..core.errors import InterruptedToolError
from ..core.events import Observers
from ..core.faults import faults, words_of
from ..core.outcome import Outcome
from ..core.result import ContextModifier
from ..core.tool import Tool, find_tool_by_name

SHOWN_CHARS = 40
"""Of what a call does, in a sentence about it."""


class CallHost(Protocol):
    """For whom calls are run."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Where names are looked up."""
        ...

    @property
    def observers(self) -> Observers:
        """Who is told."""
        ...

    @property
    def cancellation(self) -> Cancellation:
        """Stops all calls."""
        ...

    async def run_one(self, use: ToolUse, cancellation: Cancellation, problem: str) -> Outcome:
        """Walk one call through the pipeline. ``problem``: why its input cannot be read; it is then answered with
        that."""
        ...

    async def modify(self, modifier: ContextModifier) -> None:
        """Apply a call's change to the shared context."""
        ...


@dataclass
class Call:
    """One call.

    Args:
        use: the block. cancellation: stops it alone. problem: why it cannot be run, ``""`` when it can.
        outcome: what became of it, ``None`` until that is known.
        note: what records say of its end.
    """

    use: ToolUse
    cancellation: Cancellation
    problem: str = ""
    outcome: Outcome | None = None
    note: str = ""


def describe_call(use: ToolUse, tools: tuple[Tool, ...]) -> str:
    """The call in a few words, such as ``Bash(pip install x)``."""
    tool = find_tool_by_name(tools, use.name)
    try:
        done = " ".join(tool.get_tool_use_summary(use.input).split()) if tool is not None else ""
    except faults():  # a summary of an input that fits nothing
        done = ""
    shown = done if len(done) <= SHOWN_CHARS else done[:SHOWN_CHARS] + "…"
    return f"{use.name}({shown})" if shown else use.name


def is_failed_command(outcome: Outcome) -> bool:
    """Whether this was a command that may have changed something, ran, and failed.

    Calls that were meant to come after such a one may do harm now. A failed search or read says nothing about others.
    """
    tool, decision = outcome.tool, outcome.decision
    if outcome.status != "error" or tool is None or tool.rule_family != "command" or outcome.input is None:
        return False
    ran = decision is not None and decision.behavior == "allow"
    return ran and not tool.is_read_only(outcome.input)


def interrupted_outcome(use: ToolUse, why: str) -> Outcome:
    """The outcome of a call that was not run to its end by anybody."""
    error = InterruptedToolError(why)
    block = ToolResultBlock(use.id, f"{error.kind}: {error.message}", is_error=True)
    return Outcome(use, "interrupted", block, error=error)


def faulty_outcome(use: ToolUse, fault: BaseException) -> Outcome:
    """The outcome of a call that could not even be begun, by a fault of ours."""
    said = f"InternalError: {type(fault).__name__} in this tool system; the call has no result. {words_of(fault)}"
    return Outcome(use, "error", ToolResultBlock(use.id, said, is_error=True), error=fault)
