"""The hooks of a session: which of them an event meets, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..core.call import NO_EFFECTS, CallState, HookEffects
from ..core.cancel import Cancellation, limited
from ..core.faults import faults
from .answer import Answer, late
from .definition import Hook
from .events import HookEvent, subject_of
from .matching import matcher_matches
from .running import ask, ask_all, fold
from .services import HookServices

RuleMatches = Callable[[str, CallState], bool]


class HookSet:
    """An immutable set of hooks.

    Args:
        hooks: in the order in which they were added.
        rule_matches: tests a permission rule against a call, for ``if_``; a rule that cannot be tested counts as
            matching, so that a guard never stays silent because of it.
        services: runs what is no function.
    """

    def __init__(
        self,
        hooks: Sequence[Hook] = (),
        rule_matches: RuleMatches | None = None,
        services: HookServices | None = None,
        spent: set[int] | None = None,
    ) -> None:
        self.hooks = tuple(hooks)
        self._rule_matches = rule_matches
        self._services = services
        self._events = frozenset(hook.event for hook in self.hooks)
        self._candidates: dict[tuple[HookEvent, str | None], tuple[Hook, ...]] = {}
        self._spent: set[int] = set() if spent is None else spent
        """Hooks that run once and have run, by their identity; shared by all sets of a session."""

    def replaced(self, hooks: Iterable[Hook]) -> HookSet:
        """The same with other hooks."""
        return HookSet(tuple(hooks), self._rule_matches, self._services, self._spent)

    def has(self, event: HookEvent) -> bool:
        """Whether any hook is there for this event."""
        return event in self._events

    def matching(self, event: HookEvent, state: CallState) -> tuple[Hook, ...]:
        """The hooks that this call meets at this event."""
        if event not in self._events:
            return ()
        tool = state.tool
        assert tool is not None
        candidates = self._candidates.get((event, tool.name))
        if candidates is None:
            candidates = self._meeting(event, (tool.name, *tool.aliases))
            self._candidates[event, tool.name] = candidates
        if not candidates or (len(candidates) == 1 and candidates[0].if_ is None and not candidates[0].once):
            return candidates
        return _once_each(h for h in candidates if self._passes_filter(h, state) and self._is_due(h))

    def matching_event(self, event: HookEvent, payload: Mapping[str, Any]) -> tuple[Hook, ...]:
        """The hooks that an event meets which is not about one call."""
        if event not in self._events:
            return ()
        subject = subject_of(event, payload)
        return _once_each(hook for hook in self._meeting(event, subject) if self._is_due(hook))

    def _meeting(self, event: HookEvent, subject: str | tuple[str, ...] | None) -> tuple[Hook, ...]:
        of_event = (hook for hook in self.hooks if hook.event == event)
        if subject is None:
            return tuple(of_event)
        names = (subject,) if isinstance(subject, str) else subject
        return tuple(hook for hook in of_event if matcher_matches(hook.matcher, *names))

    def _is_due(self, hook: Hook) -> bool:
        return not hook.once or id(hook) not in self._spent

    def _passes_filter(self, hook: Hook, state: CallState) -> bool:
        if hook.if_ is None or self._rule_matches is None:
            return True
        try:
            return self._rule_matches(hook.if_, state)
        except faults():  # a filter that cannot be read must not silence a guard
            return True

    async def run(
        self, event: HookEvent, hooks: Sequence[Hook], payload: Mapping[str, Any], cancellation: Cancellation
    ) -> HookEffects:
        """Run these hooks side by side and fold what they say. A hook's failure is part of the answer, never raised.

        A single function's time limit is set on the scope of the call, which is there already: a hook is met by every
        call, and a scope of its own is the dearest thing in it. :func:`cut_off` says what the end of that limit means.
        """
        data = {"hook_event_name": event, **payload}
        if len(hooks) == 1 and hooks[0].kind == "python" and not hooks[0].once:
            hook = hooks[0]
            answer = await limited(cancellation, hook.limit_s, ask(hook, data, None))
            return hook.no_objection if answer.is_silent else fold([answer])
        return fold(await self.answers(hooks, data))

    async def fire(self, event: HookEvent, payload: Mapping[str, Any], hooks: Sequence[Hook] = ()) -> HookEffects:
        """What do the hooks say that this event meets?

        Args:
            hooks: those that were found to meet it, for an event of one call.
        """
        met = hooks or self.matching_event(event, payload)
        if not met:
            return NO_EFFECTS
        return fold(await self.answers(met, {"hook_event_name": event, **payload}))

    async def answers(self, hooks: Sequence[Hook], data: Mapping[str, Any]) -> list[Answer]:
        """The answers of these hooks, in their order."""
        self._spent |= {id(hook) for hook in hooks if hook.once}
        return await ask_all(hooks, data, self._services)


def _once_each(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    """Without those that would do exactly what an earlier one does."""
    seen: set[Any] = set()
    kept = []
    for hook in hooks:
        what = (hook.handler, hook.on_failure, hook.failure_is_set, hook.runs_async, hook.rewakes)
        if hook.handler is None or what not in seen:
            kept.append(hook)
        seen.add(what)
    return tuple(kept)


def cut_off(hooks: Sequence[Hook]) -> HookEffects:
    """What do hooks add up to that were cut off by their time limit? A guard that gave no answer makes the call ask."""
    return fold([late(hook) for hook in hooks])
