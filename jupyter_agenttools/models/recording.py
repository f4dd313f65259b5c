"""A model whose exchanges are written to a file, each when it has ended."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from ..core.blocks import to_json
from ..core.errors import InterruptedToolError, ModelError
from ..core.faults import as_exception, faults
from ..core.secrets import holds_known_value, redact, redact_json
from ..core.texts import visible
from .asked import Asked, AskedReader, fingerprint
from .cassette import (
    Exchange,
    FaultLine,
    Fingerprints,
    Head,
    PartLine,
    RequestLine,
    RetryLine,
    StopLine,
    TextLine,
    ThinkingLine,
    ToolUseLine,
    UsageLine,
)
from .closing import answer_of
from .faults import fault_of
from .folders import Folders, map_texts
from .protocol import Model, ModelPart, ModelRequest, RetryPart, StopPart, TextPart, ThinkingPart, ToolUsePart
from .runs import runs, signature_of, text_of, unsigned, with_text
from .tape import Existing, open_tape


class RecordingModel:
    """Answers as ``model`` does, and writes what was asked and answered.

    What ``model`` offers beside its answers is offered here too. A disk that is full costs no answer: the one that
    could not be written is given out, and the next request is refused with the reason.

    Args:
        path: the file; made at once, private to its owner.
        folders: what is written by name, so that the recording can be replayed elsewhere.
        existing: see :data:`Existing`.

    Raises:
        UsageError: the file cannot be made, or is there already.
    """

    def __init__(self, model: Model, path: str | Path, *, folders: Folders, existing: Existing = "own") -> None:
        self.model, self.name = model, model.name
        name, provider = (_shown(str(each)) for each in (model.name, getattr(model, "provider", "")))
        head = Head(model=name, provider=provider, time=round(time.time(), 3))
        self.tape = open_tape(Path(path).expanduser().absolute(), head, existing)
        self._let_go = weakref.finalize(self, self.tape.release)
        self._folders, self._reader, self._reading = folders, AskedReader(folders), threading.Lock()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("model", "tape"):
            raise AttributeError(name)
        return getattr(self.model, name)

    def close(self) -> None:
        """Let go of the file: nothing can be asked here any more."""
        self._let_go()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        if why := self.tape.fault or ("" if self._let_go.alive else "it was closed"):
            raise ModelError(f"the recording {self.tape.path} cannot be written: {why}. Record to another file")
        taking = _Taking(self.tape.next_number(), self.tape.now(), self.tape.now)
        with self._reading:
            asked = self._reader.read(request)
        try:
            async with answer_of(self.model, request) as parts:
                async for part in parts:
                    taking.add(part)
                    yield part
            taking.end = "cut"
        except faults() as error:
            taking.fail(as_exception(error))
            raise
        finally:
            window = getattr(self.model, "context_window", None)
            self.tape.write(asked, lambda line: taking.exchange(asked, line, self._folders, window))


class _Taking:
    """One exchange while it goes on."""

    def __init__(self, number: int, began_s: float, now: Callable[[], float]) -> None:
        self._number, self._began_s, self._now = number, began_s, now
        self._parts: list[tuple[float, ModelPart]] = []
        self._fault: FaultLine | None = None
        self.end: Literal["cut", "fault", "left"] = "left"

    def add(self, part: ModelPart) -> None:
        self._parts.append((round((self._now() - self._began_s) * 1000, 1), part))

    def fail(self, error: Exception) -> None:
        if not isinstance(error, InterruptedToolError):
            fault = fault_of(error)
            self._fault = FaultLine(
                kind=fault.kind, message=visible(redact(fault.message)), retry_after_s=fault.retry_after_s
            )
            self.end = "fault"

    def exchange(self, asked: Asked, line: RequestLine, folders: Folders, context_window: int | None) -> Exchange:
        ended = any(isinstance(part, StopPart) for _, part in self._parts) and self.end != "fault"
        return Exchange(
            number=self._number,
            began_s=self._began_s,
            ended_s=self._now(),
            request=line,
            fingerprints=Fingerprints(**asked.fingerprints),
            parts=_lines(self._parts, folders),
            end="stop" if ended else self.end,
            fault=self._fault,
            context_window=context_window,
        )


def _lines(parts: list[tuple[float, ModelPart]], folders: Folders) -> list[PartLine]:
    def keep(text: str) -> str:
        return visible(folders.name(redact(text)))

    kept: list[tuple[ModelPart, str]] = []
    for run in runs([part for _, part in parts]):
        text = text_of(run)
        signature = signature_of(run)
        signed = "" if signature is None else fingerprint(text)
        shown = with_text(run, keep)
        if signature is not None and (redact(text) != text or holds_known_value(signature)):
            shown, signed = unsigned(shown), ""
        kept += [(part, signed) for part in shown]
    return [_line(part, ms, signed, keep, folders) for (ms, _), (part, signed) in zip(parts, kept, strict=True)]


def _shown(text: str) -> str:
    """A name or an id, which has no folder in it."""
    return visible(redact(text))


def _line(part: ModelPart, ms: float, signed: str, keep: Callable[[str], str], folders: Folders) -> PartLine:
    match part:
        case TextPart(text):
            return TextLine(ms=ms, text=text)
        case ThinkingPart(text, signature):
            return ThinkingLine(ms=ms, text=text, signature=signature, signed=signed if signature is not None else None)
        case ToolUsePart(use, problem):
            input = map_texts(redact_json(to_json(use.input)), lambda text: visible(folders.name(text)))
            return ToolUseLine(ms=ms, id=_shown(use.id), name=_shown(use.name), input=input, problem=keep(problem))
        case RetryPart(why, delay_s, attempt):
            return RetryLine(ms=ms, why=keep(why), delay_s=delay_s, attempt=attempt)
        case StopPart(reason, usage, detail):
            return StopLine(
                ms=ms, reason=reason, usage=UsageLine(**asdict(usage)) if usage else None, detail=keep(detail)
            )
