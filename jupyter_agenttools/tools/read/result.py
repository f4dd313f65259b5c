"""How results of Read read to the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...core.blocks import ImageBlock, TextBlock
from ...core.names import BASH_TOOL_NAME
from ...files.ipynb import CellOutput, NotebookCell
from ...files.telling import told
from ...media.images import ShownImage, image_words
from .output import FileUnchanged, ImageRead, NotebookRead, PdfPage, PdfRead, ReadOutput, TextRead
from .prompt import UNCHANGED

Part = str | ShownImage
Content = str | tuple[TextBlock | ImageBlock, ...]


def result_content(output: ReadOutput) -> Content:
    """The result as the model reads it: a text, or texts with images where they belong."""
    if isinstance(output, FileUnchanged):
        return UNCHANGED
    if isinstance(output, TextRead):
        return result_text(output)
    return _blocks([*_body(output), *_notes(output)])


def result_text(output: ReadOutput) -> str:
    """Only the texts of it."""
    if isinstance(output, FileUnchanged):
        return UNCHANGED
    if isinstance(output, TextRead):
        return "\n".join((*_lines(output), *_notes(output)))
    return "\n".join(part for part in (*_body(output), *_notes(output)) if isinstance(part, str))


def _body(output: NotebookRead | ImageRead | PdfRead) -> Iterable[Part]:
    if isinstance(output, NotebookRead):
        return _cells(output)
    return _image(output) if isinstance(output, ImageRead) else _pages(output)


def _notes(output: TextRead | NotebookRead | ImageRead | PdfRead) -> list[str]:
    notes = [f"[{note}]" for note in output.notes]
    return [*([""] if notes and output.has_content else []), *notes]


def _blocks(parts: Sequence[Part]) -> Content:
    blocks: list[TextBlock | ImageBlock] = []
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if texts:
            blocks.append(TextBlock("\n".join(texts)))
        texts = []
        blocks.append(ImageBlock({"type": "base64", "media_type": part.media_type, "data": part.data}))
    if not blocks:
        return "\n".join(texts)
    return (*blocks, TextBlock("\n".join(texts))) if any(texts) else tuple(blocks)


def _lines(output: TextRead) -> list[str]:
    lines = _numbered(output.lines, output.start_line)
    for number, missing in output.cut:
        lines[number - output.start_line] += f" […{missing:,} more characters]"
    return lines


def _numbered(lines: Sequence[str], first: int) -> list[str]:
    """Each line after its number, which is six characters wide. Numbers with as many digits are done together, because
    writing a number into a given width takes as long as everything else here."""
    numbered: list[str] = []
    done = 0
    while done < len(lines):
        number = first + done
        digits = len(str(number))
        pad, end = " " * (6 - digits), done + 10**digits - number
        numbered += [f"{pad}{number}→{line}" for number, line in enumerate(lines[done:end], number)]
        done = end
    return numbered


def _image(output: ImageRead) -> Iterator[Part]:
    image = output.image
    yield f"[{image.original_format} image, {output.original_size:,} bytes, {image_words(image)}]"
    yield image


def _pages(output: PdfRead) -> Iterator[Part]:
    count = f"{output.total_pages:,} page{'' if output.total_pages == 1 else 's'}"
    yield f"[PDF document, {count}, {output.original_size:,} bytes]"
    for page in output.pages:
        yield f'<page number="{page.number}">'
        if page.text.strip():
            yield page.text.rstrip()
        yield from (f"[{note}]" for note in page_notes(page))
        if page.image is not None:
            yield f"[the image after this text ({page.image.width:,} × {page.image.height:,} px) shows the page]"
        yield "</page>"
        if page.image is not None:
            yield page.image


def page_notes(page: PdfPage) -> Iterator[str]:
    """One line for each thing of a page that is missing here."""
    if page.omitted:
        yield f"{page.omitted:,} more characters of this page are left out"
    if page.problem:
        yield page.problem
    elif page.is_blank:
        yield "this page is blank"
    elif page.unpictured:
        yield f"what this page shows is not all text: read it alone (pages={page.number}) to see it"


def _cells(output: NotebookRead) -> Iterator[Part]:
    images = {(found.cell, found.output, found.line): found.image for found in output.images}
    for cell in output.cells:
        yield f"<cell {_attributes(cell)}>"
        if cell.source:
            yield cell.source
        yield "</cell>"
        for position, shown in enumerate(cell.outputs):
            lines = {
                line: image for (at, among, line), image in images.items() if (at, among) == (cell.index, position)
            }
            yield from _output(shown, lines)
        yield from _missing(cell, is_alone=len(output.cells) == 1)


def _missing(cell: NotebookCell, is_alone: bool) -> Iterator[str]:
    """What of a cell's outputs is not here, and how to get it."""
    cut = sum(output.omitted for output in cell.outputs)
    if not cut and not cell.hidden_outputs:
        return
    what = [f"{cell.hidden_outputs} more outputs of this cell are not shown"] if cell.hidden_outputs else []
    what += [f"{cut:,} characters of its outputs are left out"] if cut else []
    how = f"read this cell alone: offset={cell.index + 1}, limit=1"
    if is_alone:
        how = f"take them out of the file with {BASH_TOOL_NAME} (jq '.cells[{cell.index}].outputs')"
    yield f"[{' and '.join(what)}; {how}]"


def _attributes(cell: NotebookCell) -> str:
    parts = [f'id="{_in_quotes(cell.address)}"', f'type="{_in_quotes(cell.cell_type)}"']
    if cell.execution_count is not None:
        parts.append(f'execution_count="{cell.execution_count}"')
    if cell.tags:
        parts.append(f'tags="{_in_quotes(", ".join(cell.tags))}"')
    if cell.crlf:
        parts.append('line_ends="CR LF"')
    return " ".join(parts)


def _in_quotes(text: str) -> str:
    """A name from the file as the value of an attribute, which it cannot end. NotebookEdit understands such an id."""
    return told(text).replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def _output(output: CellOutput, images: dict[int, ShownImage]) -> Iterator[Part]:
    name = f' name="{_in_quotes(output.name)}"' if output.name else ""
    yield f'<output type="{_in_quotes(output.output_type)}"{name}>'
    if output.text:
        yield output.text
    for number, line in enumerate(output.media):
        yield f"[{line}]"
        if number in images:
            yield images[number]
    yield "</output>"
