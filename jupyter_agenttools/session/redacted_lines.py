"""The lines of a transcript without what is secret in them. Which of them hold blocks of messages is known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.secret_blocks import redact_block, redact_message
from ..core.secrets import redact_json


def redacted_line(line: Mapping[str, Any]) -> dict[str, Any]:
    """The line without secrets. Signatures and images stay where it holds messages and results, and nowhere else."""
    match line:
        case {"type": "message"}:
            return redact_message(line)
        case {"type": "history", "messages": list(messages)}:
            return redact_json(line) | {"messages": [redact_message(each) for each in messages]}
        case {"type": "call_end", "block": dict(block)}:
            return redact_json(line) | {"block": redact_block(block)}
        case _:
            return redact_json(line)
