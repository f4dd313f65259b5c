"""One hook's answer to one event, with everything that is known of how it came about."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..core.call import HookRun
from .definition import Hook
from .events import BLOCKABLE
from .output import SILENT, HookOutput, Word

MAX_TEXT_CHARS = 10_000
"""The documented limit of one text of a hook; longer ones go to a file, with a preview in their place."""

PREVIEW_CHARS = 2_000
SHOWN_CHARS = 400


class Answer(NamedTuple):
    """What came of one hook.

    Attributes:
        hook: who. output: what it said, as it counts.
        failure: why there is no proper answer, ``""`` when there is one.
        duration_ms: wall time. exit_code: of a command that ended by itself.
        stdin, stdout, stderr: what went in and came out, of a command or request.
    """

    hook: Hook
    output: HookOutput = SILENT
    failure: str = ""
    duration_ms: float = 0.0
    exit_code: int | None = None
    stdin: bytes = b""
    stdout: bytes = b""
    stderr: bytes = b""

    @property
    def is_silent(self) -> bool:
        return self.output == SILENT and not self.failure

    @property
    def said(self) -> str:
        """One line: the hook, and what it said."""
        return f"{self.hook.name}: {f'failed ({self.failure})' if self.failure else words_of_output(self.output)}"

    @property
    def run(self) -> HookRun:
        """The answer as a record."""
        decision = self.output.behavior or ("stop" if self.output.stop is not None else "no objection")
        note = self.failure or self.output.warning
        return HookRun(self.hook.name, decision, self.hook.source, self.duration_ms, self.exit_code, note)


def words_of_output(output: HookOutput) -> str:
    parts: list[str] = [output.behavior or ("stop" if output.stop is not None else "no objection")]
    if output.updated_input is not None:
        parts.append("changed the input")
    if output.updated_output is not None:
        parts.append("changed the output")
    return ", ".join((*parts, *(text for text in (output.reason, output.warning, output.message) if text)))


def failed(hook: Hook, why: str) -> Answer:
    """The answer of a hook that broke: as it was made to count, and a guard that nobody told otherwise blocks."""
    return Answer(hook, HookOutput(_on_failure(hook), why), why)


def unreadable(hook: Hook, why: str, shown: str = "") -> Answer:
    """The answer of a hook that said something unreadable: what a guard meant is for a person to find out."""
    text = f"{why}: {clip(shown)}" if shown else why
    if hook.failure_is_set or hook.kind == "python" or not hook.is_guard:
        return failed(hook, text)
    return Answer(hook, HookOutput("ask", text), text)


def late(hook: Hook) -> Answer:
    """The answer of a hook whose time was up. The documented protocol has no decision then; here a guard asks."""
    why = f"took longer than {hook.limit_s:g} s"
    behavior: Word | None = "ask" if hook.is_guard and hook.on_failure != "pass" else None
    return Answer(hook, HookOutput(behavior, why), why)


def _on_failure(hook: Hook) -> Word | None:
    if hook.on_failure == "block" and hook.event in BLOCKABLE:
        return "deny"
    return "ask" if hook.on_failure == "ask" and hook.is_guard else None


def clip(text: str) -> str:
    text = text.strip()
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… [{len(text) - SHOWN_CHARS:,} more characters]"


def fitted(answer: Answer, keep: Callable[[str], str]) -> Answer:
    """The answer with every text that is too long in a file.

    Args:
        keep: puts a text into a file and says which.
    """
    output = answer.output
    if output is SILENT:
        return answer
    names = ("reason", "additional_context", "stop", "message", "warning")
    long = {name: text for name in names if len(text := getattr(output, name) or "") > MAX_TEXT_CHARS}
    kept = {name: _kept(text, keep) for name, text in long.items()}
    return answer._replace(output=output._replace(**kept)) if kept else answer


def _kept(text: str, keep: Callable[[str], str]) -> str:
    try:
        where = f"all {len(text):,} characters are in {keep(text)}"
    except OSError as problem:
        where = f"{len(text) - PREVIEW_CHARS:,} more characters could not be kept: {problem}"
    return f"{text[:PREVIEW_CHARS]}\n… [{where}]"
