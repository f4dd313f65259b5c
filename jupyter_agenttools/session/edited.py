"""Can an input that a person edited work, and may it run? Told while the person still has it at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.prompting import PermissionRequest

if TYPE_CHECKING:
    from .session import Session


async def problem_of_input(session: Session, request: PermissionRequest, input: Mapping[str, Any]) -> str:
    """Why the call that is asked about cannot run with this input instead; ``""`` when it can be tried.

    The input walks through the schema, the tool's own validation and the gate, as it will again once it is answered.
    """
    decision = await session.decide(request.tool_name, input)
    if decision.decided_by == "schema":
        return decision.reason
    invalid = next((s.detail for s in decision.trace if (s.check, s.outcome) == ("validate_input", "skipped")), "")
    if invalid:
        return invalid
    return f"it would be denied: {decision.reason}" if decision.behavior == "deny" else ""
