"""What a turn shows while it goes on: the text as it streams, and each call with how it stands."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core import default_views
from ..core.blocks import ToolUse
from ..core.outcome import Outcome
from ..core.todos import todos_view
from ..core.tool import Tool
from ..core.updates import CallFinished, TextDelta, ToolUseReady, TurnEnded, Update
from ..core.views import Badge, ToolView
from ..render import view_html
from ..render.outcome_views import last_todos
from ..session import Session
from .live import LiveDisplay
from .run import Run
from .watcher import CallWatcher

if TYPE_CHECKING:
    from ipywidgets import HTML

    from .runtime import Runtime

SHOWN_PARTS = 40
SHOWN_TEXT_CHARS = 16_000
STATUS_TONES = {"ok": "ok", "denied": "warning", "interrupted": "warning", "error": "error"}


@dataclass
class CallLine:
    """One call of the turn; ``outcome`` is ``None`` while it runs or waits."""

    use: ToolUse
    outcome: Outcome | None = None


@dataclass
class TurnStory:
    """What has happened in a turn so far.

    Attributes:
        parts: pieces of the assistant's text, and calls, in order.
        ended: how it ended, ``None`` while it goes on.
    """

    parts: list[str | CallLine] = field(default_factory=list)
    ended: TurnEnded | None = None

    def take(self, update: Update) -> None:
        """Add an update."""
        if isinstance(update, TextDelta):
            if self.parts and isinstance(self.parts[-1], str):
                self.parts[-1] += update.text
            else:
                self.parts.append(update.text)
        elif isinstance(update, ToolUseReady):
            self.parts.append(CallLine(update.tool_use))
        elif isinstance(update, CallFinished):
            for part in self.parts:
                if isinstance(part, CallLine) and part.use.id == update.outcome.tool_use.id:
                    part.outcome = update.outcome
        elif isinstance(update, TurnEnded):
            self.ended = update

    @property
    def finished_parts(self) -> list[str | Outcome]:
        """The texts, and the outcomes of the calls that came to their end."""
        parts = (p.outcome if isinstance(p, CallLine) else p for p in self.parts)
        return [p for p in parts if p is not None]


class TurnCard:
    """The story as one HTML widget."""

    def __init__(self, bag: Any, post: Any) -> None:
        self.root: HTML = bag.html("")

    def show(self, text: str) -> None:
        if self.root.value != text:
            self.root.value = text


class TurnWatcher(CallWatcher):
    """Also shows the story of the turn, above what runs."""

    def __init__(self, run: Run, live: LiveDisplay, runtime: Runtime) -> None:
        super().__init__(run, live, runtime)
        self._session = runtime.session
        self._card: TurnCard | None = None
        self.story = TurnStory()

    def refresh(self, now: float) -> None:
        if self.story.parts:
            if self._card is None:
                self._card = self._live.add(TurnCard, first=True)  # type: ignore[assignment]
            if self._card is not None:
                self._card.show(story_html(self.story, self._session))
        super().refresh(now)


def story_html(story: TurnStory, session: Session) -> str:
    """The last parts of the story; earlier ones are in the record at its end."""
    shown = story.parts[-SHOWN_PARTS:]
    hidden = len(story.parts) - len(shown)
    note = f"<p>… {hidden} earlier parts</p>" if hidden else ""
    body = "".join(_text_html(p) if isinstance(p, str) else _call_html(p, session) for p in shown)
    return note + body + _todos_html(story, session)


def _todos_html(story: TurnStory, session: Session) -> str:
    """The todo list as it stands: what this turn wrote last, else what an earlier one left."""
    outcomes = [part.outcome for part in story.parts if isinstance(part, CallLine) and part.outcome is not None]
    blocks = last_todos(outcomes) or todos_view(session.todos).blocks
    return view_html(ToolView("Todos", blocks=blocks)) if blocks else ""


def _text_html(text: str) -> str:
    tail = text if len(text) <= SHOWN_TEXT_CHARS else "…" + text[-SHOWN_TEXT_CHARS:]
    style = "white-space:pre-wrap;overflow-wrap:anywhere;color:var(--jp-content-font-color1,inherit)"
    return f'<div style="{style}">{html.escape(tail)}</div>'


def _call_html(line: CallLine, session: Session) -> str:
    view = _use_view(line.use, session.find_tool(line.use.name))
    status = line.outcome.status if line.outcome else "…"
    badge = Badge(status, STATUS_TONES.get(status, "neutral"))  # type: ignore[arg-type]
    return view_html(ToolView(view.title, (*view.badges, badge)), "condensed")


def _use_view(use: ToolUse, tool: Tool | None) -> ToolView:
    try:
        assert tool is not None
        return tool.render_tool_use(use.input, "condensed")
    except Exception:  # an unknown tool, or one whose own renderer fails
        return default_views.tool_use(use.name, use.input, "condensed")
