"""What does the text after ``%agent trust`` ask for?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..core.errors import UsageError

TrustAction = Literal["show", "approve", "refuse"]


@dataclass(frozen=True)
class AgentTrust:
    """Look at what the settings files of a project ask for, or answer.

    Args:
        number: of the file in the list, ``0`` for the only one.
    """

    action: TrustAction = "show"
    number: int = 0


def parse_trust(text: str) -> AgentTrust:
    """What is asked for.

    Raises:
        UsageError: another word, or something else than a number after it.
    """
    word, _, rest = text.strip().partition(" ")
    if not word:
        return AgentTrust()
    number = rest.strip()
    if word not in get_args(TrustAction) or (number and not (number.isdecimal() and int(number))):
        raise UsageError(f"%agent trust: write approve or refuse, and the number of the file, got {text.strip()!r}")
    return AgentTrust(word, int(number or 0))  # type: ignore[arg-type]
