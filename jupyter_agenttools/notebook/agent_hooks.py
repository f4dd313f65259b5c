"""``%agent hooks``: the hooks of the session, and trying one out."""

from __future__ import annotations

from ..core.events import HookNote
from ..session import hooks_view, trials_view, try_hooks
from .agent_hooks_line import AgentHooks
from .note import note_bundle
from .output import show
from .plan import Plan
from .runtime import Runtime


def hooks_plan(runtime: Runtime, asked: AgentHooks) -> Plan:
    """Show the hooks, or run those that are to be tried and show what they said."""
    from ..render import view_bundle

    session = runtime.session
    if not asked.selector:
        show(view_bundle(hooks_view(session.hook_events)))
        return None
    run = runtime.new_run(lambda: try_hooks(session, asked.selector, asked.tool, asked.input, asked.call_id))
    yield run
    trials = runtime.result_of(run)
    show(view_bundle(trials_view(trials)))
    return None


class HookNotes:
    """An observer of the kernel's session: what hooks want a person to know stands below the cell that runs."""

    def on_hook_note(self, note: HookNote) -> None:
        show(note_bundle(f"hook ({note.event}): {note.text}"))
