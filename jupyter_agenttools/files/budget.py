"""How much may one reading put into the conversation?

An estimate comes first, because it costs nothing. Only a reading that is estimated above a quarter of the limit is
counted, and only where there is a model that can count; where counting fails or takes too long the estimate decides.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..core.errors import ToolValidationError
from ..core.names import GREP_TOOL_NAME
from ..core.rough_tokens import token_weight

MAX_TOKENS = 25_000
"""The field's limit for one Read."""

TOKEN_LIMIT_VARIABLES = (
    "JUPYTER_AGENTTOOLS_FILE_READ_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS",
)
"""Another limit, in the session's ``env`` or in the kernel's environment."""

BYTES_PER_TOKEN = 4
"""The usual rule of thumb for plain prose and code."""

MAX_BYTES = MAX_TOKENS * BYTES_PER_TOKEN

MAX_BYTES_PER_TOKEN = 16
"""No text that anybody reads has more; so much of it is refused while it streams, without being counted."""

LINE_TOKENS = 4
"""What a line's number and its arrow add: measured 2.0-5.9, with the tokenizers named at
:func:`~jupyter_agenttools.core.rough_tokens.rough_tokens`."""

_MAX_BYTES_PER_CHAR = 4

_MARGIN = 0.95
"""What is advised after an exact count is scaled from the estimate, so it stays this far below the limit."""

_CHECKED_ADVICE = 3
"""How often the advised part is counted and made smaller before it is given."""


class MaxFileReadTokenExceededError(ToolValidationError):
    """More was asked for than one result may hold."""

    kind = "MaxFileReadTokenExceeded"


class Reading(NamedTuple):
    """What is about to be shown.

    Attributes:
        path: of the file.
        what: what was asked for, e.g. ``lines 1-2000``.
        unit: what offset and limit count, ``lines`` or ``cells``.
        offset: number of the first unit.
        units: the text of each unit.
        render: the first so many units as the model will read them.
    """

    path: str
    what: str
    unit: str
    offset: int
    units: Sequence[str]
    render: Callable[[int], str]


def max_read_tokens(env: Mapping[str, str]) -> int:
    """The limit for one reading: of the settings' ``env``, else of the environment, else :data:`MAX_TOKENS`. A value
    that is no positive number is not used."""
    for name in TOKEN_LIMIT_VARIABLES:
        value = (env.get(name) or os.environ.get(name) or "").strip()
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return MAX_TOKENS


def require_fitting(reading: Reading, max_tokens: int, count: Callable[[str], int | None]) -> None:
    """Do nothing when a reading may enter the conversation.

    Args:
        count: the exact number of tokens in a text, ``None`` where nobody knows it.

    Raises:
        MaxFileReadTokenExceededError: it is too much; says how much fits.
    """
    numbers = LINE_TOKENS * len(reading.units)
    if sum(map(len, reading.units)) * _MAX_BYTES_PER_CHAR + numbers <= max_tokens / 4:  # a byte is one token at most
        return
    estimate = token_weight("".join(reading.units)) / 100 + numbers
    if estimate <= max_tokens / 4:
        return
    exact = count(reading.render(len(reading.units)))
    tokens = estimate if exact is None else exact
    if tokens <= max_tokens:
        return
    weights = [0, *accumulate(token_weight(unit) + 100 * LINE_TOKENS for unit in reading.units)]
    fitting = _fitting(weights, max_tokens)
    if exact is not None:
        fitting = _counted_fitting(reading, weights, exact / estimate, max_tokens, count)
    raise exceeded(reading.path, reading.what, reading.unit, reading.offset, fitting, max_tokens, int(tokens))


def _fitting(weights: Sequence[int], max_tokens: float) -> int:
    return bisect_right(weights, max_tokens * 100) - 1


def _counted_fitting(
    reading: Reading, weights: Sequence[int], ratio: float, max_tokens: int, count: Callable[[str], int | None]
) -> int:
    """How many units fit, checked by counting them: the file may be denser at its beginning than it is on average."""
    fitting = min(_fitting(weights, max_tokens * _MARGIN / ratio), len(reading.units) - 1)
    for _ in range(_CHECKED_ADVICE):
        tokens = count(reading.render(fitting)) if fitting else 0
        if tokens is None or tokens <= max_tokens:
            break
        fitting = min(int(fitting * _MARGIN * max_tokens / tokens), fitting - 1)
    return fitting


def fitting_lines(lines: Sequence[str], max_tokens: int) -> int:
    """How many of these lines, from the first on, are estimated to fit."""
    return _fitting([0, *accumulate(token_weight(line) + 100 * LINE_TOKENS for line in lines)], max_tokens)


def exceeded(
    path: str, what: str, unit: str, offset: int, fitting: int, max_tokens: int = MAX_TOKENS, tokens: int | None = None
) -> MaxFileReadTokenExceededError:
    """The refusal of a reading that is too big.

    Args:
        what: what was asked for, e.g. ``lines 1-2000``.
        unit: what offset and limit count, ``lines`` or ``cells``.
        offset: where the reading began.
        fitting: how many of ``unit`` would have fitted.
        max_tokens: the limit.
        tokens: how many it is, where that is known.
    """
    advice = (
        f"Read less: the first {fitting} {unit} fit (offset={offset}, limit={fitting}), then go on from there"
        if fitting > 0
        else f"Not even the first of these {unit} fits; take a part of it with Bash"
    )
    size = "more than" if tokens is None else f"about {tokens:,} tokens, more than"
    return MaxFileReadTokenExceededError(
        f"{path}: {what} are {size} the {max_tokens:,} tokens that one Read gives. "
        f"{advice}; or look for what you need with {GREP_TOOL_NAME}",
        check_id="read-too-many-tokens",
    )
