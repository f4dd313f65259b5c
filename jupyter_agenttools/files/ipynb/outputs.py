"""What does one output of a cell say, in a few lines of text?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..encoding import visible

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])?")
_TEXT_TYPES = ("text/plain", "text/markdown", "text/latex", "text/html", "application/json")
"""In the order of what reads best; only the first one that an output has is shown."""

_OLD_NAMES = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "json": "application/json"}
_OLD_IMAGES = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}
_OLD_TYPES = {"pyout": "execute_result", "pyerr": "error"}


@dataclass(frozen=True)
class OutputImage:
    """A raster image of an output, as the notebook holds it.

    Args:
        line: which line of the output's ``media`` names it, from 0.
        data: base64 text; whether it is an image indeed, nobody has looked yet.
    """

    line: int
    data: str


@dataclass(frozen=True)
class CellOutput:
    """One output, or one file attached to a cell.

    Args:
        output_type: ``stream``, ``execute_result``, ``display_data``, ``error``, or ``attachment``.
        text: what it says, without terminal colours, cut to the room there was.
        omitted: how many characters of the text were left out.
        media: one ``type, size`` line for each thing that is not text.
        name: of a stream, ``stdout`` or ``stderr``; of an attachment, its file name.
        images: those among the media that may be shown.
    """

    output_type: str
    text: str = ""
    omitted: int = 0
    media: tuple[str, ...] = ()
    name: str = ""
    images: tuple[OutputImage, ...] = ()


def read_output(output: Any, max_chars: int) -> CellOutput:
    """The output (as its JSON says it, format 4 or older), with at most ``max_chars`` characters of text."""
    if not isinstance(output, Mapping):
        return CellOutput("unknown", f"(not an object: {type(output).__name__})")
    kind = str(output.get("output_type", "unknown"))
    kind = _OLD_TYPES.get(kind, kind)
    if kind == "stream":
        text, omitted = shortened(plain(output.get("text")), max_chars)
        return CellOutput(kind, text, omitted, name=str(output.get("name", output.get("stream", ""))))
    if kind == "error":
        text, omitted = shortened(_error_text(output), max_chars)
        return CellOutput(kind, text, omitted)
    return _of_bundle(kind, _bundle(output), max_chars)


def read_attachments(cell: Any, max_chars: int) -> list[CellOutput]:
    """The files that are attached to a Markdown cell, as outputs of the type ``attachment``."""
    attachments = cell.get("attachments") if isinstance(cell, Mapping) else None
    if not isinstance(attachments, Mapping):
        return []
    return [
        _of_bundle("attachment", data, max_chars, visible(name))
        for name, data in attachments.items()
        if isinstance(data, Mapping)
    ]


def _of_bundle(output_type: str, bundle: Mapping[str, Any], max_chars: int, name: str = "") -> CellOutput:
    text, omitted = shortened(_bundle_text(bundle), max_chars)
    media = list(_media(bundle))
    images = (OutputImage(line, _joined(bundle[kind])) for line, (kind, _) in enumerate(media) if _is_image(kind))
    return CellOutput(output_type, text, omitted, tuple(words for _, words in media), name, tuple(images))


def _error_text(output: Mapping[str, Any]) -> str:
    traceback = output.get("traceback")
    lines = [plain(line) for line in traceback] if isinstance(traceback, list) else [plain(traceback)]
    summary = f"{plain(output.get('ename'))}: {plain(output.get('evalue'))}"
    text = "\n".join(line for line in lines if line)
    return text if summary in text else f"{text}\n{summary}".strip()


def _bundle(output: Mapping[str, Any]) -> dict[str, Any]:
    """The data of an output by media type. Format 3 keeps it beside the other fields, under short names."""
    data = output.get("data")
    if isinstance(data, Mapping):
        return dict(data)
    names = {**_OLD_NAMES, **_OLD_IMAGES}
    return {names[key]: value for key, value in output.items() if key in names}


def _bundle_text(bundle: Mapping[str, Any]) -> str:
    return next((plain(bundle[kind]) for kind in _TEXT_TYPES if kind in bundle), "")


def _media(bundle: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What else the output holds: its media type, and the same named with its size."""
    for kind, value in bundle.items():
        if _is_image(kind):
            yield kind, f"{kind}, {_base64_bytes(value):,} bytes"
        elif kind not in _TEXT_TYPES and kind != "application/vnd.jupyter.widget-view+json":
            yield kind, f"{kind}, {_json_chars(value):,} characters"


def _is_image(kind: str) -> bool:
    return kind.startswith("image/") and kind != "image/svg+xml"


def _base64_bytes(value: Any) -> int:
    text = _joined(value)
    digits = len(text) - text.count("\n") - text.count("=")
    return digits * 3 // 4


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else "".join(_parts(value))


def _json_chars(value: Any) -> int:
    """About how long the value is as text."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(len(str(key)) + _json_chars(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(_json_chars(item) for item in value)
    return len(str(value))


def _parts(value: Any) -> list[str]:
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def plain(value: Any) -> str:
    """The text of a value that may be a text, a list of texts or something else; without terminal colours."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else "".join(_parts(value)) if isinstance(value, list) else str(value)
    return visible(_ANSI.sub("", text)) if "\x1b" in text else visible(text)


def shortened(text: str, max_chars: int) -> tuple[str, int]:
    """The beginning and the end of a text that is too long, and how many characters are missing between them."""
    text = text.rstrip("\n")
    if len(text) <= max_chars:
        return text, 0
    head = max_chars * 2 // 3
    tail = max_chars - head
    omitted = len(text) - head - tail
    return f"{text[:head]}\n… {omitted:,} characters left out …\n{text[len(text) - tail :] if tail else ''}", omitted
