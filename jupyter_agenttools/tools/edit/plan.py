"""What would an edit do to the file as it is now? Everything but the writing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...files.encoding import UTF8, TextFormat, decode_visibly, encode, encode_part
from ...files.feeds import Feeds
from ...files.guard import require_known, require_lines_seen, require_unchanged
from ...files.matching import Match, Matcher
from ...files.memory import is_shared_memory, require_no_secret
from ...files.network_path import require_local_spelling, target_path
from ...files.opening import MAX_WHOLE_BYTES
from ...files.paths import describe_missing
from ...files.present import Present, format_for, present_file
from ...files.shifts import LineShift, line_shifts
from ...files.splice import Change, Splice, splice
from ...files.state import file_state
from . import refusals

if TYPE_CHECKING:
    from ...core.context import ToolUseContext
    from .tool import EditInput


@dataclass(frozen=True)
class EditPlan:
    """An edit that can be done.

    Args:
        path: absolute. present: the file now, ``None`` when there is none.
        form: its encoding.
        result: what it would hold.
        replacements: how many places change.
    """

    path: str
    present: Present | None
    form: TextFormat
    result: Splice
    replacements: int

    @property
    def old_data(self) -> bytes:
        return self.present.data if self.present is not None else b""

    @property
    def shifts(self) -> tuple[LineShift, ...]:
        """Which lines would become which."""
        return line_shifts(self.old_data, self.form, self.result.changes)


def check_words(input: EditInput) -> None:
    """Do nothing for an input that makes sense; no disk is looked at.

    Raises:
        ToolValidationError: it cannot work, whatever the file holds.
    """
    if input.file_path.endswith("/"):
        raise refusals.refusal("path-is-folder", f"{input.file_path} names a folder; give the path of a file")
    require_local_spelling(input.file_path)
    if input.old_string == input.new_string:
        raise refusals.same()
    if "\0" in input.new_string:
        raise refusals.holds_nul()
    encode_part(input.new_string, UTF8)
    if input.file_path.lower().endswith(".ipynb"):
        raise refusals.notebook(input.file_path)


def plan_edit(input: EditInput, context: ToolUseContext) -> EditPlan:
    """Find out what the edit would do. Blocks; writes nothing.

    Raises:
        ToolValidationError: it cannot be done; the message says what is there instead.
    """
    check_words(input)
    path = target_path(input.file_path, context.cwd)
    if os.path.realpath(path).lower().endswith(".ipynb"):
        raise refusals.notebook(path)
    require_no_secret(path, input.new_string, input.old_string)
    present = present_file(path)
    if not input.old_string:
        return _plan_creation(path, present, input.new_string)
    if present is None:
        raise refusals.refusal("file-missing", f"{path} does not exist.{describe_missing(path)}")
    return _plan_replacement(path, present, input, context)


def _plan_creation(path: str, present: Present | None, text: str) -> EditPlan:
    form = format_for(text, present)
    if present is not None and present.data != form.mark:
        raise refusals.exists(path)
    old, data = present.data if present is not None else b"", encode(text, form)
    change = Change(len(old), len(old), data[len(old) :])
    return EditPlan(path, present, form, Splice(data, (change,), frozenset()), 1)


def _plan_replacement(path: str, present: Present, input: EditInput, context: ToolUseContext) -> EditPlan:
    data, form, kind = present.data, present.form, present.binary
    if kind is not None:
        raise refusals.binary(path, kind)
    record = require_known(path, file_state(context).get(path, context.agent_id))
    require_unchanged(path, record, present.content_hash)
    matches = _matches(path, data, form, input)
    require_lines_seen(path, record, _touched_lines(data, form, matches))
    result = splice(data, form, matches, input.new_string)
    _require_writable(path, data, form, result)
    return EditPlan(path, present, form, result, len(matches))


def _matches(path: str, data: bytes, form: TextFormat, input: EditInput) -> Sequence[Match]:
    matcher = Matcher(input.old_string, form)
    matches = matcher.all(data) if input.replace_all else matcher.count(data, refusals.MAX_COUNTED + 1)
    if not matches:
        raise refusals.not_found(path, data, form, input.old_string)
    if len(matches) > 1 and not input.replace_all:
        raise refusals.not_unique(path, data, form, matches)
    return matches


def _touched_lines(data: bytes, form: TextFormat, matches: Sequence[Match]) -> Iterator[tuple[int, int]]:
    """First and last line of each match; a line end belongs to the line that it ends."""
    feeds, line, position = Feeds(data, form), 1, 0
    for start, end in matches:
        line += feeds.count(position, start)
        within = feeds.count(start, end)
        yield line, line + within - data[start:end].endswith(feeds.feed)
        line, position = line + within, end


def _require_writable(path: str, data: bytes, form: TextFormat, result: Splice) -> None:
    if result.data == data:
        raise refusals.no_change(path)
    if len(result.data) > MAX_WHOLE_BYTES:
        raise refusals.too_large(path, len(result.data))
    if form.mark and form.encoding != "utf-8" and not result.data.startswith(form.mark):
        raise refusals.removes_mark(path, form)
    if is_shared_memory(path):
        old, new = (decode_visibly(content, form)[0] for content in (data, result.data))
        require_no_secret(path, new, old)
