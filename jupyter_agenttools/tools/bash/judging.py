"""What Bash itself says of a command before it runs, and what the person who is asked about it sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core.context import ToolUseContext
from ...core.decision import DecisionStep, PermissionResult
from ...core.errors import ToolError
from ...core.result import VALID, ValidationResult
from ...core.views import ToolView
from . import card_view, view


def validate_sandbox(input: Any, context: ToolUseContext) -> ValidationResult:
    """Whether the command can run where the settings want it."""
    wanted = context.options.sandbox
    if wanted.mode == "off":
        return VALID
    if input.dangerouslyDisableSandbox and not wanted.allow_unsandboxed:
        message = "`dangerouslyDisableSandbox`: the settings allow no command outside of the sandbox; leave it out"
        return ValidationResult(False, message, "bash-sandbox-fixed")
    from .sandboxing import choose_sandbox

    refusal = choose_sandbox(input.command, input.dangerouslyDisableSandbox, context).refusal
    return ValidationResult(False, refusal, "bash-sandbox-missing") if refusal else VALID


async def check_permissions(input: Any, context: ToolUseContext) -> PermissionResult:
    """The opinion of the tool: out of the sandbox asks, an edit is judged as one, reading is allowed, and so is what
    runs in the sandbox where a setting says so."""
    from .sed_edit import judge, plan_sed

    plan, is_disabled = plan_sed(input.command, context), input.dangerouslyDisableSandbox
    edit = judge(plan, context) if plan is not None else None
    opinion = _opinion(input.command, context, may_be_contained=plan is None and not is_disabled)
    if edit is not None:
        opinion = replace(edit, steps=(*opinion.steps, DecisionStep("checkSedEdit", edit.behavior, edit.reason)))
    if is_disabled and (edit is None or edit.behavior == "allow"):
        reason = "the call asks to run outside of the sandbox, which a person always decides"
        steps = (*opinion.steps, DecisionStep("checkSandboxDisabled", "ask", reason))
        return PermissionResult("ask", reason, check_id="bash-sandbox-disabled", steps=steps, only_person=True)
    return opinion


async def check_watched(command: str, context: ToolUseContext) -> PermissionResult:
    """The opinion about a command that is run as it is, whatever it edits."""
    return _opinion(command, context, may_be_contained=True)


def _opinion(command: str, context: ToolUseContext, *, may_be_contained: bool) -> PermissionResult:
    from ...permissions.command.chain import judge_command
    from ...permissions.question import working_directories

    roots = working_directories(context.permission, context.cwd)
    enough = may_be_contained and _is_enough(command, context)
    sandboxed = "it runs in the sandbox, and a setting says that this is enough" if enough else ""
    return judge_command(command, cwd=context.cwd, roots=roots, sandboxed=sandboxed).result


def _is_enough(command: str, context: ToolUseContext) -> bool:
    """Whether running in the sandbox makes an approval needless."""
    if context.options.sandbox.mode == "off" or not context.options.sandbox.auto_allow:
        return False
    from .sandboxing import choose_sandbox, rules_can_hold

    return choose_sandbox(command, False, context).state == "sandbox" and rules_can_hold(context)


def preview(input: Any, context: ToolUseContext) -> ToolView:
    """The approval card: the command, where it would run, and for a ``sed -i`` what would change in the files."""
    from .sandboxing import choose_sandbox
    from .sed_edit import SedFailure, edited_file, plan_sed, preview_contents

    choice = choose_sandbox(input.command, input.dangerouslyDisableSandbox, context)
    card = card_view.card(view.tool_use(input.model_dump(), "verbose"), choice)
    plan = plan_sed(input.command, context)
    if plan is None:
        return card
    try:
        contents = preview_contents(plan, context)
    except SedFailure as failure:
        return card_view.impossible_edit(card, str(failure))
    except ToolError as failure:
        return card_view.impossible_edit(card, failure.message)
    changed = [edited_file(content) for content in contents if content.new != content.old]
    return card_view.edit_card(card, changed, plan.sed.suffix)
