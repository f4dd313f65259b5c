"""What the permission modes say of one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..core.faults import faults
from ..core.names import EXIT_PLAN_MODE_TOOL_NAME
from ..core.plan_mode import plan_file
from .edit_commands import written_by
from .paths import PathForms
from .protected import protected_part
from .roots import is_inside

if TYPE_CHECKING:
    from ..core.tool import Tool
    from .question import Question

_CHANGES_PROGRAMS = frozenset({"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV"})
"""With one of these exported before, a program may be another one than its name says."""


def needs_person(tool: Tool, input: object) -> bool:
    """Whether the call is itself a question to a person. A flag that cannot be worked out counts as yes."""
    try:
        return bool(tool.requires_user_interaction(input))
    except faults():
        return True


def plan_mode_refusal(question: Question) -> str | None:
    """Why plan mode denies the call, ``None`` when it does not: it only reads, or writes the plan."""
    if question.permission.mode != "plan" or question.is_read_only or is_plan_file(question):
        return None
    way_out = (
        "report back what you found"
        if question.context.agent_id is not None
        else f"when the plan is ready, call {EXIT_PLAN_MODE_TOOL_NAME} so that the person can approve it"
    )
    return f"plan mode only reads, and this call of {question.tool.name} may change something; {way_out}"


def is_plan_file(question: Question) -> bool:
    """Whether the call reads or edits the one file that plan mode lets be written, and no link leads elsewhere."""
    if question.tool.rule_family not in ("read", "edit") or question.permission.mode != "plan":
        return False
    if question.paths is None:
        return False
    path = plan_file(question.context)
    folder, name = os.path.split(path)
    return question.paths == PathForms(path, os.path.join(os.path.realpath(folder), name))


def mode_allows(question: Question) -> str | None:
    """Why the mode lets the call pass without a question, ``None`` when it does not."""
    permission, family = question.permission, question.tool.rule_family
    if family == "edit" and question.paths is None:
        return None
    if permission.mode == "bypassPermissions" and permission.is_bypass_permissions_mode_available:
        return "the mode bypassPermissions allows it"
    if permission.mode == "plan" and is_plan_file(question):
        return "plan mode lets the plan be read and written"
    if permission.mode != "acceptEdits":
        return None
    if family == "edit" and question.paths is not None and is_inside(question.paths.resolved, question.roots):
        return "the mode acceptEdits allows edits in the working directories"
    if family == "command" and question.is_bash and _edits_inside(question):
        return "the mode acceptEdits allows making, copying and moving files in the working directories"
    return None


def _edits_inside(question: Question) -> bool:
    """Whether a command only makes, copies, moves or removes files in the working directories, none of it protected."""
    exported = question.context.state.shell_env
    if not _CHANGES_PROGRAMS.isdisjoint(exported) or any(name.startswith("BASH_FUNC") for name in exported):
        return False
    written, roots = written_by(question.command or "", question.cwd), question.roots
    return bool(written) and all(
        is_inside(paths.resolved, roots)
        and paths.resolved not in roots
        and protected_part(paths, question.base) is None
        for paths in written or ()
    )
