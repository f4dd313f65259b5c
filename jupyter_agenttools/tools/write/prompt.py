"""What the model is told of Write."""

from __future__ import annotations

from ...core.names import EDIT_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME, READ_TOOL_NAME

DESCRIPTION = "Write a whole file: create it, or replace everything in it."

PROMPT = f"""\
- The file will hold exactly the given content: nothing is added or normalised. Only where every line of the old file
  ends in CR LF and the content has no CR, it is written with CR LF, as the file was. Missing folders are made.
- An existing file must have been read completely with {READ_TOOL_NAME} in this conversation and be unchanged since.
- To change a part of a file use {EDIT_TOOL_NAME}; for notebooks always use {NOTEBOOK_EDIT_TOOL_NAME}. Write a notebook
  (.ipynb) only as complete notebook JSON.
- An existing byte order mark and encoding are kept, and an encoding that the content itself declares is used; else the
  file is UTF-8. The result says what was done. Mode, owner and links stay as they are.
- Keys and tokens do not belong into files that are shared as a memory (CLAUDE.md, AGENTS.md, .claude/): such a write is
  refused."""
