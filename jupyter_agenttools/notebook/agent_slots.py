"""The story of a turn as pieces of HTML, one for each part: cheap to make again ten times a second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..core import default_views
from ..core.blocks import ToolUse
from ..core.faults import faults
from ..core.outcome import Outcome
from ..core.todos import todos_view
from ..core.tool import Tool
from ..core.views import Badge, TextBlockView, ToolView
from ..render.chars import count_of, escape
from ..render.html import badge_html, block_html, head_html
from ..render.limits import EVERYTHING, RECORD
from ..render.markdown_pieces import GrowingText
from ..render.outcome_views import last_todos
from ..render.turn_html import group_words, part_html
from ..render.turn_parts import Part, Thought, groups, thought_summary
from ..render.words import STATUS_TONES, status_words
from ..session import Session
from .agent_story import CallLine, GrowingThought, StoryPart, TurnStory, finished_part

SHOWN_PARTS = 80
SHOWN_PIECES = 30
"""Of one text."""
STEP = 20
"""So many parts go at once when there are more: what is shown moves seldom."""
TAIL_CHARS = 6_000
"""A single Markdown block that is longer than this is shown as plain text while it grows, and its end only."""
KEPT_DRAWINGS = 400


class StorySlots:
    """Draws a story, and remembers what it has drawn.

    Args:
        session: knows the tools and the todo list.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._drawn: dict[str, str] = {}

    def draw(self, story: TurnStory) -> list[str]:
        """The last parts as HTML, neighbours that belong together as one; the todo list at the end."""
        hidden = _hidden(len(story.parts), SHOWN_PARTS)
        slots = [_bare(f'<p class="agt-note">… {count_of(hidden, "earlier part")}</p>')] if hidden else []
        finished: list[Part] = []
        last = story.parts[-1] if story.text_is_open else None
        for part in story.parts[hidden:]:
            done = None if part is last or isinstance(part, GrowingText) else finished_part(part)
            if done is not None:
                finished.append(done)
                continue
            slots += self._finished(finished)
            finished = []
            slots += self._open(part)
        return [*slots, *self._finished(finished), *self._todos(story)]

    def _finished(self, parts: Sequence[Part]) -> Iterator[str]:
        """Calls that are over, and notes. A call stands as its title: the record has all of it in the end."""
        for group in groups(parts):
            if group.together == "looked":
                yield _card(ToolView("Looked around", (Badge(group_words(group)),)))
            else:
                yield from map(self._part, group.parts)

    def _part(self, part: Part) -> str:
        if not isinstance(part, Outcome):
            return _note_html(part)
        id = part.tool_use.id
        if id not in self._drawn:
            if len(self._drawn) >= KEPT_DRAWINGS:
                self._drawn.clear()
            self._drawn[id] = _call_html(part.tool_use, part.tool, part)
        return self._drawn[id]

    def _open(self, part: StoryPart) -> list[str]:
        """A part that is not over; or a text, in as many pieces as it has."""
        if isinstance(part, GrowingText):
            pieces = part.pieces()
            hidden = _hidden(len(pieces), SHOWN_PIECES)
            return [*([_bare("…")] if hidden else []), *(_bare(_text_html(p)) for p in pieces[hidden:] if p.strip())]
        if isinstance(part, GrowingThought):
            return [_bare(f'<p class="agt-note">{escape(thought_summary(Thought(part.text), end=True))}</p>')]
        assert isinstance(part, CallLine)
        return [_call_html(part.use, self._session.find_tool(part.use.name))]

    def _todos(self, story: TurnStory) -> list[str]:
        """The todo list as it stands: what this turn wrote last, else what an earlier one left."""
        blocks = last_todos(story.outcomes) or todos_view(self._session.todos).blocks
        body = "".join(block_html(block, RECORD) for block in blocks)
        return [_card(ToolView("Todos"), body)] if blocks else []


def _hidden(count: int, shown: int) -> int:
    """How many of ``count`` are not shown, in steps."""
    return -(-max(0, count - shown) // STEP) * STEP


def _bare(inner: str) -> str:
    """Our HTML without the style, which stands above all of it."""
    return f'<div class="agt mathjax_ignore">{inner}</div>'


@lru_cache(maxsize=128)
def _note_html(part: Part) -> str:
    return _bare(part_html(part))


def _text_html(text: str) -> str:
    if len(text) > TAIL_CHARS:
        style = "white-space:pre-wrap;overflow-wrap:anywhere"
        return f'<div style="{style}">…{escape(text[-TAIL_CHARS:])}</div>'
    return _markdown(text)


@lru_cache(maxsize=128)
def _markdown(text: str) -> str:
    return block_html(TextBlockView(text, markdown=True), EVERYTHING)


def _call_html(use: ToolUse, tool: Tool | None, outcome: Outcome | None = None) -> str:
    view = _use_view(use, tool)
    badge = Badge("…")
    if outcome is not None:
        badge = Badge(status_words(outcome.status), STATUS_TONES.get(outcome.status, "neutral"))
    return _card(ToolView(view.title, (*view.badges, badge)))


def _card(view: ToolView, body: str = "") -> str:
    head = head_html(view.title, [badge_html(badge) for badge in view.badges])
    return _bare(f'<section class="agt-card">{head}{body}</section>')


def _use_view(use: ToolUse, tool: Tool | None) -> ToolView:
    try:
        assert tool is not None
        return tool.render_tool_use(use.input, "condensed")
    except faults():  # an unknown tool, or one whose own renderer fails
        return default_views.tool_use(use.name, use.input, "condensed")
