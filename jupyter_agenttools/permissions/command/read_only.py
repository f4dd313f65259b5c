"""Does a command provably only read, inside the working directories?

``classify_read_only`` answers with the paths that would be read, so that rules about reading can be applied to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ..roots import resolve_all
from .calls import judge_call
from .follow import Cover, Follower, Judged
from .parse import understand
from .parsed import TooComplex
from .places import ReadPath


class ReadOnlyVerdict(NamedTuple):
    """Whether a command may run without asking.

    Attributes:
        ok: it provably only reads, inside the given roots.
        reason: when not: one sentence.
        check_id: when not: the stable id of the check that refused.
        reads: when ok: every path that it reads.
        span: when not: where in the command, as characters ``[start, end)``.
        calls: what was found of each call until then.
    """

    ok: bool
    reason: str = ""
    check_id: str = ""
    reads: tuple[ReadPath, ...] = ()
    span: tuple[int, int] = (0, 0)
    calls: tuple[Judged, ...] = ()


def classify_read_only(command: str, *, cwd: str, roots: Sequence[str]) -> ReadOnlyVerdict:
    """May this command run without asking, because it only reads below ``roots``?

    Args:
        command: the text for bash.
        cwd: absolute path in which it would run.
        roots: the working directories; links are resolved.

    Returns:
        The verdict. Whatever is not known is not ok. Never raises. The command has to be run in the hardened way for an
        ``ok`` to hold: a fixed PATH, and no variables that make programs read configuration.
    """
    return follow_command(command, cwd, resolve_all(roots))


@lru_cache(maxsize=512)
def is_read_only_shape(command: str) -> bool:
    """Whether the command has the form of one that only reads, wherever its paths lead."""
    return follow_command(command, "/", None).ok


def follow_command(
    command: str, cwd: str, roots: tuple[str, ...] | None, cover: Cover | None = None
) -> ReadOnlyVerdict:
    """Like :func:`classify_read_only`, with something that may allow single calls (``cover``)."""
    follower = Follower(roots, cwd, judge_call, cover)
    try:
        follower.run(understand(command).root)
    except TooComplex as refusal:
        return ReadOnlyVerdict(False, refusal.reason, refusal.check_id, span=refusal.span, calls=tuple(follower.judged))
    except (OSError, ValueError, RecursionError) as error:
        return ReadOnlyVerdict(False, f"a path could not be looked at: {error}", "path", calls=tuple(follower.judged))
    reads = tuple(dict.fromkeys(read for call in follower.judged for read in call.reads))
    return ReadOnlyVerdict(True, reads=reads, calls=tuple(follower.judged))
