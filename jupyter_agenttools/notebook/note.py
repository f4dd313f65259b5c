"""Plain text as an output."""

from __future__ import annotations

import html


def note_bundle(text: str) -> dict[str, str]:
    """A line of text as an output; also what a saved notebook shows when a run never came to its end."""
    style = "color:var(--jp-ui-font-color2,inherit);font-family:var(--jp-ui-font-family,sans-serif)"
    return {"text/plain": text, "text/html": f'<div style="{style}">{html.escape(text)}</div>'}


def lines_bundle(lines: list[str]) -> dict[str, str]:
    """Some lines of text as an output, in a fixed-width face."""
    text = "\n".join(lines)
    return {"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"}
