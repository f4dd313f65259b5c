"""What a card shows of its question: who asks for what, all of it, and why it is asked."""

from __future__ import annotations

from dataclasses import replace

from ...core.prompting import PermissionRequest
from ...core.views import CodeBlockView, ToolView
from ...render import view_html
from ...render.chars import escape, one_line
from ...render.why import why_html
from ...session import Session, rule_place
from ...session.asked_call import (
    call_title,
    command_reading,
    main_text,
    odd_signs,
    who_asks,
    why_asked,
    with_all_arguments,
)
from .parts import heading_html

NAME_CHARS = 120


def face_html(request: PermissionRequest, session: Session) -> str:
    """The whole question."""
    who, view = who_asks(request), with_all_arguments(request)
    name = one_line(f"{who}: {call_title(request)}", NAME_CHARS)
    heading = heading_html(who, why_asked(request, session), name=name) + odd_signs_html(request)
    return heading + view_html(_titled(view), below=why(request, session))


def _titled(view: ToolView) -> ToolView:
    """The view without a title that only repeats the command which is shown below it."""
    first = view.title.removeprefix("$ ").removesuffix("…")
    code = next((block for block in view.blocks if isinstance(block, CodeBlockView)), None)
    repeats = view.title.startswith("$ ") and code is not None and code.text.strip().startswith(first)
    return replace(view, title="Command") if repeats else view


def why(request: PermissionRequest, session: Session) -> str:
    """The folded trace."""
    text, reading = main_text(request, session), command_reading(request, session)
    return why_html(request.decision, text, lambda step: rule_place(session.settings, step), reading)


def odd_signs_html(request: PermissionRequest) -> str:
    """A warning about characters of the input that hide, reorder or pass for others."""
    found = odd_signs(request.input)
    if not found:
        return ""
    style = "color:var(--jp-error-color1,#b00020);overflow-wrap:anywhere;line-height:1.4"
    items = "".join(f"<li>{escape(words)}</li>" for words in found)
    head = "<b>⚠ Look twice:</b> this input holds characters that deceive."
    return f'<div role="alert" style="{style}">{head}<ul style="margin:2px 0 4px">{items}</ul></div>'
