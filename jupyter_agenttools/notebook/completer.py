"""Offering completions on the lines of our magics."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .loaded import Loaded

MAGIC_LINE = re.compile(
    r"^\s*(?:[\w\s,.\[\]'\"]+=\s*)?(?P<cell>%?)%(?P<magic>tool|agent)[^\S\n]+(?P<rest>.*)$", re.DOTALL
)


def register_completer(shell: Any, loaded: Loaded) -> Callable[[], None]:
    """Add our matcher to IPython's completer. Returns the undo."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher(identifier="jupyter_agenttools", priority=100)
    def matcher(context: Any) -> dict[str, Any]:
        line = context.line_with_cursor[: context.cursor_position]
        if not MAGIC_LINE.match(line):
            return {"completions": []}
        from .completions import completed

        fitting = completed(line, context.token, loaded.runtime)
        found = [SimpleCompletion(text=w, type="param" if w.endswith("=") else "magic") for w in fitting]
        return {"completions": found, "suppress": bool(found)}

    matchers = shell.Completer.custom_matchers
    matchers.append(matcher)
    return lambda: matchers.remove(matcher) if matcher in matchers else None
