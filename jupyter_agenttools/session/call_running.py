"""Running calls for a session: what the executor needs of it, and the calls that no model asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import anyio.lowlevel

from ..core.blocks import Message, ToolUse
from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.events import Observers
from ..core.outcome import Outcome
from ..core.result import ContextModifier
from ..core.stepping import Stepper
from ..core.tool import Tool
from ..executor import Crew, StreamingToolExecutor, max_concurrency
from ..files.history import FileTurn
from ..models import Model
from ..pipeline import run_call
from .offer import not_offered

if TYPE_CHECKING:
    from .session import Session

CANCEL_TURNS = 6
"""ipykernel 6 takes three turns of its loop from the signal to the cancelled cell, ipykernel 7 fewer."""


@dataclass(frozen=True)
class CallTerms:
    """What holds for all calls of one query or run.

    Args:
        cancellation: stops them.
        stepper: somebody who walks through each.
        model: who is asked in this turn, ``None`` for nobody.
        files: keeps what files held before.
        tools: names of the only tools that can be called; ``None`` for all.
        extra_tools: what can be called beside the session's own tools.
        agent_id, agent_type: the sub-agent that calls, ``None`` in the main one.
    """

    cancellation: Cancellation
    stepper: Stepper | None = None
    model: Model | None = None
    files: FileTurn | None = None
    tools: frozenset[str] | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    extra_tools: tuple[Tool, ...] = ()


class SessionCalls:
    """Implements ``executor.CallHost`` for the calls of one message, or of one run.

    Args:
        session: whose rights, hooks and tools hold. terms: see :class:`CallTerms`.
        parent: the message that asks, as far as it is there; ``None`` where none does.
        offered: the only tools that a model which asks was told of; ``None`` where no model asks.
    """

    def __init__(
        self,
        session: Session,
        terms: CallTerms,
        parent: Callable[[], Message] | None = None,
        offered: Sequence[Tool] | None = None,
    ) -> None:
        self._session, self._terms, self._parent = session, terms, parent
        environment = session.call_environment(terms.stepper)
        if (names := terms.tools) is not None:
            environment = replace(environment, tools=tuple(t for t in environment.tools if t.name in names))
        if terms.extra_tools:
            environment = replace(environment, tools=(*environment.tools, *terms.extra_tools))
        if offered is not None:
            environment = replace(environment, withheld=partial(not_offered, session, tuple(offered)))
        self._environment = environment

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._environment.tools

    @property
    def observers(self) -> Observers:
        return self._environment.observers

    @property
    def cancellation(self) -> Cancellation:
        return self._terms.cancellation

    async def run_one(self, use: ToolUse, cancellation: Cancellation, problem: str) -> Outcome:
        await self._session._settings.refresh()
        parent = self._parent() if self._parent is not None else None
        context = self._session.call_context(use.id, cancellation, parent, self._terms)
        outcome = await run_call(CallState(use, context, problem=problem), self._environment)
        self._session.outcomes.append(outcome)
        return outcome

    async def modify(self, modifier: ContextModifier) -> None:
        session = self._session
        before = session.cwd
        session.modify_state(modifier)
        if session.cwd != before:
            await session.hook_events.cwd_changed(before, self._terms.cancellation)


async def run_calls(session: Session, uses: Sequence[ToolUse], terms: CallTerms) -> list[Outcome]:
    """Run calls that are all there: safe ones together, the others alone; one outcome for each, in their order."""
    await session._settings.refresh()
    host = SessionCalls(session, terms)
    outcomes = await (_run_alone(host, uses[0], session) if len(uses) == 1 else _run_many(host, uses, session))
    await let_cell_be_cancelled(terms.cancellation)
    return outcomes


async def _run_many(host: SessionCalls, uses: Sequence[ToolUse], session: Session) -> list[Outcome]:
    cap = max_concurrency(session.settings.env)
    async with Crew() as crew:
        executor = StreamingToolExecutor(host, crew.start_soon, cap=cap, abort_siblings=False, batch_modifiers=True)
        with closing(executor), session.queries.stoppable(executor):
            for use in uses:
                executor.add_tool(use)
            return [outcome async for outcome in executor.remaining()]


async def _run_alone(host: SessionCalls, use: ToolUse, session: Session) -> list[Outcome]:
    """Run one call in the task of whoever asks; nothing can overlap it."""
    begun: list[Callable[[], Awaitable[None]]] = []
    executor = StreamingToolExecutor(host, begun.append, abort_siblings=False, batch_modifiers=True, own_tasks=False)
    with closing(executor), session.queries.stoppable(executor):
        executor.add_tool(use)
        for work in begun:
            await work()
        return executor.completed()


async def let_cell_be_cancelled(cancellation: Cancellation) -> None:
    """After a stop: in a cell that awaits this an Interrupt also cancels the cell, some turns of the event loop later.
    Without them the cell would go on with its next line as if nobody had stopped anything."""
    if cancellation.cancelled:
        for _ in range(CANCEL_TURNS):
            await anyio.lowlevel.checkpoint()
