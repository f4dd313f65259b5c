"""What the model is told of Grep, and how results read to it."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.names import BASH_TOOL_NAME, GLOB_TOOL_NAME, READ_TOOL_NAME
from ...files.telling import shortened
from .output import FileLines, GrepOutput, ShownLine

DEFAULT_LIMIT = 250
"""Entries of one page when none is asked for."""

DESCRIPTION = "Search the contents of files with a regular expression (ripgrep's dialect)."

PROMPT = f"""\
- Use it instead of {BASH_TOOL_NAME} with grep or rg: it asks less, and says what it left out.
- pattern: a regular expression as in ripgrep, e.g. "log.*Error", "function\\s+\\w+". Plain dots, brackets and
  parentheses are escaped ("main\\(", "\\.env"). Looking around and back references work too. Case counts, unless -i is
  true.
- path: a folder (all below it is searched) or one file; the working directory when left out.
- glob: which files, e.g. "*.py", "*.{{ts,tsx}}", "src/**/*.py", "!*.min.js"; several are separated by commas.
  type: the same by kind, e.g. py, js, rust, ipynb.
- output_mode: "files_with_matches" gives the paths, the file changed last first; "content" gives the lines, with -n
  (numbers, on by default), -A -B -C (lines around) and -o (the matches alone); "count" gives how often each file
  matches.
- head_limit: how many files, matching lines (lines around them are not counted) or, with -o or multiline, matches are
  given: {DEFAULT_LIMIT} by default, 0 for all. offset passes over the first ones. The order stays, so pages fit
  together.
- multiline: true lets matches span lines, and . match line ends.
- Hidden files are searched; folders of version control and binary files are not, nor what .gitignore, .ignore and
  .rgignore leave out. A folder or file that is named as path is searched even so. Only where nothing matches are they
  looked into, and it is said which of them hold it.
- To find files by their names use {GLOB_TOOL_NAME}; to see a file around a line, {READ_TOOL_NAME} with offset and
  limit."""


def result_text(output: GrepOutput) -> str:
    """The result as the model reads it."""
    return "\n".join([*_body(output), *(f"[{note}]" for note in notes_of(output))])


def nothing_text(output: GrepOutput) -> str:
    """What is said where nothing matches."""
    return f"No match for {shortened(output.pattern)} in {shortened(output.root)}."


def _body(output: GrepOutput) -> Iterator[str]:
    if not output.total:
        yield nothing_text(output)
    elif output.mode == "content":
        yield from [output.content] if output.content else []
    elif output.mode == "count":
        yield from (f"{name}:{count}" for name, count in zip(output.filenames, output.counts, strict=True))
    else:
        yield from output.filenames


def content_text(files: tuple[FileLines, ...], *, numbers: bool, groups: bool) -> str:
    """The lines of files as one text: ``path:number:line``, with ``-`` instead of ``:`` for lines around a match.

    Args:
        numbers: whether to give the numbers. groups: set stretches that are apart apart.
    """
    built: list[str] = []
    for file in files:
        last = None
        for line in file.lines:
            if groups and built and (last is None or line.number != last + 1):
                built.append("--")
            built.append(_line(file.path, line, numbers))
            last = line.number
    return "\n".join(built)


def _line(path: str, line: ShownLine, numbers: bool) -> str:
    sign = ":" if line.is_match else "-"
    return f"{path}{sign}{line.number}{sign}{line.text}" if numbers else f"{path}{sign}{line.text}"


def notes_of(output: GrepOutput) -> Iterator[str]:
    """What there is to say beside the result, a sentence each."""
    if output.stopped:
        yield f"incomplete: {stopped_words(output)}; search in a smaller folder (path), or fewer files (glob, type)"
    yield from _page_notes(output)
    if not output.total:
        yield from _nothing_notes(output)
    yield from _trouble_notes(output)
    if output.engine_note:
        yield output.engine_note


def stopped_words(output: GrepOutput) -> str:
    if output.stopped == "time":
        return f"stopped after {output.time_limit_s:g} s"
    return f"stopped, {output.stopped}"


def _page_notes(output: GrepOutput) -> Iterator[str]:
    least = "at least " if output.stopped else ""
    if output.total and output.shown < output.total:
        end = output.applied_offset + output.shown
        start = f" from offset {output.applied_offset}" if output.applied_offset else ""
        of = f"showing {output.shown} of {least}{counted(output.total, output.unit)}{start}"
        if output.applied_offset >= output.total:
            yield f"nothing is left at offset {output.applied_offset}: there are {least}{output.total}"
        elif end < output.total:
            full = "; the result is full" if output.cut_chars else ""
            yield f"{of}{full}; go on with offset={end}"
        else:
            yield f"{of}: the last ones"
    if output.mode == "count" and output.total:
        yield f"{least}{counted(output.num_matches, output.counted)} in {counted(output.num_files, 'file')}"


def _nothing_notes(output: GrepOutput) -> Iterator[str]:
    left = output.not_shown
    least = "at least " if left.partial else ""
    if left.ignored:
        names = ", ".join(left.ignored_names)
        more = " …" if left.ignored > len(left.ignored_names) else ""
        holds = "holds" if left.ignored == 1 else "hold"
        yield (
            f"{least}{counted(left.ignored, 'file')} skipped by ignore rules {holds} it: {names}{more}; "
            "name the file or its folder as path to search there"
        )
    if left.binary:
        holds = "holds" if left.binary == 1 else "hold"
        yield f"{least}{counted(left.binary, 'binary file')}, not searched, {holds} it"
    if output.searched == 0:
        yield "no file was searched: none there fits path, glob and type, or ignore rules leave all of them out"
    elif output.searched is not None:
        yield f"{counted(output.searched, 'file')} looked into"


def _trouble_notes(output: GrepOutput) -> Iterator[str]:
    left = output.not_shown
    parts = [counted(n, unit) for n, unit in ((left.folders, "folder"), (left.files, "file")) if n]
    if parts:
        yield f"{' and '.join(parts)} could not be opened, and {'was' if parts == ['1 file'] else 'were'} not searched"
    if left.unshown:
        yield f"lines of {', '.join(left.unshown)} cannot be shown: too long, or the file has changed meanwhile"


def counted(number: int, unit: str) -> str:
    """A number with its unit, e.g. ``1 file``, ``3 matches``."""
    plural = "es" if unit.endswith("ch") else "s"
    return f"{number} {unit}{'' if number == 1 else plural}"
