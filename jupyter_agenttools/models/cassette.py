"""The file of a recording: one JSON line for its head, then one for each exchange, written when it has ended.

An exchange is one request and its answer. Of a request only what differs from the exchange before is written: the
system prompt and the tools once, of the conversation what was added. The file is private to its owner, and secrets are
taken out before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.errors import UsageError
from .asked import Asked, Chain, fingerprint

VERSION = 1
"""Of the format. A reader refuses a later one."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Head(_Line):
    """The first line.

    Args:
        model, provider: who answered.
        time: seconds since the epoch.
    """

    type: Literal["cassette"] = "cassette"
    version: int = VERSION
    model: str
    provider: str = ""
    time: float


class _PartLine(_Line):
    ms: float
    """Since the request."""


class TextLine(_PartLine):
    type: Literal["text"] = "text"
    text: str


class ThinkingLine(_PartLine):
    type: Literal["thinking"] = "thinking"
    text: str
    signature: str | None = None
    signed: str | None = None
    """Fingerprint of the thought that the signature belongs to: in another folder it may read differently."""


class ToolUseLine(_PartLine):
    type: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: dict[str, Any]
    problem: str = ""


class RetryLine(_PartLine):
    type: Literal["retry"] = "retry"
    why: str
    delay_s: float
    attempt: int


class UsageLine(_Line):
    """See :class:`.core.usage.Usage`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class StopLine(_PartLine):
    type: Literal["stop"] = "stop"
    reason: Literal["end_turn", "tool_use", "max_tokens", "refusal"]
    usage: UsageLine | None = None
    detail: str = ""


PartLine = Annotated[TextLine | ThinkingLine | ToolUseLine | RetryLine | StopLine, Field(discriminator="type")]


class FaultLine(_Line):
    """A failure; see :class:`.faults.Fault`."""

    kind: str
    message: str
    retry_after_s: float | None = None


class RequestLine(_Line):
    """What was asked. ``None`` is the same as in the line before; ``kept`` is how many messages of it stay."""

    system: str | None = None
    tools: list[Any] | None = None
    options: dict[str, Any] | None = None
    kept: int = 0
    messages: list[Any]


class Fingerprints(_Line):
    """Of the parts of a request."""

    system: str
    tools: str
    options: str
    messages: str


class Exchange(_Line):
    """One request and its answer.

    Args:
        number: in the order of the requests, from 1; the lines are in the order of the ends.
        began_s, ended_s: since the recording began.
        fingerprints: of the parts of the request.
        end: the answer came to its end, broke off without one, failed, or was left by who asked.
        fault: how it failed.
        context_window: tokens of the model's window; some know it only once they were asked.
    """

    type: Literal["exchange"] = "exchange"
    number: int
    began_s: float
    ended_s: float
    request: RequestLine
    fingerprints: Fingerprints
    parts: list[PartLine]
    end: Literal["stop", "cut", "fault", "left"]
    fault: FaultLine | None = None
    context_window: int | None = None


@dataclass(frozen=True)
class Recorded:
    """An exchange, with what its request has in common with the one before it in the file."""

    exchange: Exchange
    before: Recorded | None

    @property
    def size(self) -> int:
        """How many messages the conversation has."""
        return self.exchange.request.kept + len(self.exchange.request.messages)

    def part(self, name: str) -> Any:
        """One part of the whole request."""
        if name == "messages":
            return self._messages()
        at: Recorded | None = self
        while at is not None:
            if (value := getattr(at.exchange.request, name)) is not None:
                return value
            at = at.before
        return None

    def _messages(self) -> list[Any]:
        pieces: list[list[Any]] = []
        at: Recorded | None = self
        wanted: int | None = None
        while at is not None and wanted != 0:
            request = at.exchange.request
            own = request.messages if wanted is None else request.messages[: max(wanted - request.kept, 0)]
            pieces.append(own)
            wanted = request.kept if wanted is None else min(wanted, request.kept)
            at = at.before
        return [message for piece in reversed(pieces) for message in piece]


@dataclass(frozen=True)
class Cassette:
    """A recording.

    Args:
        torn: what is wrong with the last line, ``""`` when it is whole: who recorded was stopped while writing it.
    """

    path: Path
    head: Head
    exchanges: tuple[Recorded, ...]
    torn: str = ""


# ---- writing


def head_line(head: Head) -> bytes:
    """The first line, as bytes."""
    return _encode(head)


def exchange_line(exchange: Exchange) -> bytes:
    """One further line, as bytes."""
    return _encode(exchange)


def _encode(line: _Line) -> bytes:
    return json.dumps(line.model_dump(exclude_none=True), default=str).encode() + b"\n"


def request_line(asked: Asked, before: Asked | None) -> RequestLine:
    """What of ``asked`` is not the same as in the exchange before."""
    if before is None:
        return RequestLine(system=asked.system, tools=asked.tools, options=asked.options, messages=asked.messages)
    pairs = zip(before.messages, asked.messages, strict=False)
    kept = len(list(takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1], pairs)))
    return RequestLine(
        system=asked.system if asked.system != before.system else None,
        tools=asked.tools if asked.tools != before.tools else None,
        options=asked.options if asked.options != before.options else None,
        kept=kept,
        messages=asked.messages[kept:],
    )


# ---- reading


def read_cassette(path: str | Path) -> Cassette:
    """The recording in a file.

    Raises:
        UsageError: there is no such file, it is no recording, of a later version, or a line cannot be read (says
            which). A last line that is torn is no fault: it is left out, and ``torn`` says so.
    """
    path = Path(path).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"recording {path}: {error.strerror or error}") from error
    lines = data.split(b"\n")
    torn = ""
    if last := lines.pop():
        torn = f"line {len(lines) + 1} breaks off after {len(last):,} bytes: the recording was stopped while writing it"
    if not lines:
        raise UsageError(f"{path} is no recording{f': {torn}' if torn else ': it is empty'}")
    head = _read_head(path, lines[0])
    exchanges = tuple(_read_exchanges(path, lines[1:]))
    return Cassette(path, head, tuple(sorted(exchanges, key=lambda each: each.exchange.number)), torn)


def _read_head(path: Path, line: bytes) -> Head:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("type") != "cassette":
        raise UsageError(f"{path} is no recording of a model: its first line is not the head of one")
    if isinstance(data.get("version"), int) and data["version"] > VERSION:
        raise UsageError(
            f"{path} is a recording of version {data['version']}; this jupyter_agenttools reads up to {VERSION}. "
            "Update it, or record anew"
        )
    return _validated(Head, data, path, 1)


def _read_exchanges(path: Path, lines: list[bytes]) -> Iterator[Recorded]:
    before: Recorded | None = None
    prints: dict[str, str] = {}
    chain = Chain()
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"recording {path}, line {number} is not JSON: {error}. Record anew") from error
        exchange: Exchange = _validated(Exchange, data, path, number)
        request = exchange.request
        prints |= {n: fingerprint(v) for n in ("system", "tools", "options") if (v := getattr(request, n)) is not None}
        kept = min(request.kept, len(chain))
        chain.keep(kept)
        chain.add(request.messages)
        prints["messages"] = chain.end if kept == request.kept else ""
        for part, found in exchange.fingerprints:
            if prints.get(part) != found:
                raise UsageError(
                    f"recording {path}, line {number}: its `{part}` do not fit their fingerprint: a line was changed, "
                    "moved or lost. Record anew"
                )
        before = Recorded(exchange, before)
        yield before


def _validated(kind: Any, data: Any, path: Path, number: int) -> Any:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the line"
        raise UsageError(f"recording {path}, line {number}: {where}: {first['msg']}. Record anew") from error
