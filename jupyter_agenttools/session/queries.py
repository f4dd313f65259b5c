"""The queries of a session: asking a model, one query at a time, and what can be said to one that runs."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..agents import QueryLoop, SteeringQueue, in_own_task
from ..core.blocks import Message, ToolUse
from ..core.cancel import Cancellation
from ..core.errors import UsageError
from ..core.stepping import Stepper
from ..core.updates import Compacted, TurnEnded, Update, UsageAdded
from ..core.usage import Usage
from ..executor import StreamingToolExecutor, max_concurrency, siblings_are_aborted
from ..models import Model, ModelRequest
from .call_running import CallTerms, SessionCalls, let_cell_be_cancelled
from .conversation import RequestTerms
from .structured import StructuredAnswer

if TYPE_CHECKING:
    from ..agents.compaction import CompactionResult
    from .session import Session

LEFT = "the query was left before its end"
PERSON_SPOKE = "the person has said something meanwhile"


@dataclass(frozen=True)
class QueryOptions:
    """What one query is asked with.

    Args:
        model: who answers. stepper: somebody who walks through its calls. max_turns: how often the model is asked.
        tools: names of the only tools that it is offered and can call, ``None`` for all.
        system: its system prompt begins with this in the place of the usual introduction.
        output_schema: a JSON schema that the text of its answer must fit, for models that can be held to one.
        structured: the answer as data of that schema.
    """

    model: Model
    stepper: Stepper | None
    max_turns: int
    tools: frozenset[str] | None
    system: str
    output_schema: Mapping[str, Any] | None
    structured: StructuredAnswer


class SessionQueries:
    """Runs the queries of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._running: Cancellation | None = None
        self._steering = SteeringQueue()
        self._executors: tuple[StreamingToolExecutor, ...] = ()
        self._asked_for: StreamingToolExecutor | None = None

    # ---- asking

    def options(
        self,
        model: Model | None,
        stepper: Stepper | None,
        max_turns: int,
        tools: Sequence[str] | None,
        system: str | None,
        output_schema: Mapping[str, Any] | None,
    ) -> QueryOptions:
        """What a query is asked with.

        Raises:
            UsageError: no model, a tool that does not exist, or a number of turns that is none.
        """
        chosen = model or self._session.model
        if chosen is None:
            raise UsageError("no model: give one to Session(model=…) or query(…, model=…), e.g. ScriptedModel([...])")
        if max_turns < 1:
            raise UsageError(f"max_turns={max_turns}: the model is asked at least once")
        names, structured = self._tool_names(tools), StructuredAnswer(output_schema)
        return QueryOptions(chosen, stepper, max_turns, names, system or "", output_schema, structured)

    def _tool_names(self, names: Sequence[str] | None) -> frozenset[str] | None:
        if names is None:
            return None
        if isinstance(names, str):
            raise UsageError(f"tools={names!r}: give a list of names, such as ['Read', 'Grep']")
        found = {name: self._session.find_tool(name) for name in names}
        if unknown := next((name for name, tool in found.items() if tool is None), None):
            known = ", ".join(tool.name for tool in self._session.tools)
            raise UsageError(f"tools: no tool is named {unknown!r}. There are: {known}")
        return frozenset(tool.name for tool in found.values() if tool is not None)

    async def query(self, prompt: str, options: QueryOptions) -> AsyncGenerator[Update, None]:
        """See :meth:`.session.Session.query`."""
        session, ended = self._session, None
        with session._activities.begin() as cancellation, self._one_query(cancellation):
            await options.structured.prepare(cancellation)
            await session.hook_events.start(cancellation)
            run = _Query(session, options, cancellation, session._undoing.turn(prompt), self)
            loop = QueryLoop(
                options.model, run, cancellation, options.max_turns, session.hook_events.turn(cancellation)
            )
            try:
                async with aclosing(in_own_task(loop.run(prompt, session._undoing.take_reminders()))) as updates:
                    async for each in updates:
                        update = await options.structured.seen(each, cancellation)
                        if isinstance(update, TurnEnded):
                            ended = update
                            break
                        session.observers.emit("on_update", update)
                        yield update
            finally:
                left = TurnEnded("interrupted", "", LEFT, loop.usage, loop.cost_usd, loop.turns)
                session.observers.emit("on_update", ended or left)
            await let_cell_be_cancelled(cancellation)
        if ended is not None:
            yield ended  # the next query may begin, also when nobody asks whether something comes after this

    @contextmanager
    def _one_query(self, cancellation: Cancellation) -> Iterator[None]:
        cancellation.bind_loop()
        with self._lock:
            # One that was left unfinished in a loop that is closed does not run, and cannot be stopped either.
            if self._running is not None and not self._running.loop_is_closed:
                raise UsageError(
                    "a query runs in this session already: wait for its end, stop it with interrupt(), or tell it "
                    "something with steer()"
                )
            self._running = cancellation
        self._steering.open()
        try:
            yield
        finally:
            if self._running is cancellation:
                self._end_query()

    def _end_query(self) -> None:
        for text in self._steering.close():
            self._session.hook_events.remind(f"[The person said while the last turn ended] {text}")
        with self._lock:
            self._running = None

    @property
    def steering(self) -> SteeringQueue:
        """What the person says while a query runs."""
        return self._steering

    # ---- what can be said to what runs

    def steer(self, text: str) -> bool:
        """See :meth:`.session.Session.steer`."""
        taken = self._steering.put(text)
        if taken and (executor := self._asked_for) is not None:
            executor.make_way(PERSON_SPOKE)
        return taken

    def abort_call(self, tool_use_id: str, reason: str) -> bool:
        """See :meth:`.session.Session.abort_call`."""
        return any([executor.abort_call(tool_use_id, reason) for executor in self._executors])

    @contextmanager
    def stoppable(self, executor: StreamingToolExecutor, *, asked_for: bool = False) -> Iterator[None]:
        """Let single calls of ``executor`` be stopped while the block runs.

        Args:
            asked_for: they are what the query's model asked for; what the person says may stop them, too.
        """
        with self._lock:
            self._executors = (*self._executors, executor)
        self._asked_for = executor if asked_for else self._asked_for
        try:
            yield
        finally:
            self._asked_for = None if asked_for else self._asked_for
            with self._lock:
                self._executors = tuple(each for each in self._executors if each is not executor)

    # ---- shortening

    async def compact(self, instructions: str) -> Compacted:
        """See :meth:`.session.Session.compact`."""
        session = self._session
        options = self.options(None, None, 1, None, None, None)
        with session._activities.begin() as cancellation, self._one_query(cancellation):
            conversation = session.conversation
            request = await conversation.request(options.model, RequestTerms())
            result = await conversation.compact(request, options.model, cancellation, "manual", instructions)
            if result.usage is not None:
                cost = conversation.count(result.usage, options.model)
                session.observers.emit("on_update", UsageAdded(result.usage, cost))
            if result.update is None:
                raise UsageError(result.problem)
            session.observers.emit("on_update", result.update)
            return result.update


class _Query:
    """Implements ``agents.QueryHost`` for one query of a session."""

    def __init__(
        self, session: Session, options: QueryOptions, cancellation: Cancellation, files: Any, queries: SessionQueries
    ) -> None:
        self._session, self._options, self._cancellation, self._queries = session, options, cancellation, queries
        extra = options.structured.tools
        self._calls = CallTerms(cancellation, options.stepper, options.model, files, options.tools, extra_tools=extra)
        self._requests = RequestTerms(options.tools, options.system, options.output_schema, extra)
        self._next: ModelRequest | None = None
        self._asked: ModelRequest | None = None

    async def request(self) -> ModelRequest:
        await self._session._settings.refresh()
        self._asked, self._next = self._next or await self._new_request(), None
        return self._asked

    async def _new_request(self) -> ModelRequest:
        return await self._session.conversation.request(self._options.model, self._requests)

    def own_call(self, use: ToolUse) -> ToolUse:
        return self._session.conversation.use_ids.own(use)

    def add_message(self, message: Message) -> Message:
        return self._session.conversation.add(message)

    @contextmanager
    def executor(
        self, start_soon: Callable[..., object], parent: Callable[[], Message]
    ) -> Iterator[StreamingToolExecutor]:
        env = self._session.settings.env
        executor = StreamingToolExecutor(
            SessionCalls(self._session, self._calls, parent, self._asked.tools if self._asked is not None else ()),
            start_soon,
            cap=max_concurrency(env),
            abort_siblings=siblings_are_aborted(env),
        )
        with self._queries.stoppable(executor, asked_for=True):
            yield executor

    async def make_room(self, *, overflowed: bool) -> CompactionResult | None:
        conversation, model = self._session.conversation, self._options.model
        await self._session._settings.refresh()
        self._next = request = await self._new_request()
        if not overflowed and not await conversation.is_too_big(request, model, self._cancellation):
            return None
        self._next = None
        return await conversation.compact(request, model, self._cancellation, "auto")

    def count(self, usage: Usage, *, of_answer: bool) -> float | None:
        return self._session.conversation.count(usage, self._options.model, self._asked if of_answer else None)

    def news(self) -> Sequence[str]:
        return [*self._session.jobs.take_reminders(), *self._session.hook_events.take_reminders()]

    def steering(self) -> Sequence[str]:
        return self._queries.steering.take()

    def may_end(self) -> bool:
        return self._queries.steering.close_if_empty()
