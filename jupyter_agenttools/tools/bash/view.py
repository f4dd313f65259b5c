"""What a person sees of a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, ImageBlockView, TextBlockView, Tone, ToolView, ViewBlock
from .card_view import edit_blocks, sandbox_badge
from .output import UNDO_NOTICE, BashOutput, BashProgress, status_line

if TYPE_CHECKING:
    from ...media.images import ShownImage

TITLE_CHARS = 120
CONDENSED_LINES = 10

NOT_STARTED = "not started"


def _command(input: Mapping[str, Any]) -> str:
    """The command as far as it is there: an input that still streams may lack it."""
    command = input.get("command")
    return command if isinstance(command, str) else ""


def _first_line(input: Mapping[str, Any]) -> str:
    first, _, more = _command(input).strip().partition("\n")
    return first[: TITLE_CHARS - 1] + "…" if more or len(first) > TITLE_CHARS else first


def _description(input: Mapping[str, Any]) -> str:
    description = input.get("description")
    return " ".join(description.split()) if isinstance(description, str) else ""


def _title(input: Mapping[str, Any]) -> str:
    return f"$ {_first_line(input)}".rstrip()


def tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    if density == "condensed" or not _command(input):
        return ToolView(_title(input))
    blocks: tuple[ViewBlock, ...] = (CodeBlockView(_command(input), "bash"),)
    if description := _description(input):
        blocks = (TextBlockView(description), *blocks)
    timeout = input.get("timeout")
    badges = (Badge(f"limit {timeout} ms"),) if timeout is not None else ()
    if input.get("run_in_background") is True:
        badges = (*badges, Badge("in the background", "info"))
    return ToolView(_title(input), badges, blocks)


def progress(payload: BashProgress) -> ToolView:
    elapsed = Badge(_seconds(payload.elapsed_ms), "info")
    if not payload.tail:
        return ToolView("No output yet" if payload.is_incomplete else "No output", (elapsed,))
    shown = payload.tail.count("\n") + (not payload.tail.endswith("\n"))
    omitted = max(0, payload.total_lines - shown)
    title = f"{payload.total_lines:,} line{'' if payload.total_lines == 1 else 's'}"
    return ToolView(title, (elapsed,), (CodeBlockView(payload.tail, "terminal", omitted=omitted),))


def result(output: BashOutput, density: Density) -> ToolView:
    badges = (_end_badge(output), *_duration(output), *_how_badges(output))
    text = output.stdout.removesuffix("\n")
    omitted = 0
    if density == "condensed":
        lines = text.split("\n")
        omitted = max(0, len(lines) - CONDENSED_LINES)
        text = "\n".join(lines[omitted:])
    blocks: list[ViewBlock] = [CodeBlockView(text, "terminal", omitted=omitted)] if text else []
    if output.image is not None:
        blocks.append(_image(output.image, density))
    blocks += edit_blocks(output.edits)
    blocks += [TextBlockView(line, tone="error" if _never_began(output) else "info") for line in _notices(output)]
    return ToolView(status_line(output) or ("Output" if text else "No output"), badges, tuple(blocks))


def _notices(output: BashOutput) -> list[str]:
    """What there is to say besides the output. How a model follows a task is not for a person, who has ``%agent``."""
    if output.background_task_id is None:
        return list(filter(None, output.stderr.split("\n")))
    return [f"Output: {output.persisted_output_path}", UNDO_NOTICE]


def _duration(output: BashOutput) -> tuple[Badge, ...]:
    """How long it ran; nothing for a command that did not, or that was started in the background."""
    started_there = output.background_task_id is not None and output.moved_after_ms is None
    nothing_ran = _end_badge(output).text == NOT_STARTED
    return () if started_there or nothing_ran else (Badge(f"ran {_seconds(output.duration_ms)}"),)


def _how_badges(output: BashOutput) -> tuple[Badge, ...]:
    """Over what and where it ran, and what it did with git."""
    transport = {"pty": (Badge("terminal"),), "pipes": (Badge("pipes"),)}.get(output.transport, ())
    git = tuple(Badge(f"git: {operation.words}", "info") for operation in output.git_operation)
    edited = (Badge("written as an edit", "info"),) if output.edits else ()
    return (*transport, *sandbox_badge(output.sandbox), *git, *edited)


def _image(image: ShownImage, density: Density) -> ImageBlockView:
    small = image.thumbnail
    shown = small if small is not None and density != "transcript" else image
    return ImageBlockView(shown.media_type, shown.data, f"{image.original_format} image that the command printed")


def _never_began(output: BashOutput) -> bool:
    return output.exit_code is None and output.background_task_id is None


def _end_badge(output: BashOutput) -> Badge:
    if output.background_task_id is not None:
        moved = output.moved_after_ms is not None  # else the badge of the input says that it is in the background
        return Badge(f"{'in the background: ' * moved}{output.background_task_id}", "info")
    if output.timed_out_after_ms is not None:
        return Badge("timed out", "error")
    if output.interrupted:
        return Badge("interrupted", "warning")
    if output.exit_code is None:
        return Badge(NOT_STARTED, "error")
    tone: Tone = "error" if output.is_error else "ok"
    return Badge(f"exit {output.exit_code}", tone)


def rejected(input: Mapping[str, Any], reason: str) -> ToolView:
    blocks = (CodeBlockView(_command(input), "bash"), TextBlockView(reason, tone="warning"))
    return ToolView(_title(input), (Badge("not run", "warning"),), blocks)


def error(input: Mapping[str, Any], fault: BaseException) -> ToolView:
    return ToolView(_title(input), (Badge("error", "error"),), (TextBlockView(str(fault), tone="error"),))


def grouped(inputs: tuple[Mapping[str, Any], ...]) -> ToolView:
    return ToolView(f"{len(inputs)} commands", blocks=(CodeBlockView("\n".join(map(_title, inputs)), "terminal"),))


def search_text(output: BashOutput) -> str:
    """Exactly what :func:`result` shows."""
    return "\n".join(filter(None, (status_line(output), output.stdout.removesuffix("\n"), *_notices(output))))


def summary(input: Mapping[str, Any]) -> str:
    return _description(input) or _first_line(input)


def activity(input: Mapping[str, Any]) -> str:
    return f"Running {_description(input) or _first_line(input) or 'a command'}"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s"
