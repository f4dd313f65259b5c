"""What hooks have to say when a conversation is shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.cancel import Cancellation

if TYPE_CHECKING:
    from .hook_events import SessionHooks


class CompactionEvents:
    """Implements ``agents.compaction.CompactionHooks`` with the hooks of a session.

    Args:
        hooks: the hooks.

    Attributes:
        cancellation: stops them, in the query that runs.
    """

    def __init__(self, hooks: SessionHooks) -> None:
        self._hooks = hooks
        self.cancellation = Cancellation()

    async def before_compaction(self, trigger: str, instructions: str) -> str | None:
        fields = {"trigger": trigger, "custom_instructions": instructions}
        effects = await self._hooks.fire("PreCompact", fields, self.cancellation)
        return f"the hook {effects.hook} refuses it: {effects.reason}" if effects.behavior == "deny" else effects.stop

    async def after_compaction(self, trigger: str, summary: str) -> None:
        fields = {"trigger": trigger, "compact_summary": summary}
        effects = await self._hooks.fire("PostCompact", fields, self.cancellation)
        for text in effects.additional_context:
            self._hooks.remind(f"[PostCompact hook] {text}")
