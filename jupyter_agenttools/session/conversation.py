"""The conversation of a session: what is in it, what the model is sent of it, and what that used up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread

from ..agents import build_effective_system_prompt
from ..agents.admission import admit
from ..agents.compaction import CompactionResult, Compactor, KeptFacts
from ..agents.conversation import HistoryChecker
from ..agents.tokens import TokenMeter, context_window
from ..agents.use_ids import UseIds
from ..core.blocks import Message
from ..core.cancel import Cancellation
from ..core.plan_mode import plan_file_of
from ..core.tool import Tool
from ..core.usage import NO_USAGE, Usage
from ..models import Model, ModelRequest, cost_of_answer
from ..results import ResultStore
from ..results.budget import ContentReplacementState, ResultBudget, result_budget
from .compaction_events import CompactionEvents

if TYPE_CHECKING:
    from .session import Session
    from .transcript_reading import LoadedTranscript


@dataclass(frozen=True)
class RequestTerms:
    """What a query wants its requests to hold.

    Args:
        tools: names of the only tools that are offered, ``None`` for all.
        system: stands in the place of the introduction, ``""`` for the usual one.
        output_schema: a JSON schema that the answer's text must fit.
        extra_tools: offered behind the session's own tools, whatever ``tools`` says.
    """

    tools: frozenset[str] | None = None
    system: str = ""
    output_schema: Mapping[str, Any] | None = None
    extra_tools: tuple[Tool, ...] = ()


class SessionConversation:
    """The messages of one session.

    Attributes:
        use_ids: gives each call an id of its own.
        usage, cost_usd: what all answers used up; the cost is ``None`` where that of none is known.
    """

    def __init__(self, session: Session, store: ResultStore) -> None:
        self._session = session
        self._messages: list[Message] = []
        self._checker, self._meter, self._budget = HistoryChecker(), TokenMeter(), ResultBudget(store)
        self._events = CompactionEvents(session.hook_events)
        self._compactor = Compactor(self._events, self._facts)
        self._model: Model | None = None
        self.use_ids = UseIds()
        self.usage = NO_USAGE
        self.cost_usd: float | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    @property
    def replacements(self) -> ContentReplacementState:
        """Which results stand in requests as another text."""
        return self._budget.state

    def add(self, message: Message) -> Message:
        """Put a message at the end, and return it as it stands there: what no provider would take is a text that says
        so."""
        admitted = admit(message).message
        self._messages.append(admitted)
        self._session.observers.emit("on_message", admitted)
        return admitted

    def restore(self, loaded: LoadedTranscript) -> None:
        """Go on from what a transcript holds. Nobody is told: it was told when it happened."""
        self._messages = [admit(message).message for message in loaded.messages]
        self.usage, self.cost_usd = loaded.usage, loaded.cost_usd
        self._budget.state = ContentReplacementState(loaded.replaced)
        self.use_ids.note(self._messages, (*loaded.replaced, *loaded.used_ids))

    # ---- what the model is sent

    async def request(self, model: Model, terms: RequestTerms) -> ModelRequest:
        """The next question: the conversation in a form that every provider takes, with old big results as paths."""
        if model is not self._model:
            await self._get_to_know(model)
        session, replaced = self._session, self._budget.state
        messages = await self._budget.apply(self._checker.sound(self._messages)[0])
        if self._budget.state is not replaced:
            session.transcript.keep_replacements(self._budget.state.replaced)
        tools = tuple(t for t in session.tools if terms.tools is None or t.name in terms.tools)
        tools = (*tools, *terms.extra_tools)
        options = session.options
        plan = plan_file_of(session.dir, options) if session.state.permission.mode == "plan" else None
        system = build_effective_system_prompt(tools, options, session.cwd, terms.system, plan_file=plan)
        return ModelRequest(system, messages, tools, output_schema=terms.output_schema)

    async def _get_to_know(self, model: Model) -> None:
        """Another model answers from now on."""
        await anyio.to_thread.run_sync(cost_of_answer, model, NO_USAGE)  # the list of prices takes a while to load
        self._model = model
        self._meter.reset()
        self._budget.budget_tokens = result_budget(context_window(model))

    async def is_too_big(self, request: ModelRequest, model: Model, cancellation: Cancellation) -> bool:
        """Whether the conversation should be shortened before this is sent."""
        tokens = await self._meter.measure(request, model, cancellation)
        return self._compactor.is_due(tokens, model, self._messages, request.max_tokens)

    async def compact(
        self,
        request: ModelRequest,
        model: Model,
        cancellation: Cancellation,
        trigger: Literal["auto", "manual"],
        instructions: str = "",
    ) -> CompactionResult:
        """Put a summary in the place of the older messages; a result without an update changed nothing."""
        self._events.cancellation, failures = cancellation, self._compactor.failures
        result = await self._compactor.compact(
            request, model, cancellation, trigger=trigger, instructions=instructions, conversation=self.messages
        )
        if result.update is not None:
            self._messages = list(result.messages)
            self._session.read_file_state.forget_unshown(self._messages)
            self._session.transcript.keep_history(self._messages)
        elif trigger == "auto" and self._compactor.failures > failures:
            self._session.hook_events.services.note("PreCompact", result.problem)
        return result

    def _facts(self) -> KeptFacts:
        """What must not be lost with the older messages."""
        session = self._session
        plan = plan_file_of(session.dir, session.options)
        plan = plan if session.state.permission.mode == "plan" or os.path.isfile(plan) else ""
        return KeptFacts(todos=session.todos, files=session.read_file_state.paths()[::-1], plan=plan)

    # ---- what it used up

    def count(self, usage: Usage, model: Model, request: ModelRequest | None = None) -> float | None:
        """Add what an answer used up, and say what it costs in US dollars if that is known.

        Args:
            request: what it answered, if that was the conversation.
        """
        if request is not None:
            self._meter.note(request, usage)
        cost = cost_of_answer(model, usage)
        self.usage += usage
        if cost is not None:
            self.cost_usd = (self.cost_usd or 0.0) + cost
        return cost
