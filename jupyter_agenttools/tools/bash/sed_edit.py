"""``sed -i`` as an edit: what it would make of each file is worked out beforehand, shown, and written by us."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from ...core.context import ToolUseContext
from ...core.decision import PermissionResult
from ...core.errors import ToolError, ToolValidationError
from ...files.change import change_file
from ...files.encoding import detect_format
from ...files.locks import file_lock
from ...files.opening import read_whole
from ...files.patch import Hunk, structured_patch
from ...files.present import present_file
from ...files.state import file_state
from ...permissions.lookup import matching_rule_for_path
from ...permissions.paths import path_forms
from ...permissions.protected import protected_part
from ...permissions.question import base_folder, working_directories
from ...permissions.roots import is_inside
from ...permissions.sed_command import SedCommand, are_plain_files, read_sed_command, written_paths
from ...shell import hardened_environment, system_path

SED_TIMEOUT_S = 5.0
MAX_BYTES = 16 << 20
"""Of all files together; bigger ones are left to sed itself."""

MAX_PATCH_CHARS = 200_000
"""Of a longer patch only the first places are kept in the result."""


class SedContent(NamedTuple):
    """One file: what it held, and what the command makes of it."""

    path: str
    old: bytes
    new: bytes


class EditedFile(NamedTuple):
    """A file that was changed, for the record. ``is_cut``: not all of its changed places are in ``patch``."""

    path: str
    patch: tuple[Hunk, ...]
    is_cut: bool = False


@dataclass(frozen=True)
class SedPlan:
    """A recognised command of one call.

    Args:
        command: its text. sed: its words. paths: everything that it writes, absolute. cwd: where it runs.
        contents: what was shown to whoever approved it; ``None`` while nothing was.
    """

    command: str
    sed: SedCommand
    paths: tuple[str, ...]
    cwd: str
    contents: tuple[SedContent, ...] | None = None


class SedFailure(Exception):
    """What sed itself said against the command."""


def plan_sed(command: str, context: ToolUseContext) -> SedPlan | None:
    """The edit that this command is, noted for its call; ``None`` when it is an ordinary command."""
    sed = read_sed_command(command, context.cwd)
    if sed is None or not are_plain_files(sed, context.cwd) or gnu_sed() is None:
        return None
    if sum(os.path.getsize(os.path.join(context.cwd, name)) for name in sed.files) > MAX_BYTES:
        return None
    plan = SedPlan(command, sed, written_paths(sed, context.cwd), context.cwd)
    file_state(context).judged.keep(context, plan)
    return plan


def judged_plan(command: str, context: ToolUseContext) -> SedPlan | None:
    """The edit that this call was judged as; worked out now when nobody judged it. ``None``: an ordinary command."""
    kept = file_state(context).judged.get(context.tool_use_id)
    if isinstance(kept, SedPlan) and (kept.command, kept.cwd) == (command, context.cwd):
        return kept
    return plan_sed(command, context)


@cache
def gnu_sed() -> str | None:
    """The absolute path of the system's GNU sed, ``None`` when there is none: others read options differently."""
    for folder in system_path().split(os.pathsep):
        program = os.path.join(folder, "sed")
        if os.path.isfile(program):
            said = _run([program, "--version"], b"", "/").stdout
            return program if b"GNU" in said else None
    return None


def judge(plan: SedPlan, context: ToolUseContext) -> PermissionResult | None:
    """What rules about editing say of the files, ``None`` when they leave it to the rules about commands."""
    permission, cwd = context.permission, context.cwd

    def rule(path: str, behavior: str) -> str | None:
        return matching_rule_for_path(path, permission, cwd=cwd, access="edit", behavior=behavior)  # type: ignore[arg-type]

    for behavior in ("deny", "ask"):
        for path in plan.paths:
            if label := rule(path, behavior):
                why = f"the command edits {path}, which the rule {label} is about"
                return PermissionResult(behavior, why, check_id=f"bash-sed-{behavior}", only_person=True)  # type: ignore[arg-type]
    base = base_folder(permission, cwd)
    for path in plan.paths:
        if part := protected_part(path_forms(path, cwd), base):
            why = f"the command edits {path}, and {part} is protected: it decides what runs"
            return PermissionResult("ask", why, check_id="bash-sed-protected", only_person=True)
    labels = [rule(path, "allow") for path in plan.paths]
    if all(labels):
        return PermissionResult("allow", f"it edits only what {labels[0]} allows to edit", check_id="bash-sed-edit")
    roots = working_directories(permission, cwd)
    if permission.mode == "acceptEdits" and all(is_inside(os.path.realpath(path), roots) for path in plan.paths):
        return PermissionResult("allow", "the mode acceptEdits allows such an edit", check_id="bash-sed-edit")
    return None


def preview_contents(plan: SedPlan, context: ToolUseContext) -> tuple[SedContent, ...]:
    """What the files hold and would hold; noted as what the approval is about. Call it in a worker thread.

    Raises:
        SedFailure: sed refuses the command.
        ToolError: a file cannot be read, or sed takes too long.
    """
    contents = _contents(plan, context)
    file_state(context).judged.keep(context, replace(plan, contents=contents))
    return contents


def _contents(plan: SedPlan, context: ToolUseContext) -> tuple[SedContent, ...]:
    paths = (os.path.normpath(os.path.join(plan.cwd, name)) for name in plan.sed.files)
    return tuple(_content(path, plan.sed, context) for path in paths)


def _content(path: str, sed: SedCommand, context: ToolUseContext) -> SedContent:
    program = gnu_sed()
    assert program is not None
    old = read_whole(path)
    done = _run([program, "--sandbox", *sed.options], old, context.cwd)
    if done.returncode:
        raise SedFailure(done.stderr.decode(errors="replace").strip().replace(f"{program}:", "sed:"))
    return SedContent(path, old, done.stdout)


def _run(argv: Sequence[str], data: bytes, cwd: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            argv, input=data, capture_output=True, cwd=cwd, env=hardened_environment(os.environ, cwd, ""),
            timeout=SED_TIMEOUT_S, start_new_session=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        message = f"sed took longer than {SED_TIMEOUT_S:g} s for one file; nothing was written"
        raise ToolError(message, check_id="bash-sed-timeout") from error


def apply_sed_edit(plan: SedPlan, context: ToolUseContext) -> tuple[EditedFile, ...]:
    """Write what was shown, or, when nobody had to be asked, what the command makes of the files now.

    Call it in a worker thread. sed itself never writes.

    Returns:
        the files that changed.

    Raises:
        SedFailure: sed refuses the command.
        ToolValidationError: a file is not what it was when the change was shown; nothing is written.
    """
    with ExitStack() as locks:
        for path in sorted(set(plan.paths)):
            locks.enter_context(file_lock(path))
        if not are_plain_files(plan.sed, plan.cwd):
            raise _changed("one of the files was replaced by something else")
        shown = plan.contents
        contents = shown if shown is not None else _contents(plan, context)
        for content in contents:
            if shown is not None and read_whole(content.path) != content.old:
                raise _changed(f"{content.path} has changed")
        return tuple(edited for content in contents for edited in _write(content, plan.sed.suffix, context))


def _changed(what: str) -> ToolValidationError:
    message = f"{what} since this edit was shown for approval. Nothing was written. Make the call again"
    return ToolValidationError(message, check_id="content-changed")


def _write(content: SedContent, suffix: str, context: ToolUseContext) -> list[EditedFile]:
    written = []
    if suffix:
        copy = content.path + suffix
        there = present_file(copy)
        if there is None or there.data != content.old:
            change_file(copy, content.old, there.data if there is not None else None, context)
            written.append(EditedFile(copy, ()))
    if content.new != content.old:
        change_file(content.path, content.new, content.old, context)
        written.append(edited_file(content))
    return written


def edited_file(content: SedContent) -> EditedFile:
    """The changed places of a file, as text."""
    encoding = detect_format(content.old).encoding
    old, new = (data.decode(encoding, "backslashreplace") for data in (content.old, content.new))
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    hunks, room = [], MAX_PATCH_CHARS
    for hunk in structured_patch(old, new):
        room -= sum(map(len, hunk.lines))
        if room < 0:
            return EditedFile(content.path, tuple(hunks), True)
        hunks.append(hunk)
    return EditedFile(content.path, tuple(hunks))
