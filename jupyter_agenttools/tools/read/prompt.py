"""What the model is told of Read, and how results read to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...core.names import BASH_TOOL_NAME, GLOB_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME
from ...files.budget import MAX_TOKENS
from ...files.ipynb import CellOutput, NotebookCell
from ...files.window import DEFAULT_LIMIT, MAX_LINE_CHARS
from .output import FileUnchanged, ReadOutput, TextRead

DESCRIPTION = "Read a text file (lines with their numbers) or a Jupyter notebook (cells with their ids)."

PROMPT = f"""\
- file_path: absolute is best; a relative path starts at the working directory; ~ is expanded.
- Without offset and limit the first {DEFAULT_LIMIT:,} lines are given. For a large file ask for a part: offset is the
  number of the first line (from 1), limit how many lines. One result holds at most about {MAX_TOKENS:,} tokens.
- Each line is shown as its number, an arrow (→) and then exactly its text, tabs included. The number and the arrow are
  not part of the file. Lines longer than {MAX_LINE_CHARS:,} characters are cut, and the result says so.
- A notebook (.ipynb) is shown as cells with their ids and shortened outputs; offset and limit then count cells. Use the
  ids with {NOTEBOOK_EDIT_TOOL_NAME}. To see more of the outputs of one cell, read that cell alone (limit=1).
- A file that has not changed since you read the same part is not repeated.
- Only regular files can be read: list a folder with {GLOB_TOOL_NAME}; search, and look into binary
  formats, with {BASH_TOOL_NAME}.
- Read a file before you change it. Several files can be read at the same time."""

UNCHANGED = (
    "File unchanged since you last read this part of it: "
    "its content is in that earlier result and is not repeated here."
)


def result_text(output: ReadOutput) -> str:
    """The result as the model reads it."""
    if isinstance(output, FileUnchanged):
        return UNCHANGED
    body = _lines(output) if isinstance(output, TextRead) else _cells(output.cells)
    notes = [f"[{note}]" for note in output.notes]
    return "\n".join([*body, *([""] if notes and output.has_content else []), *notes])


def _lines(output: TextRead) -> Iterator[str]:
    cut = dict(output.cut)
    for number, line in enumerate(output.lines, output.start_line):
        mark = f" […{cut[number]:,} more characters]" if number in cut else ""
        yield f"{number:>6}→{line}{mark}"


def _cells(cells: Sequence[NotebookCell]) -> Iterator[str]:
    for cell in cells:
        yield f"<cell {_attributes(cell)}>"
        if cell.source:
            yield cell.source
        yield "</cell>"
        for output in cell.outputs:
            yield from _output(output)
        if cell.hidden_outputs:
            how = f"read this cell alone: offset={cell.index + 1}, limit=1"
            yield f"[{cell.hidden_outputs} more outputs of this cell are not shown; {how}]"


def _attributes(cell: NotebookCell) -> str:
    parts = [f'id="{cell.address}"', f'type="{cell.cell_type}"']
    if cell.execution_count is not None:
        parts.append(f'execution_count="{cell.execution_count}"')
    if cell.tags:
        parts.append(f'tags="{", ".join(cell.tags)}"')
    if cell.crlf:
        parts.append('line_ends="CR LF"')
    return " ".join(parts)


def _output(output: CellOutput) -> Iterable[str]:
    name = f' name="{output.name}"' if output.name else ""
    yield f'<output type="{output.output_type}"{name}>'
    if output.text:
        yield output.text
    yield from (f"[{line}]" for line in output.media)
    yield "</output>"
