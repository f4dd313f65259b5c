"""What a command came to, as data, and the words in which the model is told."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...core.blocks import ImageBlock, TextBlock, ToolResultBlock

if TYPE_CHECKING:
    from ...media.images import ShownImage
    from .git_operations import GitOperation
    from .sandboxing import SandboxState
    from .sed_edit import EditedFile


UNDO_NOTICE = "Undo does not cover what it changes in the background."


@dataclass(frozen=True)
class BashProgress:
    """A command while it runs.

    Args:
        id: ``bash-progress-N``, counting from 1 within a call.
        tail: the last lines as they look now (at most 200 lines and 32 kB); may hold colour sequences.
        total_lines, total_bytes: of the output so far.
        elapsed_ms: since the start.
        is_incomplete: whether more may come.
        output_path: the file with everything so far, ``None`` while there is nothing.
    """

    id: str
    tail: str
    total_lines: int
    total_bytes: int
    elapsed_ms: int
    is_incomplete: bool
    output_path: str | None = None


@dataclass(frozen=True)
class BashOutput:
    """A command that is over.

    Args:
        stdout: both outputs as text, cut in the middle when too long: in order of arrival from a terminal, the error
            output after the other one from pipes.
        stderr: what there is to say about the command besides its output, one notice a line.
        interrupted: somebody stopped it.
        exit_code: 128 and the signal's number when a signal ended it; ``None`` when it never started.
        timed_out_after_ms: its time limit, when that stopped it.
        return_code_interpretation: what an exit code other than 0 means that is no failure.
        persisted_output_path: the file with every byte of the output, when ``stdout`` is not exactly that.
        persisted_output_size: bytes in that file.
        total_lines, total_bytes: of the whole output.
        cwd: where the next command will run.
        duration_ms: from start to end; of a command that goes on in the background, up to now.
        background_task_id: by which a command that goes on in the background is asked about.
        backgrounded_by_user: a person put it there.
        moved_after_ms: when it was put there, if it began in front.
        transport: over what the output came.
        sandbox: whether it ran in the sandbox, and if not, why.
        git_operation: what it did with git.
        image: the image that its output is.
        edits: the files that were changed by us in its place.
    """

    stdout: str
    stderr: str = ""
    interrupted: bool = False
    exit_code: int | None = None
    timed_out_after_ms: int | None = None
    return_code_interpretation: str | None = None
    persisted_output_path: str | None = None
    persisted_output_size: int | None = None
    total_lines: int = 0
    total_bytes: int = 0
    cwd: str = ""
    duration_ms: int = 0
    background_task_id: str | None = None
    backgrounded_by_user: bool = False
    moved_after_ms: int | None = None
    transport: Literal["pty", "pipes", ""] = ""
    sandbox: SandboxState = "off"
    git_operation: tuple[GitOperation, ...] = ()
    image: ShownImage | None = None
    edits: tuple[EditedFile, ...] = ()

    @property
    def is_image(self) -> bool:
        return self.image is not None

    @property
    def is_error(self) -> bool:
        if self.background_task_id is not None:
            return False
        if self.interrupted or self.timed_out_after_ms is not None:
            return True
        return self.exit_code != 0 and self.return_code_interpretation is None


def status_line(output: BashOutput) -> str:
    """How it ended, in a few words; empty for plain success."""
    if output.background_task_id is not None:
        return _background_words(output)
    after = f"{output.duration_ms / 1000:.1f} s"
    if output.timed_out_after_ms is not None:
        limit = f"{output.timed_out_after_ms} ms"
        return f"Timed out: stopped after {after} (limit {limit}) with everything that it had started"
    if output.interrupted:
        return f"Interrupted: stopped after {after} with everything that it had started"
    if output.exit_code in (0, None):
        return ""
    if output.return_code_interpretation:
        return f"Exit code {output.exit_code}: {output.return_code_interpretation}"
    return f"Exit code {output.exit_code}{_signal_words(output.exit_code or 0)}"


def _background_words(output: BashOutput) -> str:
    runs = f"runs in the background as task {output.background_task_id}"
    if output.moved_after_ms is None:
        return f"The command {runs}."
    who = "the person moved it there" if output.backgrounded_by_user else "its time was up"
    more = "; so far it printed:" if output.stdout else "; it has printed nothing so far."
    return f"The command still {runs}: {who} after {output.moved_after_ms / 1000:.1f} s{more}"


def _signal_words(code: int) -> str:
    try:
        return f" (as after {signal.Signals(code - 128).name})" if code > 128 else ""
    except ValueError:
        return ""


def map_output(output: BashOutput, tool_use_id: str) -> ToolResultBlock:
    """The block that the model reads: how it ended (unless well), the output, the notices."""
    parts = [status_line(output), output.stdout.removesuffix("\n"), output.stderr]
    if not output.stdout and output.exit_code is not None:
        parts[1] = "(no output)"
    text = "\n".join(part for part in parts if part)
    if output.image is None:
        return ToolResultBlock(tool_use_id, text, is_error=output.is_error)
    source = {"type": "base64", "media_type": output.image.media_type, "data": output.image.data}
    return ToolResultBlock(tool_use_id, (TextBlock(text), ImageBlock(source)), is_error=output.is_error)
