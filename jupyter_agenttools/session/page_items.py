"""A transcript as the items of a page: who said what, and each call where it was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..core.blocks import Block, ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse, json_text
from ..core.prompting import who_answered
from ..core.secrets import may_hold_secret
from ..core.tool import Tool, find_tool_by_name
from ..core.views import CodeBlockView, ImageBlockView, JsonBlockView, TextBlockView, ViewBlock
from ..registry import get_all_base_tools
from ..render.blocks import SIGNATURES
from ..render.page_data import PageCall, PageItem, PageMessage, PageNote, PageStage, Speaker
from .call_titles import call_title
from .redacted_lines import redacted_line
from .transcript import encode
from .transcript_lines import Line, read_lines
from .transcript_reading import LoadedTranscript, TranscriptWalk
from .wire_messages import MessageReader

_TERMINAL_TOOLS = frozenset({"Bash", "PowerShell", "TaskOutput", "Monitor"})
"""Tools whose results may hold the colours of a terminal."""


@dataclass
class _Call:
    """What is known of one call so far."""

    use: ToolUse
    at: int
    status: str = ""
    duration_ms: float | None = None
    block: ToolResultBlock | None = None
    stages: list[PageStage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class PageSource(NamedTuple):
    """What a page is made of: the facts about the session, without its messages, and what happened in it."""

    facts: LoadedTranscript
    items: list[PageItem]


def page_source(path: Path) -> PageSource:
    """What happened in the session, in the order in which a reader wants it. Time and memory are linear in the file.

    What is secret is taken out again: the file may be older than what is known as secret here and now.

    Raises:
        UsageError: the file cannot be read.
    """
    walk, reading = TranscriptWalk(path, with_messages=False), _Reading(path)
    for line in read_lines(path):
        if may_hold_secret(encode(line.fields)):
            line = line._replace(fields=redacted_line(line.fields))
        walk.take(line)
        reading.take(line)
    return PageSource(walk.loaded(), list(reading.items()))


class _Reading:
    """One walk through a transcript. A call stands where the assistant's message asks for it, also when it had begun
    before that message was complete; one that nobody's message asks for stands where it began."""

    def __init__(self, path: Path) -> None:
        self._reader = MessageReader(path.parent)
        self._items: list[PageMessage | PageNote | str | None] = []
        self._calls: dict[str, _Call] = {}
        self._makers = {
            "message": self._message,
            "history": self._history,
            "call_start": self._call_start,
            "stage": self._stage,
            "schedule": self._schedule,
            "permission_request": self._asked,
            "permission_answer": self._answered,
            "call_end": self._call_end,
            "session": self._session,
            "resumed": self._resumed,
            "compacted": self._compacted,
            "retry": self._retry,
            "turn_end": self._turn_end,
            "hook_note": self._hook_note,
        }

    def take(self, line: Line) -> None:
        if (make := self._makers.get(line.kind)) is not None:
            make(line)

    def items(self) -> Iterator[PageItem]:
        tools: dict[str, Tool | None] = {}
        for item in self._items:
            if isinstance(item, str):
                yield _page_call(self._calls.pop(item), tools)
            elif item is not None:
                yield item

    # ---- the conversation

    def _message(self, line: Line) -> None:
        message = self._reader.message(line.fields, line.tool_use_id)
        if message is not None:
            self._add_message(message)

    def _history(self, line: Line) -> None:
        """Messages that took the place of others; a summary is told by its own line, so only calls are looked for."""
        for data in line.items("messages"):
            message = self._reader.message(data)
            for block in message.content if message is not None else ():
                if isinstance(block, ToolResultBlock):
                    self._result(block)

    def _add_message(self, message: Message) -> None:
        """What stands before a prompt, or beside results, is told to the model by others: hooks, jobs, an undo."""
        if message.role == "assistant":
            self._add_answer(message)
            return
        said = [block for block in message.content if not isinstance(block, ToolResultBlock)]
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                self._result(block)
        texts = [at for at, block in enumerate(said) if isinstance(block, TextBlock)]
        is_prompt = len(said) == len(message.content) and message.source_tool_use_id is None
        first = (texts[-2] + 1 if len(texts) > 1 else 0) if is_prompt else len(said)
        self._say("told", said[:first])
        self._say("person", said[first:], begins_turn=True)

    def _add_answer(self, message: Message) -> None:
        said: list[Block] = []
        for block in message.content:
            if not isinstance(block, (ToolUse, ThinkingBlock)):
                said.append(block)
                continue
            self._say("assistant", said)
            said = []
            if isinstance(block, ToolUse):
                self._place(block)
            elif block.thinking:
                self._items.append(PageMessage("thinking", (TextBlockView(block.thinking, markdown=True),)))
        self._say("assistant", said)

    def _say(self, speaker: Speaker, blocks: Sequence[Block], begins_turn: bool = False) -> None:
        views = [view for block in blocks for view in _view_of(block, markdown=speaker == "assistant")]
        if views:
            self._items.append(PageMessage(speaker, tuple(views), begins_turn))

    def _place(self, use: ToolUse) -> None:
        """Let the call stand here, wherever it stood before."""
        call = self._calls.get(use.id)
        if call is None:
            call = self._calls[use.id] = _Call(use, len(self._items))
        else:
            self._items[call.at] = None
            call.at = len(self._items)
        self._items.append(use.id)

    def _result(self, block: ToolResultBlock) -> None:
        call = self._calls.get(block.tool_use_id)
        if call is not None and call.block is None:
            call.block = block
            call.status = call.status or ("error" if block.is_error else "")

    # ---- calls

    def _call_start(self, line: Line) -> None:
        use = self._reader.block(line.mapping("tool_use"))
        if not isinstance(use, ToolUse):
            return
        if use.id in self._calls:
            self._calls[use.id].use = use
        else:
            self._place(use)

    def _known(self, line: Line) -> _Call | None:
        return self._calls.get(line.tool_use_id or "")

    def _stage(self, line: Line) -> None:
        if (call := self._known(line)) is not None:
            stage = PageStage(line.text("stage"), line.text("status"), line.text("reason"), line.count("duration_ms"))
            call.stages.append(stage)

    def _schedule(self, line: Line) -> None:
        call, reason = self._known(line), line.text("reason")
        if call is not None and reason:
            call.notes.append(f"{line.text('status')}: {reason}")

    def _asked(self, line: Line) -> None:
        if (call := self._known(line)) is not None:
            call.notes.append(f"it was asked about: {line.text('reason')}")

    def _answered(self, line: Line) -> None:
        if (call := self._known(line)) is not None:
            who, message = who_answered(line.text("answered_by")), line.text("message")
            answer = "allowed" if line.text("behavior") == "allow" else "denied"
            call.notes.append(f"{answer}{f' by {who}' if who else ''}{f': {message}' if message else ''}")

    def _call_end(self, line: Line) -> None:
        if (call := self._known(line)) is not None:
            block = self._reader.block(line.mapping("block"))
            call.block = block if isinstance(block, ToolResultBlock) else call.block
            ran = self._reader.block(line.mapping("ran")) if "ran" in line.fields else None
            if isinstance(ran, ToolUse) and (ran.id, ran.name) == (call.use.id, call.use.name):
                call.notes.insert(0, f"it came with another input: {json_text(call.use.input)}")
                call.use = ran
            call.status, call.duration_ms = line.text("status"), line.count("duration_ms")

    # ---- what else happened

    def _note(self, text: str, tone: Any = "neutral") -> None:
        self._items.append(PageNote(text, tone))

    def _session(self, line: Line) -> None:
        if self._items:
            self._note("Another session begins here, in the same folder.")

    def _resumed(self, line: Line) -> None:
        self._note("The session went on here later.")

    def _compacted(self, line: Line) -> None:
        number, before, after = (line.count(name) for name in ("messages", "tokens_before", "tokens_after"))
        self._note(f"A summary took the place of {number:.0f} messages: {before:,.0f} tokens became {after:,.0f}")
        self._items.append(PageMessage("summary", (TextBlockView(line.text("summary"), markdown=True),)))

    def _retry(self, line: Line) -> None:
        self._note(f"The model was asked again (attempt {line.count('attempt'):.0f}): {line.text('why')}", "warning")

    def _turn_end(self, line: Line) -> None:
        reason, detail = line.text("reason"), line.text("detail")
        if reason != "end_turn":
            self._note(f"The turn ended: {reason.replace('_', ' ')}{f' – {detail}' if detail else ''}", "warning")

    def _hook_note(self, line: Line) -> None:
        self._note(f"{line.text('event')} hook: {line.text('text')}")


def _page_call(call: _Call, tools: dict[str, Tool | None]) -> PageCall:
    use, block = call.use, call.block
    return PageCall(
        id=use.id,
        title=_title(use, tools),
        status=call.status,
        duration_ms=call.duration_ms,
        asked=(JsonBlockView(use.input),) if use.input else (),
        result=tuple(_result_views(use.name, block)) if block is not None else (),
        stages=tuple(call.stages),
        notes=tuple(call.notes),
        tool=use.name,
    )


def _title(use: ToolUse, tools: dict[str, Tool | None]) -> str:
    """What the call did, as its tool puts it."""
    if use.name not in tools:
        tools[use.name] = find_tool_by_name(get_all_base_tools(), use.name)
    return call_title(use, tools[use.name])


def _result_views(name: str, block: ToolResultBlock) -> Iterator[ViewBlock]:
    parts = (TextBlock(block.content),) if isinstance(block.content, str) else block.content
    for part in parts:
        if isinstance(part, TextBlock):
            yield CodeBlockView(part.text, "terminal" if name in _TERMINAL_TOOLS else "text")
        else:
            yield from _view_of(part)


def _view_of(block: Block, *, markdown: bool = False) -> list[ViewBlock]:
    if isinstance(block, TextBlock):
        return [TextBlockView(block.text, markdown=markdown)] if block.text.strip() else []
    if not isinstance(block, ImageBlock):
        return []
    media_type, data = block.source.get("media_type"), block.source.get("data")
    if media_type in SIGNATURES and isinstance(data, str):
        return [ImageBlockView(media_type, data)]  # type: ignore[arg-type]
    return [TextBlockView(f"[an image of the kind {media_type}]")]
