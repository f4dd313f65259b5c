"""What the model is told of Glob, and how results read to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.names import GREP_TOOL_NAME
from ...files.telling import shortened

if TYPE_CHECKING:
    from .tool import GlobOutput

DESCRIPTION = "Find files by a pattern of their names, the one changed last first."

PROMPT = f"""\
- pattern: * and ? stay within one name, ** spans folders, [abc] is one of some characters, {{a,b}} either text; e.g.
  **/*.py, src/**/test_*.{{py,ipynb}}. Without ** only the folder itself is searched. Case counts.
- path: the folder to search in; the working directory when left out.
- At most 100 files are listed; the total is said. What .gitignore, .ignore and .rgignore leave out is not listed,
  but counted; name such a folder as path to search in it.
- To search in the contents of files use {GREP_TOOL_NAME}."""


def result_text(output: GlobOutput) -> str:
    """The result as the model reads it."""
    notes = [f"[{note}]" for note in _notes(output)]
    if not output.filenames:
        return "\n".join([f"No file matches {shortened(output.pattern)} in {shortened(output.root)}.", *notes])
    return "\n".join([*output.filenames, *notes])


def _notes(output: GlobOutput) -> Iterator[str]:
    if output.stopped_after_s is not None:
        yield (
            f"incomplete: stopped after {output.stopped_after_s:g} s and {output.folders_searched:,} folders; "
            "search in a smaller folder (path)"
        )
    if output.truncated:
        yield f"the {output.num_files} changed last of {output.total_matches:,}; narrow the pattern to see the others"
    if output.ignored:
        least = "at least " if output.ignored_is_partial else ""
        yield f"{least}{output.ignored:,} more left out by ignore rules"
    if output.unreadable_folders:
        count = output.unreadable_folders
        yield f"{count:,} folder{'' if count == 1 else 's'} could not be opened"
    if output.filenames or output.stopped_after_s is not None:
        return
    if output.pattern.endswith("/"):
        folders = shortened(output.pattern.rstrip("/"))
        yield f"a pattern that ends in / means folders, and only files are listed; {folders}/** lists the files in them"
    elif "/" not in output.pattern:
        yield f"only the folder itself was searched; **/{shortened(output.pattern)} searches below it too"
