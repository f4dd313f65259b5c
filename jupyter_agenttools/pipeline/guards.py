"""The hooks of a call that a person is asked about, which may be others by the time of the answer."""

from __future__ import annotations

from ..core.call import CallState, HookEffects
from ..core.context import ToolPermissionContext
from ..core.decision import Decision
from ..hooks import Hook
from .environment import CallEnvironment, Rejudge
from .hook_payload import call_payload
from .observe import plain_input
from .updated_input import with_updated_input

GUARDS_CHANGED = "the hooks came to be others while it was asked about; it is judged again"


class Guards:
    """Which PreToolUse hooks had their say on a call before it was asked about, and which would have it now.

    A settings file that a person approves while the question is open may bring a guard that nobody has heard yet.
    """

    def __init__(self, state: CallState, env: CallEnvironment) -> None:
        self._state, self._env = state, env
        self._asked = self._matching()
        self._heard: tuple[tuple[Hook, ...], HookEffects] = (self._asked, state.pre_hooks)

    def again(self, rights: ToolPermissionContext | None, approved: Decision | None = None) -> Rejudge:
        """Let the call begin again under these rights; ``approved`` is the person's approval of its input."""
        return Rejudge(plain_input(self._state.input), approved, GUARDS_CHANGED, rights)

    def _matching(self) -> tuple[Hook, ...]:
        return tuple(self._env.guards.matching("PreToolUse", self._state))

    @property
    def changed(self) -> bool:
        """Whether there are others now than when the question came up."""
        return self._matching() != self._asked

    async def heard(self, state: CallState) -> CallState:
        """The call with what its hooks say now; each set of them is run once.

        Raises:
            ToolError: an input that a hook put in its place does not fit.
        """
        hooks, effects = self._matching(), self._heard[1]
        if hooks != self._heard[0]:
            effects = await self._env.guards.fire("PreToolUse", call_payload(state, self._env), hooks)
            self._heard = (hooks, effects)
        if effects is state.pre_hooks:
            return state
        state = state.but(pre_hooks=effects)
        if effects.updated_input is not None:
            return await with_updated_input(state, effects.updated_input, self._env)
        return state
