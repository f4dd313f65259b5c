"""How what a provider wants back with a block survives in our own messages: one opaque text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

_FORMAT = "jupyter_agenttools.part"


@dataclass(frozen=True)
class Keepsake:
    """What belongs to a part of an answer beside its text.

    Args:
        provider: the system that made it; nobody else can use it.
        signature, id, details: as it was sent.
        tool_use_id: the call that ``details`` belong to, ``""`` when they belong to the thinking itself.
    """

    provider: str
    signature: str | None = None
    id: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    tool_use_id: str = ""

    def to_text(self) -> str:
        """One line of JSON, without what is empty."""
        kept = {name: value for name, value in vars(self).items() if value}
        return json.dumps({"format": _FORMAT, **kept}, separators=(",", ":"), default=str)

    @classmethod
    def from_text(cls, text: str) -> Keepsake | None:
        """The inverse; ``None`` for a text that is something else, such as a bare signature."""
        try:
            data = json.loads(text)
        except ValueError:
            return None
        if not isinstance(data, dict) or data.pop("format", None) != _FORMAT:
            return None
        try:
            return cls(**data)
        except TypeError:
            return None
