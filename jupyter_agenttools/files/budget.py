"""How much may one reading put into the conversation?"""

from __future__ import annotations

from ..core.errors import ToolValidationError

MAX_TOKENS = 25_000
"""The field's limit for one Read."""

BYTES_PER_TOKEN = 4
"""A rough rule for UTF-8 text; right within a factor of two for English, code and CJK."""

MAX_BYTES = MAX_TOKENS * BYTES_PER_TOKEN


class MaxFileReadTokenExceededError(ToolValidationError):
    """More was asked for than one result may hold."""

    kind = "MaxFileReadTokenExceeded"


def rough_tokens(size: int) -> int:
    """About how many tokens ``size`` bytes of UTF-8 text are."""
    return -(-size // BYTES_PER_TOKEN)


def exceeded(path: str, what: str, unit: str, offset: int, fitting: int) -> MaxFileReadTokenExceededError:
    """The refusal of a reading that is too big.

    Args:
        what: what was asked for, e.g. ``lines 1-2000``.
        unit: what offset and limit count, ``lines`` or ``cells``.
        offset: where the reading began.
        fitting: how many of ``unit`` would have fitted.
    """
    advice = (
        f"Read less: the first {fitting} {unit} fit (offset={offset}, limit={fitting}), then go on from there"
        if fitting
        else f"Not even the first of these {unit} fits; take a part of it with Bash"
    )
    return MaxFileReadTokenExceededError(
        f"{path}: {what} are more than {MAX_TOKENS:,} tokens, which is the most that one Read gives. "
        f"{advice}, or search it with Bash (grep -n)",
        check_id="read-too-many-tokens",
    )
