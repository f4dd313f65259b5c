"""The hooks of a session: which of them a call meets, running them, and folding what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import anyio

from ..core.call import NO_EFFECTS, CallState, HookEffects
from ..core.cancel import Cancellation, limited
from ..core.immutable import thaw
from .definition import Hook, HookEvent
from .matching import matcher_matches
from .output import SILENT, HookOutput, read_output

RuleMatches = Callable[[str, CallState], bool]

FOLD = ("deny", "defer", "ask", "allow")
"""Which decision wins when hooks disagree: the most careful one."""


class _Answer(NamedTuple):
    hook: Hook
    output: HookOutput
    said: str


class HookSet:
    """An immutable set of hooks.

    Args:
        hooks: in the order in which they were added.
        rule_matches: tests a permission rule against a call, for ``if_``; a rule that cannot be tested counts as
            matching, so that a guard never stays silent because of it.
    """

    def __init__(self, hooks: Sequence[Hook] = (), rule_matches: RuleMatches | None = None) -> None:
        self.hooks = tuple(hooks)
        self._rule_matches = rule_matches
        self._candidates: dict[tuple[HookEvent, str], tuple[Hook, ...]] = {}

    def with_hook(self, hook: Hook) -> HookSet:
        return HookSet((*self.hooks, hook), self._rule_matches)

    def without_hook(self, hook: Hook) -> HookSet:
        return HookSet(tuple(h for h in self.hooks if h is not hook), self._rule_matches)

    def matching(self, event: HookEvent, state: CallState) -> tuple[Hook, ...]:
        """The hooks that this call meets at this event."""
        tool = state.tool
        assert tool is not None
        candidates = self._candidates.get((event, tool.name))
        if candidates is None:
            names = (tool.name, *tool.aliases)
            candidates = tuple(h for h in self.hooks if h.event == event and matcher_matches(h.matcher, *names))
            self._candidates[event, tool.name] = candidates
        if all(hook.if_ is None for hook in candidates):
            return candidates
        return tuple(hook for hook in candidates if self._passes_filter(hook, state))

    def _passes_filter(self, hook: Hook, state: CallState) -> bool:
        if hook.if_ is None or self._rule_matches is None:
            return True
        try:
            return self._rule_matches(hook.if_, state)
        except Exception:  # a filter that cannot be read must not silence a guard
            return True

    async def run(
        self, event: HookEvent, hooks: Sequence[Hook], payload: Mapping[str, Any], cancellation: Cancellation
    ) -> HookEffects:
        """Run these hooks side by side and fold what they say. A hook's failure is part of the answer, never raised.

        A single hook's time limit is set on the scope of the call, which is there already: a hook is met by every call,
        and a scope of its own is the dearest thing in it. :func:`cut_off` says what the end of that limit means.
        """
        data = {"hook_event_name": event, **payload}
        if len(hooks) == 1:
            hook = hooks[0]
            answer = await limited(cancellation, hook.timeout_s, _ask(hook, data))
            return hook.no_objection if answer.output is SILENT else fold([answer])
        answers: list[_Answer | None] = [None] * len(hooks)

        async def ask_into(index: int, hook: Hook) -> None:
            with anyio.move_on_after(hook.timeout_s):
                answers[index] = await _ask(hook, data)

        async with anyio.create_task_group() as group:
            for index, hook in enumerate(hooks):
                group.start_soon(ask_into, index, hook)
        return fold([answer or _late(hook) for hook, answer in zip(hooks, answers, strict=True)])


def cut_off(hooks: Sequence[Hook]) -> HookEffects:
    """What do hooks add up to that were cut off by their time limit? A guard that gave no answer makes the call ask."""
    return fold([_late(hook) for hook in hooks])


def _late(hook: Hook) -> _Answer:
    why = f"took longer than {hook.timeout_s:g} s"
    behavior = "ask" if hook.event == "PreToolUse" and hook.on_failure != "pass" else None
    return _Answer(hook, HookOutput(behavior, why), f"{hook.name}: {why}")


async def _ask(hook: Hook, data: Mapping[str, Any]) -> _Answer:
    """One hook's answer, on its own copy of the data."""
    try:
        answer = await hook(thaw(data))
        if answer is None:
            return _Answer(hook, SILENT, hook.no_objection.ran[0])
        output = read_output(hook.event, answer)
    except Exception as fault:
        why = f"{type(fault).__name__}: {fault}"
        return _Answer(hook, HookOutput(_on_failure(hook), why), f"{hook.name}: failed ({why})")
    return _Answer(hook, output, f"{hook.name}: {_words(output)}")


def _on_failure(hook: Hook) -> Any:
    if hook.event == "PostToolUse":
        return None
    return {"block": "deny", "ask": "ask", "pass": None}[hook.on_failure]


def _words(output: HookOutput) -> str:
    parts = [output.behavior or ("stop" if output.stop else "no objection")]
    if output.updated_input is not None:
        parts.append("changed the input")
    if output.updated_output is not None:
        parts.append("changed the output")
    return ", ".join((*parts, *(text for text in (output.reason, output.warning) if text)))


def fold(answers: Sequence[_Answer]) -> HookEffects:
    """What do these answers add up to? deny > defer > ask > allow; the first hook with the winning word is named."""
    if not answers:
        return NO_EFFECTS
    winner = next((a for word in FOLD for a in answers if a.output.behavior == word), None)
    stopper = next((a for a in answers if a.output.stop is not None), None)
    named = winner or stopper
    return HookEffects(
        behavior=winner.output.behavior if winner else None,
        reason=winner.output.reason if winner else "",
        hook=named.hook.name if named else "",
        updated_input=_last(a.output.updated_input for a in answers),
        updated_output=_last(a.output.updated_output for a in answers),
        additional_context=tuple(a.output.additional_context for a in answers if a.output.additional_context),
        stop=stopper.output.stop if stopper else None,
        ran=tuple(a.said for a in answers),
    )


def _last(values: Any) -> Any:
    given = [value for value in values if value is not None]
    return given[-1] if given else None
