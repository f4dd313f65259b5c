"""A transcript as entries of text: what is searched in it, and shown of it, is the very same.

Each entry is one message, one call or one remark, with everything that was said or asked for and came of it. Nothing is
shortened here, nothing is hidden in it, and what is secret is taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from ..core.blocks import json_text
from ..core.views import CodeBlockView, ImageBlockView, JsonBlockView, TextBlockView, ViewBlock
from ..render.ansi import plain_lines
from ..render.chars import one_line, visible
from ..render.page_data import SPEAKERS, PageCall, PageItem, PageMessage, Speaker
from .page_items import page_source

EntryKind = Literal["person", "assistant", "thinking", "summary", "told", "call", "note"]
TITLE_CHARS = 300
ASKED, REMARK = "› ", "· "
"""Before each line of what a call was asked for, and of what happened to it on the way."""


class Entry(NamedTuple):
    """One of them.

    Attributes:
        ref: how it is called in its transcript; the same as long as that grows.
        kind: what it is. who: whoever says it, or the tool; ``""`` where the title tells.
        title: of a call, on one line. status: of a call. text: all the rest.
    """

    ref: str
    kind: EntryKind
    who: str
    title: str
    status: str
    text: str

    @property
    def shown(self) -> tuple[str, str, str, str]:
        """Everything that a person sees of it, and therefore everything that is searched."""
        return (self.who, self.title, self.status, self.text)


class Entries(NamedTuple):
    """What a transcript holds, in its order, and what a reader should know of it, e.g. that lines were torn."""

    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


def read_entries(path: Path) -> Entries:
    """The entries of a transcript; none where nothing was written yet. Time is linear in its length.

    Raises:
        UsageError: it cannot be read.
    """
    if not path.exists():
        return Entries()
    source = page_source(path)
    return Entries(tuple(_entries(source.items)), tuple(map(visible, source.facts.notes)))


def _entries(items: Iterable[PageItem]) -> Iterator[Entry]:
    others = 0
    for item in items:
        if isinstance(item, PageCall):
            yield _call(item)
            continue
        others += 1  # a call may move to where a message asks for it; the others stay in their order
        if isinstance(item, PageMessage):
            yield _message(str(others), item.speaker, item.blocks)
        else:
            yield Entry(str(others), "note", "", "", "", visible(item.text))


def _call(call: PageCall) -> Entry:
    """Its title may name the tool already."""
    tool, title = one_line(call.tool, TITLE_CHARS), one_line(call.title, TITLE_CHARS)
    who = "" if title.split(" ")[0] == tool else tool
    return Entry(f"call:{call.id}", "call", who, title, visible(call.status), "\n".join(_call_lines(call)))


def _message(ref: str, speaker: Speaker, blocks: Iterable[ViewBlock]) -> Entry:
    return Entry(ref, speaker, SPEAKERS[speaker], "", "", "\n".join(_text_of(block) for block in blocks))


def _call_lines(call: PageCall) -> Iterator[str]:
    for block in call.asked:
        if isinstance(block, JsonBlockView) and isinstance(block.value, Mapping):
            for name, value in block.value.items():
                yield from _led(ASKED, f"{name}: {value if isinstance(value, str) else json_text(value)}")
    for note in call.notes:
        yield from _led(REMARK, note)
    yield from map(_text_of, call.result)


def _led(sign: str, text: str) -> list[str]:
    return [sign + line for line in visible(text).split("\n")]


def _text_of(block: ViewBlock) -> str:
    match block:
        case TextBlockView(text=text):
            return visible(text)
        case CodeBlockView(text=text, language="terminal"):
            return "\n".join(plain_lines(text.split("\n")))
        case CodeBlockView(text=text):
            return visible(text)
        case JsonBlockView(value=value):
            return visible(json_text(value))
        case ImageBlockView(media_type=media_type):
            return f"[an image of the kind {media_type}]"
        case _:
            return ""
