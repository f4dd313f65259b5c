"""Values of a settings file in messages: short, on one line, and with nothing in them that a terminal would obey."""

from __future__ import annotations

SHOWN_CHARS = 80


def printable(text: str) -> str:
    """The text with every character spelled out that a terminal or a reader would take for something else."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def shortened(text: str, most: int) -> str:
    """The text on one line of at most so many characters."""
    line = printable(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1]}…"


def shown(value: object) -> str:
    """The value as a message shows it: text in quotes, an error as it speaks, anything else as JSON writes it."""
    if isinstance(value, str):
        whole = repr(value) if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]!r}… ({len(value):,} characters)"
        return printable(whole)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value):,}"
    if isinstance(value, dict) or hasattr(value, "keys"):
        return f"an object of {len(value):,}"  # type: ignore[arg-type]
    return shortened(str(value), SHOWN_CHARS)
