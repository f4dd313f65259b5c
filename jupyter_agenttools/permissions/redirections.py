"""Whether a command's redirection may write a file without asking."""

from __future__ import annotations

import os
import stat

from ..core.context import RuleBehavior
from ..core.errors import RuleSyntaxError
from .command.links import is_system
from .lookup import matching_rule_for_path
from .paths import PathForms
from .protected import protected_part
from .question import Question
from .roots import is_inside


def may_redirect_to(question: Question, given: str, resolved: str) -> bool:
    """Is an allow rule about editing, or the mode acceptEdits, about this file, and nothing against it?

    Args:
        question: the call. given: the absolute path. resolved: where it leads.
    """
    if not could_redirect_to(question, given, resolved):
        return False
    permission = question.permission
    if permission.mode == "acceptEdits" and is_inside(resolved, question.roots):
        return True
    # As for edits: that a path is written as one in the working directories needs no rule, only where it leads.
    named = resolved if is_inside(given, (*question.roots, question.base)) else given
    try:
        rule = matching_rule_for_path(named, permission, cwd=question.cwd, access="edit", behavior="allow")
    except RuleSyntaxError:
        return False
    return rule is not None


def could_redirect_to(question: Question, given: str, resolved: str) -> bool:
    """Could a rule about editing allow writing this file by a redirection?

    Protected places, the system's own files and whatever is no ordinary file are never written without asking, and
    neither is anything while a rule cannot be read.

    Args:
        question, given, resolved: as for :func:`may_redirect_to`.
    """
    if protected_part(PathForms(given, resolved), question.base) is not None or is_system(resolved, ()):
        return False
    permission, cwd = question.permission, question.cwd
    behaviors: tuple[RuleBehavior, ...] = ("deny", "ask")
    try:
        against = [
            matching_rule_for_path(given, permission, cwd=cwd, access="edit", behavior=behavior)
            for behavior in behaviors
        ]
    except RuleSyntaxError:
        return False
    return against == [None, None] and _is_plain(resolved)


def _is_plain(path: str) -> bool:
    """Whether there is an ordinary file at ``path`` with no second name, or nothing yet."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1
