"""What the model is told of Config, and how its result reads to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .options import OPTIONS

if TYPE_CHECKING:
    from .tool import ConfigOutput

DESCRIPTION = "Look at a setting of this session, or set it when the person wants that."


def prompt() -> str:
    """The settings with their values."""
    lines = [
        f"- {name}: {option.about}; {' or '.join(option.values) if option.values else 'can only be read'}"
        for name, option in OPTIONS.items()
    ]
    return "\n".join(
        (
            "- Leave value out to read a setting; setting one lasts until the end of the session.",
            "- Set one only when the person asked for it. A mode that lets more pass is always put to the person.",
            "The settings:",
            *lines,
        )
    )


def result_text(output: ConfigOutput) -> str:
    """The result as the model reads it."""
    value = json.dumps(output.value, ensure_ascii=False)
    if output.previous is None:
        return f"{output.setting} is {value}"
    return f"{output.setting} is {value} now (before: {json.dumps(output.previous, ensure_ascii=False)})"
