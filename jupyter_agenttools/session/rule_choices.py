"""Which rules can a person choose from, to allow a call from now on?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.cancel import Cancellation
from ..core.prompting import PermissionRequest
from ..permissions.single_rule import wide_rules
from .deciding import asked_state

if TYPE_CHECKING:
    from .session import Session


def rule_choices(session: Session, request: PermissionRequest) -> tuple[tuple[str, ...], ...]:
    """Sets of rules each of which would allow the call that is asked about, the narrowest first."""
    if not request.decision.together:
        return tuple((rule,) for rule in request.suggestions)
    tool = session.find_tool(request.tool_name)
    if tool is None:
        return (request.offered,)
    wide = wide_rules(asked_state(request, tool, session.call_context(request.tool_use_id, Cancellation())))
    is_enough = bool(wide) and session.rule_covers(wide, request)
    return tuple(dict.fromkeys((request.offered, *((wide,) if is_enough else ()))))
