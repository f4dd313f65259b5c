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
    style = (
        "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;"
        "font-family:var(--jp-code-font-family,monospace);font-size:12px;line-height:1.5"
    )
    return {"text/plain": text, "text/html": f'<pre style="{style}">{html.escape(text)}</pre>'}
