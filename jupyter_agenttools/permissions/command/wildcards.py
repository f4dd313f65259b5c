"""The regular expression of a shell's wildcards, for patterns that somebody may have written to keep us busy."""

from __future__ import annotations

from collections.abc import Iterable

STAR = ".*"


def whole_regex(signs: Iterable[str]) -> str:
    """The expression, for a whole text, of the expressions of single signs and of ``STAR``.

    What stands between two stars is looked for once, from the left, and never again: the first place leaves the most
    for what follows. So no pattern takes longer than its length times that of the text.
    """
    pieces = [""]
    for sign in signs:
        if sign == STAR:
            pieces.append("")
        else:
            pieces[-1] += sign
    first, *rest = pieces
    if not rest:
        return first
    between = "".join(f"(?>.*?{piece})" for piece in rest[:-1] if piece)
    return f"{first}{between}{STAR}{rest[-1]}"
