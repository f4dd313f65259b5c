"""How a search for lines looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.views import (
    Badge,
    CodeBlockView,
    Density,
    ProgressBlockView,
    TableBlockView,
    TextBlockView,
    Tone,
    ToolView,
    ViewBlock,
)
from ...files.encoding import visible
from ...files.languages import language_of
from ...files.telling import shortened
from .output import FileLines, GrepOutput, SearchProgress, ShownLine
from .prompt import counted, notes_of, nothing_text

TITLE_CHARS = 80


def summary(input: Mapping[str, Any]) -> str:
    """Works while the input still streams."""
    words = [_one_line(str(input.get("pattern", "")))]
    words += [f"in {shortened(str(input['path']))}"] if input.get("path") else []
    filters = [_one_line(str(input[field])) for field in ("glob", "type") if input.get(field)]
    words += [f"({', '.join(filters)})"] if filters else []
    return " ".join(word for word in words if word)


def _one_line(text: str) -> str:
    line = visible(text).replace("\n", "\\n")
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    mode = input.get("output_mode")
    badges = (Badge(str(mode)),) if mode not in (None, "files_with_matches") else ()
    return ToolView(f"Grep {summary(input)}".rstrip(), badges)


def render_progress(payload: SearchProgress) -> ToolView:
    label = f"{counted(payload.found, 'file')} so far"
    return ToolView("Searching", (Badge(f"{payload.elapsed_ms / 1000:.0f} s", "info"),), (ProgressBlockView(label),))


def render_result(output: GrepOutput, density: Density) -> ToolView:
    badges = [Badge(counted(output.num_files, "file"), "neutral" if output.num_files else "info")]
    if output.mode != "files_with_matches" and output.num_matches:
        badges.append(Badge(counted(output.num_matches, output.counted)))
    if output.stopped:
        badges.append(Badge("incomplete", "warning"))
    title = f"Grep {_one_line(output.pattern)}"
    if density == "condensed":
        return ToolView(title, tuple(badges), collapsed=True)
    tone: Tone = "warning" if output.stopped else "info"
    notes = tuple(TextBlockView(note, tone=tone) for note in notes_of(output))
    return ToolView(title, tuple(badges), (*_blocks(output), *notes))


def _blocks(output: GrepOutput) -> tuple[ViewBlock, ...]:
    if not output.total:
        return (TextBlockView(nothing_text(output)),)
    if output.mode == "content":
        return tuple(block for file in output.files for block in _code(file))
    if not output.filenames:
        return ()
    rows = tuple((name, str(count)) for name, count in zip(output.filenames, output.counts, strict=True))
    return (TableBlockView(("file", "matches"), rows, kinds=("code", "number")),)


def _code(file: FileLines) -> list[CodeBlockView]:
    """One block for each stretch of lines in a row; the first says which file it is."""
    stretches: list[list[ShownLine]] = []
    for line in file.lines:
        if not stretches or line.number != stretches[-1][-1].number + 1:
            stretches.append([])
        stretches[-1].append(line)
    titles = (file.path, *("" for _ in stretches[1:]))
    return [_stretch(lines, file.path, title) for lines, title in zip(stretches, titles, strict=False)]


def _stretch(lines: list[ShownLine], path: str, title: str) -> CodeBlockView:
    text = "\n".join(line.text for line in lines)
    marks = tuple((at, start, end) for at, line in enumerate(lines) for start, end in line.spans)
    return CodeBlockView(text, language_of(path), lines[0].number, title=title, marks=marks)


def extract_search_text(output: GrepOutput) -> str:
    """Exactly what :func:`render_result` shows."""
    if not output.total:
        shown = [nothing_text(output)]
    elif output.mode == "content":
        shown = [part for file in output.files for part in (file.path, *(line.text for line in file.lines))]
    else:
        shown = [f"{name} {count}" for name, count in zip(output.filenames, output.counts, strict=True)]
    return "\n".join([output.pattern, *shown, *notes_of(output)])


def activity(input: Mapping[str, Any]) -> str:
    return f"Searching for {summary(input)}".rstrip()
