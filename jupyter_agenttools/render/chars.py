"""Text made safe to show: what cannot be seen is made visible, what is markup is escaped."""

from __future__ import annotations

import html
import re

from .lookalikes import spelled

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, all but tab and newline
    "\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # bidi, joiners, separators, BOM
    "\ud800-\udfff"  # lone surrogates, which no file can hold
    "\U000e0000-\U000e007f"  # tags: a whole alphabet that shows nothing
    "]"
)
ELLIPSIS = "…"
LOOKED_AT_MORE = 2_000
"""So many characters behind the last one that is shown are looked at, for a word that is cut."""


def visible(text: str) -> str:
    """The text with every character that hides or reorders others shown as ``‹U+202E›``, and each that passes for a
    Latin one in a Latin word as ``‹а U+0430›``. CRLF counts as a newline."""
    return spelled(_UNSEEN.sub(_mark, text.replace("\r\n", "\n")))


def unseen(text: str) -> tuple[str, ...]:
    """The characters that hide or reorder others, each once, in their order."""
    return tuple(dict.fromkeys(_UNSEEN.findall(text.replace("\r\n", "\n"))))


def _mark(match: re.Match[str]) -> str:
    return f"‹U+{ord(match.group()):04X}›"


def escape(text: object) -> str:
    """The text for an HTML page, in an element or in a quoted attribute."""
    return html.escape(visible(str(text)))


def clip(text: str, chars: int) -> str:
    """At most ``chars`` characters, with how many were left out."""
    if len(text) <= chars:
        return text
    return f"{text[:chars]}{ELLIPSIS} +{len(text) - chars:,}"


def one_line(text: str, chars: int) -> str:
    """The text on one line, at most ``chars`` characters and visible."""
    line = " ".join(text.split())
    if len(line) <= chars + LOOKED_AT_MORE:
        return clip(visible(line), chars)
    return f"{visible(line[: chars + LOOKED_AT_MORE])[:chars]}{ELLIPSIS} +{len(line) - chars:,}"


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes; East Asian characters take two each."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    width = wcswidth(text)
    return width if width >= 0 else len(text)


def code_span(text: str) -> str:
    """The text as Markdown code on one line, whatever backticks it holds."""
    plain = " ".join(visible(text).split()) or " "
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """The text as a fenced Markdown block that nothing in it can close."""
    plain = visible(text)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    ticks = "`" * max(3, longest + 1)
    word = language if re.fullmatch(r"[A-Za-z0-9_+-]*", language) else ""
    return f"{ticks}{word}\n{plain.rstrip(chr(10))}\n{ticks}"


def count_of(number: int, noun: str) -> str:
    """``1 line``, ``2 lines``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
