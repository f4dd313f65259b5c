"""A line below the cell that put a command into the background: that it runs, what it printed last, how it ended."""

from __future__ import annotations

from contextvars import Context, copy_context
from typing import Any, NamedTuple

from ..core.events import JobEvent
from ..core.views import Badge, CodeBlockView, ToolView
from .agent_tasks import TONES, elapsed_words

SHOWN_LINES = 5


class _Note(NamedTuple):
    """What stands below a cell, and the context in which that cell is written to."""

    handle: Any
    context: Context


class JobNotes:
    """An observer of the kernel's session. It is told of a job in the context of the cell that started it."""

    def __init__(self) -> None:
        self._notes: dict[str, _Note] = {}

    def on_job(self, event: JobEvent) -> None:
        from IPython.display import display

        from ..render import view_bundle

        bundle = dict(view_bundle(note_view(event)))
        if event.kind == "background":
            handle = display(bundle, raw=True, display_id=f"agenttools-{event.task_id}-{event.tool_use_id}")
            self._notes[event.task_id] = _Note(handle, copy_context())
        elif note := self._notes.get(event.task_id):
            note.context.copy().run(note.handle.update, bundle, raw=True)
        if event.kind == "ended":
            self._notes.pop(event.task_id, None)


def note_view(event: JobEvent) -> ToolView:
    """How a task stands, in a line; with the last lines of one that is watched."""
    badges = [Badge(event.words, TONES.get(event.state, "error"))]
    if event.kind == "ended":
        badges.append(Badge(elapsed_words(event.elapsed_ms / 1000)))
    lines = "\n".join(event.lines[-SHOWN_LINES:])
    return ToolView(f"{event.task_id}: {event.title}", tuple(badges), (CodeBlockView(lines, "terminal"),) * bool(lines))
