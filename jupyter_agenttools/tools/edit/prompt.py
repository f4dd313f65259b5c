"""What the model is told of Edit, and how results read to it."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.names import EDIT_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME, READ_TOOL_NAME, WRITE_TOOL_NAME
from ...files.patch import Hunk
from .output import EditOutput

DESCRIPTION = "Replace a text in a file by another one, exactly."

PROMPT = f"""\
- old_string must be exactly what the file holds, every blank and indentation included, without the line numbers and
  arrows of {READ_TOOL_NAME}. Nothing is guessed: where it is not found, the answer tells what is there instead.
- new_string goes in exactly as given; backslashes, quotes and $ mean nothing special.
- old_string must stand in the file once. Make it longer (a line or two more) until it does, or set replace_all=true to
  replace every place.
- The lines that change must have been read with {READ_TOOL_NAME} in this conversation (a part of a long file is
  enough), and the file must be unchanged since. After an {EDIT_TOOL_NAME} of your own it need not be read again.
- Everything else in the file stays as it is, byte for byte: encoding, byte order mark, line ends. Write line ends as
  plain newlines; they become CR LF where the file has CR LF.
- An empty old_string makes a new file, or fills an empty one. To replace a whole file use {WRITE_TOOL_NAME}; for
  notebooks (.ipynb) use {NOTEBOOK_EDIT_TOOL_NAME}.
- Several edits of one file can be sent together; they are done in order.
- Keys and tokens do not belong into files that are shared as a memory (CLAUDE.md, AGENTS.md, .claude/): such an edit is
  refused."""

MAX_SNIPPET_LINES = 60
MAX_SNIPPET_CHARS = 400
"""Of a line; the model knows what it asked for."""


def result_text(output: EditOutput) -> str:
    """The result as the model reads it: what was done, and the new lines with their numbers."""
    if output.type == "create":
        head = f"File created: {output.file_path}."
    elif output.type == "fill":
        head = f"{output.file_path} was empty and holds the text now."
    else:
        count = output.replacements
        head = f"{output.file_path} was edited: {count:,} place{'' if count == 1 else 's'} changed."
    snippet = list(_snippet(output.structured_patch)) if output.type == "update" else []
    notes = [f"[{note}]" for note in output.notes]
    return "\n".join([head, *(["The lines there are now:", *snippet] if snippet else []), *notes])


def _snippet(hunks: tuple[Hunk, ...]) -> Iterator[str]:
    left = MAX_SNIPPET_LINES
    for shown, hunk in enumerate(hunks):
        if left <= 0:
            yield f"… and {len(hunks) - shown} more changed parts"
            return
        if shown:
            yield "…"
        lines = [line[1:] for line in hunk.lines if line[0] != "-"]
        yield from (f"{number:>6}→{_cut(line)}" for number, line in enumerate(lines[:left], hunk.new_start))
        if len(lines) > left:
            yield f"… and {len(lines) - left} more lines of this part"
        left -= len(lines)


def _cut(line: str) -> str:
    line = line.removesuffix("\r")
    more = len(line) - MAX_SNIPPET_CHARS
    return f"{line[:MAX_SNIPPET_CHARS]} […{more:,} more characters]" if more > 0 else line
