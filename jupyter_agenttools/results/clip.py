"""A text that is cut in the middle."""

from __future__ import annotations

HEAD_SHARE = 0.75
"""Of what is shown, this part is the beginning; the rest is the end, where errors like to say what happened."""


def clip(text: str, max_chars: int) -> str:
    """The text if it has at most ``max_chars`` characters, else so many of its beginning and end, and what is missing.

    The line that says how much is missing comes on top of ``max_chars``.
    """
    if len(text) <= max_chars:
        return text
    head = int(max_chars * HEAD_SHARE)
    tail = len(text) - (max_chars - head)
    return f"{text[:head]}\n\n[… {tail - head:,} characters left out …]\n\n{text[tail:]}"
