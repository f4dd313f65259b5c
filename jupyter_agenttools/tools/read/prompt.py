"""What the model is told of Read."""

from __future__ import annotations

from ...core.names import BASH_TOOL_NAME, GLOB_TOOL_NAME, GREP_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME
from ...files.budget import MAX_TOKENS
from ...files.window import DEFAULT_LIMIT, MAX_LINE_CHARS
from .page_ranges import FEW_PAGES, FIRST_PAGES, MAX_PAGES

DESCRIPTION = (
    "Read a file: text (lines with their numbers), a Jupyter notebook (cells with their ids), an image, or a PDF."
)

PROMPT = f"""\
- file_path: absolute is best; a relative path starts at the working directory; ~ is expanded.
- Without offset and limit the first {DEFAULT_LIMIT:,} lines are given. For a large file ask for a part: offset is the
  number of the first line (from 1), limit how many lines. One result holds at most about {MAX_TOKENS:,} tokens.
- Each line is shown as its number, an arrow (→) and then exactly its text, tabs included. The number and the arrow are
  not part of the file. Lines longer than {MAX_LINE_CHARS:,} characters are cut, and the result says so.
- A notebook (.ipynb) is shown as cells with their ids and shortened outputs; offset and limit then count cells. Use the
  ids with {NOTEBOOK_EDIT_TOOL_NAME}. Images among the outputs are shown when there are few. To see more of the outputs
  and images of one cell, read that cell alone (limit=1).
- An image (PNG, JPEG, GIF, WebP, BMP, TIFF …) is shown to you, scaled down when it is large. What a file is, its bytes
  say, not its name.
- Of a PDF you get the text of each page, and an image of pages that are more than text. Without `pages` up to
  {FIRST_PAGES} pages are read; name at most {MAX_PAGES}, such as "3", "1-5" or "1,4-6". Up to {FEW_PAGES} named pages
  are always shown as images too.
- A file that has not changed since you read the same part is not repeated.
- Only regular files can be read: list a folder with {GLOB_TOOL_NAME}, search in files with {GREP_TOOL_NAME}, and look
  into binary formats with {BASH_TOOL_NAME}.
- Read a file before you change it. Several files can be read at the same time."""

UNCHANGED = (
    "File unchanged since you last read this part of it: "
    "its content is in that earlier result and is not repeated here."
)
