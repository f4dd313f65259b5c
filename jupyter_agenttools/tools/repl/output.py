"""What REPL hands back, and what of it a model can read: texts and images, in their order."""

from __future__ import annotations

import html.parser
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...core.blocks import ImageBlock, TextBlock
from ...core.interpreter import CodeOutput
from ...files.ipynb.outputs import read_output

MAX_VIEW_CHARS = 100_000
"""Of the text of one displayed thing as a person sees it; beyond it the middle is left out."""
WHOLE = sys.maxsize
"""A result holds all that was kept: what is too long for the conversation goes to a file, which must lack nothing."""
MAX_IMAGES = 10

_SAYS_NOTHING = re.compile(r"<[\w.<>]+( object)?( at 0x[0-9a-fA-F]+)?>")
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
Part = str | ImageBlock


@dataclass(frozen=True)
class ReplOutput:
    """What became of the code.

    Args:
        status: it ran to its end, it raised, it was stopped, or its time was over.
        outputs: what it printed, displayed, evaluated to and raised, in order.
        notes: what else there is to know.
        error_name: the class of the exception, ``""`` for none.
    """

    status: Literal["ok", "error", "interrupted", "timeout"]
    outputs: tuple[CodeOutput, ...] = ()
    notes: tuple[str, ...] = ()
    error_name: str = ""


def blocks_of(output: ReplOutput) -> tuple[TextBlock | ImageBlock, ...]:
    """The output as a model reads it."""
    parts = [part for each in output.outputs for part in _parts(each)]
    images = sum(isinstance(part, ImageBlock) for part in parts)
    notes = [*output.notes, *([f"{images - MAX_IMAGES} more images are not shown"] if images > MAX_IMAGES else [])]
    texts = "".join(part for part in parts if isinstance(part, str)).strip("\n")
    if not texts and not images and not notes:
        return (TextBlock("(the code ran and left no output)"),)
    return tuple(_joined([*parts, *(f"\n[{note}]" for note in notes)]))


def _joined(parts: list[Part]) -> Iterator[TextBlock | ImageBlock]:
    """Neighbouring texts as one block."""
    texts: list[str] = []
    images = 0
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif (images := images + 1) <= MAX_IMAGES:
            if text := "".join(texts).strip("\n"):
                yield TextBlock(text)
            texts = []
            yield part
    if text := "".join(texts).strip("\n"):
        yield TextBlock(text)


def _parts(output: CodeOutput) -> Iterator[Part]:
    if output.kind in ("stdout", "stderr"):
        name = output.kind
        yield read_output({"output_type": "stream", "name": name, "text": output.text}, WHOLE).text + "\n"
    elif output.kind == "error":
        yield f"\n{output.text}\n"
    else:
        yield from _shown(output.data)


def _shown(data: Mapping[str, Any]) -> Iterator[Part]:
    """A value's text, and its images."""
    if text := bundle_text(data, WHOLE):
        yield f"\n{text}\n"
    for kind in _IMAGES:
        if isinstance(data.get(kind), str):
            yield ImageBlock({"type": "base64", "media_type": kind, "data": "".join(data[kind].split())})
            return
    if not text:
        yield f"\n[displayed: {', '.join(data) or 'nothing'}]\n"


def bundle_text(data: Mapping[str, Any], max_chars: int = MAX_VIEW_CHARS) -> str:
    """What the representations say in text: the plain one, unless it only names a class and another says more."""
    plain = data.get("text/plain")
    if isinstance(plain, str) and not _SAYS_NOTHING.fullmatch(plain.strip()):
        return _cut({"text/plain": plain}, max_chars)
    for kind in ("text/markdown", "text/latex"):
        if isinstance(data.get(kind), str) and data[kind].strip():
            return _cut({kind: data[kind]}, max_chars)
    if isinstance(markup := data.get("text/html"), str) and (text := html_text(markup)):
        return _cut({"text/plain": text}, max_chars)
    rest = {"text/plain": plain} if isinstance(plain, str) else {k: v for k, v in data.items() if k in _JSON}
    return _cut(rest, max_chars)


_JSON = ("application/json",)


def _cut(data: Mapping[str, Any], max_chars: int) -> str:
    return read_output({"output_type": "display_data", "data": data}, max_chars).text


class _Text(html.parser.HTMLParser):
    _lines = frozenset({"p", "div", "br", "tr", "li", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre"})
    _silent = frozenset({"style", "script", "head"})

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in self._silent
        if tag in self._lines:
            self.pieces.append("\n")
        elif tag in ("td", "th"):
            self.pieces.append("\t")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self._silent and self._hidden > 0
        if tag in self._lines:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(re.sub(r"\s+", " ", data))


def html_text(markup: str) -> str:
    """The words of HTML, a row of a table in a line of its own."""
    reader = _Text()
    reader.feed(markup)
    reader.close()
    lines = (re.sub(r" ?\t ?", "\t", line).strip() for line in "".join(reader.pieces).splitlines())
    return "\n".join(line for line in lines if line)
