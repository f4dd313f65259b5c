"""Running one hook, whatever it is made of, and folding what several say."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import anyio

from ..core.call import NO_EFFECTS, HookEffects
from ..core.faults import faults
from ..core.immutable import thaw
from .answer import Answer, failed, fitted, late, unreadable
from .command import heard_late, run_command
from .definition import Hook
from .handlers import UnavailableHandler
from .output import HookOutput, HookOutputError, read_output
from .services import HookServices

FOLD = ("deny", "defer", "ask", "allow")
"""Which decision wins when hooks disagree: the most careful one."""


async def ask(hook: Hook, data: Mapping[str, Any], services: HookServices | None) -> Answer:
    """This hook's answer. Whatever it does, nothing is raised but the event loop's own cancellation.

    A function has no time limit here: whoever waits for it sets one.
    """
    if hook.kind == "python":
        return await _ask_function(hook, data)
    if isinstance(hook.handler, UnavailableHandler):
        return unavailable(hook)
    if services is None:
        return failed(hook, "nothing is there that could run it")
    if hook.status_message:
        services.show_status(hook, str(data.get("tool_use_id") or ""))
    if hook.runs_async:
        services.in_background(lambda: _ask_later(hook, data, services))
        return Answer(hook)
    return fitted(await _run(hook, data, services), services.keep_text)


async def _run(hook: Hook, data: Mapping[str, Any], services: HookServices) -> Answer:
    try:
        if hook.kind == "command":
            return await run_command(hook, data, services)
        if hook.kind == "http":
            from .http import run_http

            return await run_http(hook, data, services.environment())
        from .prompt import run_prompt

        return await run_prompt(hook, data, services)
    except faults() as fault:  # a fault of ours counts as the hook's: a guard must not be passed because of it
        return failed(hook, f"{type(fault).__name__}: {fault}")


async def _ask_later(hook: Hook, data: Mapping[str, Any], services: HookServices) -> None:
    """Run it with nobody waiting. It has no say; its words are told when it has ended."""
    answer = Answer(hook, heard_late(await _run(hook, data, services)))
    services.tell_later(hook, fitted(answer, services.keep_text).output)


async def _ask_function(hook: Hook, data: Mapping[str, Any]) -> Answer:
    """A function's answer, on its own copy of the data."""
    try:
        answer = await hook(thaw(data))
        if answer is None:
            return Answer(hook)
        output = read_output(hook.event, answer)
    except HookOutputError as problem:
        return unreadable(hook, f"{type(problem).__name__}: {problem}")
    except faults() as fault:
        return failed(hook, f"{type(fault).__name__}: {fault}")
    return Answer(hook, output)


def unavailable(hook: Hook) -> Answer:
    """What a hook counts as that cannot run here. If it is a guard nobody knows what it would have said."""
    assert isinstance(hook.handler, UnavailableHandler)
    why = hook.handler.why
    return Answer(hook, HookOutput("ask", why) if hook.is_guard else HookOutput(warning=why))


async def timed(hook: Hook, data: Mapping[str, Any], services: HookServices | None) -> Answer:
    """The hook's answer within its time. What is no function sees to its own time limit: a process has to be ended."""
    if hook.kind != "python":
        return await ask(hook, data, services)
    answer, started = None, time.perf_counter()
    with anyio.move_on_after(hook.limit_s):
        answer = await ask(hook, data, services)
    return (answer or late(hook))._replace(duration_ms=(time.perf_counter() - started) * 1000)


async def ask_all(hooks: Sequence[Hook], data: Mapping[str, Any], services: HookServices | None) -> list[Answer]:
    """The answers of these hooks, which run side by side, in their order."""
    if len(hooks) == 1:
        return [await timed(hooks[0], data, services)]
    answers: list[Answer | None] = [None] * len(hooks)

    async def ask_into(index: int, hook: Hook) -> None:
        answers[index] = await timed(hook, data, services)

    async with anyio.create_task_group() as group:
        for index, hook in enumerate(hooks):
            group.start_soon(ask_into, index, hook)
    return [answer or late(hook) for hook, answer in zip(hooks, answers, strict=True)]


def fold(answers: Sequence[Answer]) -> HookEffects:
    """What do these answers add up to? deny > defer > ask > allow; the first hook with the winning word is named."""
    if not answers:
        return NO_EFFECTS
    winner = next((a for word in FOLD for a in answers if a.output.behavior == word), None)
    stopper = next((a for a in answers if a.output.stop is not None), None)
    named = winner or stopper
    outputs = [answer.output for answer in answers]
    return HookEffects(
        behavior=winner.output.behavior if winner else None,
        reason=winner.output.reason if winner else "",
        hook=named.hook.name if named else "",
        updated_input=_last(output.updated_input for output in outputs),
        updated_output=_last(output.updated_output for output in outputs),
        additional_context=tuple(output.additional_context for output in outputs if output.additional_context),
        stop=stopper.output.stop if stopper else None,
        ran=tuple(answer.said for answer in answers if not answer.is_silent),
        runs=tuple(answer.run for answer in answers),
        messages=tuple(output.message for output in outputs if output.message),
        permission_updates=tuple(update for output in outputs for update in output.permission_updates),
        interrupt=any(output.interrupt for output in outputs),
        retry=any(output.retry for output in outputs),
        extra=_merged(outputs),
    )


def _merged(outputs: Sequence[HookOutput]) -> Mapping[str, Any]:
    """What only some events know, of all hooks: lists are joined, of single values the last one counts."""
    merged: dict[str, Any] = {}
    for output in outputs:
        for name, value in output.extra.items():
            merged[name] = [*merged.get(name, []), *value] if isinstance(value, list) else value
    return MappingProxyType(merged)


def _last(values: Any) -> Any:
    given = [value for value in values if value is not None]
    return given[-1] if given else None
