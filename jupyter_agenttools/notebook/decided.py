"""What became of a question and by whom, in a line that stands where its card was."""

from __future__ import annotations

from ..core.prompting import BY_RULES, who_answered
from ..render.chars import escape, one_line
from .prompts import OpenPrompt

TITLE_CHARS = 120
WHO = {BY_RULES: "the rules as they are now", "interrupt": "an interrupt"}


def decided_words(prompt: OpenPrompt) -> str:
    """``Allowed by you: Bash touch a``."""
    title = one_line(prompt.request.view.title, TITLE_CHARS)
    if not prompt.future.done() or prompt.future.cancelled():
        return f"Not answered: {title}"
    answer = prompt.future.result()
    who = f"by {WHO.get(answer.answered_by) or who_answered(answer.answered_by)}"
    if answer.behavior == "deny":
        return f"Denied {who}: {title}" + (f" ({one_line(answer.message, TITLE_CHARS)})" if answer.message else "")
    how = "Edited and allowed" if answer.updated_input is not None and prompt.request.form == "approval" else "Allowed"
    kept = "".join(f"; rule kept: {one_line(u.rule, TITLE_CHARS)}" for u in answer.rule_updates)
    return f"{how} {who}: {title}{kept}"


def decided_html(prompt: OpenPrompt) -> str:
    symbol = "✓" if prompt.future.done() and not prompt.future.cancelled() and _allowed(prompt) else "⊘"
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color2,inherit);line-height:1.4"
    return f'<div role="status" style="{style}">{symbol} {escape(decided_words(prompt))}</div>'


def _allowed(prompt: OpenPrompt) -> bool:
    return prompt.future.result().behavior == "allow"
