"""Names of events with a typing error in them."""

from __future__ import annotations

import difflib
import re

from .events import EVENTS, HookEvent

LIKENESS = 0.82
"""From where on a name counts as a mistyped one: ``ToolUse`` and ``PreTool`` do, ``PermissionGranted`` does not."""

_BETWEEN = re.compile(r"[\W_]+")
_BY_FOLDED: dict[str, HookEvent] = {name.lower(): name for name in EVENTS}


def meant_event(name: object) -> HookEvent | None:
    """The event that this name, which is none, is nearly; ``None`` when it is another word altogether.

    Capitals count as little as what stands between words: ``pre_tool_use`` is ``PreToolUse``.
    """
    if name in EVENTS:
        return None
    near = difflib.get_close_matches(_BETWEEN.sub("", str(name)[:100]).lower(), _BY_FOLDED, n=1, cutoff=LIKENESS)
    return _BY_FOLDED[near[0]] if near else None
