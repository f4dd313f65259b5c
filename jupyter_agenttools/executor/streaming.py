"""Running many calls while more are still being written: each begins as soon as it may, results leave in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any

import anyio

from ..core.blocks import TextBlock, ToolUse
from ..core.cancel import Cancellation
from ..core.events import ScheduleEvent
from ..core.faults import faults, words_of
from ..core.outcome import Outcome
from ..core.tool import find_tool_by_name
from .batches import is_concurrency_safe
from .bell import Bell
from .calls import Call, CallHost, describe_call, faulty_outcome, interrupted_outcome, is_failed_command
from .limits import max_concurrency
from .schedule import Schedule

NOT_APPLIED = "its change of the session was not applied: calls that may run together cannot change it"


class StreamingToolExecutor:
    """Runs the calls of one assistant message; :class:`Schedule` says which may begin and which result may leave.

    A call is added as soon as its own block is complete. Progress goes to the observers at once, results leave in the
    order of the calls, and every call gets exactly one, whatever happens. A command that may have changed something and
    fails stops the others of the message: those that run, those that wait and those that are still to come.

    Args:
        host: for whom calls are run.
        start_soon: starts a task that calls what it is given; that must have ended before the executor is let go of.
        cap: how many calls run at once.
        abort_siblings: whether a failed command stops the others.
        batch_modifiers: let the changes that calls of a batch make to the session count after the batch, in order.
            Without it only those of calls that run alone count: while calls are still being written nobody knows where
            their batch ends.
        own_tasks: whether ``start_soon`` really starts tasks. In the task of whoever asks a cancellation is theirs; in
            one of our own, one that nobody asked for is the tool's.
        clock: seconds since the epoch, for the events.
        bell: rings whenever a call is completed.
    """

    def __init__(
        self,
        host: CallHost,
        start_soon: Callable[..., object],
        *,
        cap: int | None = None,
        abort_siblings: bool = True,
        batch_modifiers: bool = False,
        own_tasks: bool = True,
        clock: Callable[[], float] = time.time,
        bell: Bell | None = None,
    ) -> None:
        self._host, self._start_soon, self._clock = host, start_soon, clock
        self._abort_siblings, self._batch_modifiers, self._own_tasks = abort_siblings, batch_modifiers, own_tasks
        self._schedule = Schedule(cap or max_concurrency())
        self._calls: list[Call] = []
        self._siblings = Cancellation(host.cancellation)
        self._failed = self._held_back = ""
        self._started: deque[int] = deque()  # calls that no task has taken yet
        self._coming = 0  # tasks that were started and have not begun
        self.bell = bell or Bell()

    # ---- what is asked for

    def add_tool(self, use: ToolUse, problem: str = "") -> None:
        """Take one more call; it begins at once when it may. Never waits.

        Args:
            use: the block, complete.
            problem: why its input cannot be read; the call is then answered with that and never run.
        """
        # An answer without a run does nothing, so nothing has to wait for it.
        index = self._schedule.add(bool(problem) or is_concurrency_safe(use, self._host.tools))
        self._calls.append(Call(use, Cancellation(self._siblings), problem))
        self._tell(index)
        self._start_more(in_worker=False)

    def completed(self) -> list[Outcome]:
        """The outcomes that can leave now, in the order of the calls, each once."""
        leaving = self._schedule.leave(whole_batches=self._batch_modifiers)
        for index in leaving:
            self._tell(index)
        return [outcome for index in leaving if (outcome := self._calls[index].outcome) is not None]

    async def remaining(self) -> AsyncGenerator[Outcome, None]:
        """All outcomes that have not left, in the order of the calls, as they come."""
        while True:
            for outcome in self.completed():
                yield outcome
            if self.done:
                return
            await self.bell.wait()

    @property
    def done(self) -> bool:
        """Whether every call so far is completed."""
        return self._schedule.done

    # ---- stopping

    def abort_call(self, tool_use_id: str, reason: str) -> bool:
        """Stop this call alone; the others go on. Whether there was such a call without a result. Thread-safe."""
        found = [call for call in tuple(self._calls) if call.use.id == tool_use_id and call.outcome is None]
        for call in found:
            call.cancellation.cancel(reason)
        return bool(found)

    def hold_back(self, reason: str) -> None:
        """Begin no further call, and let those that run come to their end."""
        self._held_back = self._held_back or reason
        self._start_more(in_worker=False)

    def make_way(self, reason: str) -> None:
        """Stop the running calls when a person's new message need wait for none of them (``interrupt_behavior``).
        Thread-safe."""
        running = [c for i, c in enumerate(tuple(self._calls)) if self._schedule.status(i) == "executing"]
        if all(map(self._gives_way, running)):
            for call in running:
                call.cancellation.cancel(reason)

    def _gives_way(self, call: Call) -> bool:
        tool = find_tool_by_name(self._host.tools, call.use.name)
        return tool is not None and tool.interrupt_behavior() == "cancel"

    def close(self) -> list[Outcome]:
        """Let go of the host: nothing runs any more. The outcomes that had not left; no call is without one."""
        self._started.clear()
        for index, call in enumerate(self._calls):
            if call.outcome is None:
                call.outcome = interrupted_outcome(call.use, "stopped: nobody waited for its end")
                self._schedule.complete(index)
                call.cancellation.close()
        self._siblings.close()
        return self.completed()

    # ---- running

    def _start_more(self, *, in_worker: bool) -> None:
        """Start every call that may begin now, in their order, and see to it that a task comes for each.

        Args:
            in_worker: a task asks that runs calls itself, and takes one of them.
        """
        while (index := self._schedule.first_queued()) is not None:
            if not self._may_run(self._calls[index]):
                self._refuse(index)
            elif self._schedule.may_start(index):
                self._schedule.start(index)
                self._tell(index)
                self._started.append(index)
            else:
                break
        while len(self._started) > self._coming + in_worker:
            self._coming += 1
            self._start_soon(self._work)

    def _may_run(self, call: Call) -> bool:
        return not (self._held_back or call.cancellation.cancelled)

    def _refuse(self, index: int) -> None:
        """This call never begins."""
        call = self._calls[index]
        call.outcome = self._not_run(call)
        self._complete(index)

    async def _work(self) -> None:
        """Run calls that were started, one after the other, until there is none. Tasks are few, calls may be many."""
        self._coming -= 1
        while self._started:
            index = self._started.popleft()
            call = self._calls[index]
            try:
                call.outcome = await self._outcome_of(call)
                await self._change_session(index)
            except BaseException:
                call.outcome = call.outcome or interrupted_outcome(call.use, "stopped: the query was left")
                raise
            finally:
                self._complete(index)
            self._start_more(in_worker=True)

    async def _outcome_of(self, call: Call) -> Outcome:
        if call.cancellation.cancelled:
            return self._not_run(call)
        try:
            return await self._host.run_one(call.use, call.cancellation, call.problem)
        except anyio.get_cancelled_exc_class():
            if not self._own_tasks or anyio.get_current_task().has_pending_cancellation():
                raise
            return interrupted_outcome(call.use, "the tool cancelled itself, although nobody stopped it")
        except faults() as fault:  # whatever it is, the call gets its result
            return faulty_outcome(call.use, fault)

    def _not_run(self, call: Call) -> Outcome:
        stopped = call.cancellation.reason or self._held_back
        call.note = f"not run because {self._failed} failed" if self._failed else f"not started: {stopped}"
        call.cancellation.close()
        return interrupted_outcome(call.use, call.note)

    def _complete(self, index: int) -> None:
        call = self._calls[index]
        self._schedule.complete(index)
        if self._abort_siblings and call.outcome is not None and is_failed_command(call.outcome):
            self._failed = self._failed or describe_call(call.use, self._host.tools)
            self._siblings.cancel(f"{self._failed} failed, which stops the calls beside it")
        self._tell(index)
        self.bell.ring()

    # ---- changes of the session

    async def _change_session(self, index: int) -> None:
        """Let the changes that this call makes to the session count: now, after its batch, or not at all."""
        if not self._schedule.is_safe(index):
            await self._apply(self._calls[index])
        elif self._batch_modifiers:
            # After the whole batch, so that no call of it sees another's change.
            for other in self._schedule.batch_ending_with(index):
                await self._apply(self._calls[other])
        elif _modifier(self._calls[index].outcome) is not None:
            self._calls[index].note = NOT_APPLIED

    async def _apply(self, call: Call) -> None:
        """Apply the call's change of the shared context; a change that fails is told in the call's own result."""
        modifier, outcome = _modifier(call.outcome), call.outcome
        if modifier is None or outcome is None:
            return
        try:
            await self._host.modify(modifier)
        except faults() as fault:
            said = f"{type(fault).__name__}: {words_of(fault)}"
            told = TextBlock(f"InternalError: the tool ran, but its change of the session failed: {said}")
            content = outcome.block.content
            rest = (TextBlock(content),) if isinstance(content, str) else content
            block = replace(outcome.block, content=(told, *rest), is_error=True)
            call.outcome = replace(outcome, status="error", block=block, error=fault)

    # ---- telling

    def _tell(self, index: int) -> None:
        """Tell everybody where this call is now."""
        if not self._host.observers.listen_to("on_schedule"):
            return
        others = self._schedule.waits_for(index)
        waits_for = tuple(self._calls[other].use.id for other in others)
        call, status = self._calls[index], self._schedule.status(index)
        reason = call.note if status == "completed" else ""
        if status == "queued" and waits_for:
            reason = self._why(index, others)
        self._host.observers.emit("on_schedule", ScheduleEvent(call.use.id, status, self._clock(), waits_for, reason))

    def _why(self, index: int, others: tuple[int, ...]) -> str:
        """Why a call that has not begun waits for the others."""
        if not self._schedule.is_safe(index):
            return "waits to run alone"
        full = all(map(self._schedule.is_safe, others))
        return "waits for a free slot" if full else "waits for one that runs alone"


def _modifier(outcome: Outcome | None) -> Any:
    return outcome.result.context_modifier if outcome is not None and outcome.result is not None else None
