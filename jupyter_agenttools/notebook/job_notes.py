"""A line below the cell that put a command into the background: that it runs, how it ended, and what it printed last:
of one that is watched all the while, of others when they have ended."""

from __future__ import annotations

from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any

from ..core.events import JobEvent
from ..core.views import Badge, CodeBlockView, ToolView
from .agent_tasks import TONES, elapsed_words

SHOWN_LINES = 5


@dataclass
class _Note:
    """What stands below a cell, the context in which that cell is written to, and the last lines that were told of."""

    handle: Any
    context: Context
    lines: tuple[str, ...] = ()


class JobNotes:
    """An observer of the kernel's session. It is told of a job in the context of the cell that started it."""

    def __init__(self) -> None:
        self._notes: dict[str, _Note] = {}

    def on_job(self, event: JobEvent) -> None:
        from IPython.display import display

        from ..render import view_bundle

        if event.kind == "background":
            bundle = dict(view_bundle(note_view(event, ())))
            handle = display(bundle, raw=True, display_id=f"agenttools-{event.task_id}-{event.tool_use_id}")
            self._notes[event.task_id] = _Note(handle, copy_context())
        elif note := self._notes.get(event.task_id):
            if event.kind == "lines":
                note.lines = (*note.lines, *event.lines)[-SHOWN_LINES:]
            else:
                note.lines = event.lines or note.lines
            bundle = dict(view_bundle(note_view(event, note.lines)))
            note.context.copy().run(note.handle.update, bundle, raw=True)
        if event.kind == "ended":
            self._notes.pop(event.task_id, None)


def note_view(event: JobEvent, lines: tuple[str, ...]) -> ToolView:
    """How a task stands, in a line; with the ``lines`` that it printed last."""
    badges = [Badge(event.words, TONES.get(event.state, "error"))]
    if event.kind == "ended":
        badges.append(Badge(elapsed_words(event.elapsed_ms / 1000)))
    blocks = (CodeBlockView("\n".join(lines), "terminal"),) if lines else ()
    return ToolView(f"{event.task_id}: {event.title}", tuple(badges), blocks)
