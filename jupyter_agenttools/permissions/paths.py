"""Rules about files: gitignore-like patterns with an anchor.

===================  =============================================================
``//etc/**``         from the root of the file system
``~/notes/*.md``     from the home folder
``/src/**``          from the folder of the settings that hold the rule
``./src/**``         from the working directory (``src/*.py`` too)
``.env``             any file or folder of that name, at any depth
===================  =============================================================

``*`` and ``?`` stay within one part of a path, ``**`` spans parts, ``[…]`` is one character. What matches a folder
matches everything below it. A path is looked at as it was given and with its links followed: a deny or ask rule fires
on either, an allow rule needs both. Only that a path is written as one in the working directories needs no rule.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ..core.context import RuleBehavior
from ..core.errors import RuleSyntaxError
from .look import current_look

Anchor = Literal["root", "home", "source", "cwd"]
_MAGIC = re.compile(r"[*?\[\\]")
_STAR = r"[^/]*"
_GITIGNORE_SPECIAL = re.compile(r"[\\*?\[\]!# ]")


class PathForms(NamedTuple):
    """One path in the two ways that rules look at it: absolute and normalised, and with its links followed."""

    given: str
    resolved: str


def path_forms(path: str, cwd: str) -> PathForms:
    """Both forms of ``path``, which is taken from ``cwd`` when it is relative."""
    absolute = os.path.join(cwd, path)
    return PathForms(os.path.normpath(absolute), current_look().real(absolute))


class PathPattern(NamedTuple):
    """A compiled path rule.

    Attributes:
        anchor: where the pattern starts. up: how many folders above that.
        regex: matches the path below the anchor.
        literal: the part of the pattern before its first wildcard, as a relative folder.
        parts: what names on every path that it matches are like: a name, or when there is none, one with a star at
            its end or beginning.
        behavior: which meaning it was compiled for.
    """

    anchor: Anchor
    up: int
    regex: re.Pattern[str]
    literal: str
    parts: tuple[str, ...]
    behavior: RuleBehavior

    def matches(self, path: PathForms, *, source_root: str, cwd: str) -> bool:
        """Whether the rule is about this path.

        Args:
            path: both forms of it.
            source_root: folder that ``/path`` starts from; cwd: folder that ``path`` starts from. Absolute.
        """
        return self.test(source_root=source_root, cwd=cwd)(path)

    def test(self, *, source_root: str, cwd: str) -> Callable[[PathForms], bool]:
        """:meth:`matches` for many paths: where the pattern starts is worked out once."""
        roots = self.starts(source_root, cwd)
        combine = all if self.behavior == "allow" else any

        def matches(path: PathForms) -> bool:
            return combine(any(self._fits(form, root) for root in roots) for form in path)

        return matches

    def could_reach_below(self, folder: str, *, source_root: str, cwd: str) -> bool:
        """Whether the rule may be about something below ``folder`` (absolute, links followed)."""
        for root in self.starts(source_root, cwd):
            base = os.path.join(root, self.literal) if self.literal else root
            if below(base, folder) is not None or below(folder, base) is not None:
                return True
        return False

    def _fits(self, path: str, root: str) -> bool:
        rest = below(path, root)
        return rest is not None and self.regex.fullmatch(rest) is not None

    def starts(self, source_root: str, cwd: str) -> tuple[str, ...]:
        """The folders that the pattern starts from: as they are named, and with their links followed."""
        if self.anchor == "root":
            return ("/",)
        root = os.path.expanduser("~") if self.anchor == "home" else source_root if self.anchor == "source" else cwd
        for _ in range(self.up):
            root = os.path.dirname(root)
        real = current_look().real(root)
        return (root,) if real == root else (root, real)


class Reach(NamedTuple):
    """A pattern and the folder that ``/path`` in it starts from, ``None`` for the one where the session began."""

    pattern: PathPattern
    source_root: str | None


def below(path: str, root: str) -> str | None:
    """The part of ``path`` below ``root``, ``""`` for the root itself, ``None`` when it is elsewhere."""
    if path == root:
        return ""
    prefix = root.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None


@lru_cache(maxsize=8192)
def compile_path_pattern(specifier: str, behavior: RuleBehavior) -> PathPattern:
    """The compiled form of ``Read(specifier)`` or ``Edit(specifier)``.

    A pattern for what is in a folder counts for the folder as well. Deny and ask rules reach further where a pattern
    can be read in two ways: a bare name or a single folder (``secrets/**``) counts at any depth, also outside of
    ``cwd``.

    Raises:
        RuleSyntaxError: a negation, ``..`` after other parts, or a bad character class.
    """
    anchor, pattern = _split_anchor(specifier)
    up = 0
    while pattern.startswith("../"):
        up, pattern = up + 1, pattern[3:]
    if pattern.startswith("!"):
        raise RuleSyntaxError(f"path rule {specifier!r}: a leading `!` is not supported; write what is meant")
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if "[:" in pattern:
        raise RuleSyntaxError(f"path rule {specifier!r}: classes such as `[:alpha:]` are not supported")
    if ".." in parts:
        raise RuleSyntaxError(f"path rule {specifier!r}: `..` may stand only at the start; write the path without it")
    regex_parts, anchor = _parts(pattern, parts, anchor, up, wide=behavior != "allow")
    try:
        regex = re.compile(_regex(regex_parts), re.DOTALL)
    except re.error as error:
        raise RuleSyntaxError(
            f"path rule {specifier!r}: {error}; a `[` that is meant as itself is written `\\[`"
        ) from error
    return PathPattern(anchor, up, regex, _literal(regex_parts), _telling(regex_parts), behavior)


def _split_anchor(specifier: str) -> tuple[Anchor, str]:
    if specifier.startswith("//"):
        return "root", specifier[1:]
    if specifier == "~" or specifier.startswith("~/"):
        return "home", specifier[1:] or "/"
    if specifier.startswith("/"):
        return "source", specifier
    if specifier.startswith("./") or specifier == ".":
        return "cwd", specifier[1:] or "/"
    return "cwd", specifier


def _parts(pattern: str, parts: list[str], anchor: Anchor, up: int, *, wide: bool) -> tuple[tuple[str, ...], Anchor]:
    """The parts with ``**`` put in front where the pattern may start at any depth, and where it starts."""
    from_anchor = pattern.startswith("/") or up > 0
    single_folder = wide and len(parts) == 2 and parts[1] == "**"
    if not from_anchor and parts and (single_folder or "/" not in pattern.rstrip("/")):
        parts = ["**", *parts]
    once = tuple(part for i, part in enumerate(parts) if part != "**" or parts[i - 1 : i] != ["**"])
    anywhere = wide and not from_anchor and anchor == "cwd" and len(once) > 1 and once[0] == "**"
    return once, "root" if anywhere else anchor


def _regex(parts: tuple[str, ...]) -> str:
    """The pattern for the path below the anchor.

    What stands between two stars is looked for once, from the left, and never again: the first place leaves the most
    for what follows. So no pattern takes longer than the square of the path.
    """
    if not parts or parts == ("**",):
        return r".*"
    groups: list[list[str]] = [[]]
    for part in parts[:-1] if parts[-1] == "**" else parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(_name(part))
    first, *rest = ("/".join(group) for group in groups)
    built = f"{first}/" if first and rest else first
    built += "".join(rf"(?>(?:[^/]*/)*?{group}/)" for group in rest[:-1])
    built += rf"(?:[^/]*/)*?{rest[-1]}" if rest else ""
    return built + r"(?:/.*)?"


def _name(part: str) -> str:
    """The pattern for one name on the path."""
    pieces = [""]
    for token in _tokens(part):
        if token == _STAR:
            pieces.append("")
        else:
            pieces[-1] += token
    if len(pieces) == 1:
        return pieces[0]
    between = "".join(rf"(?>{_STAR}?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{between}{_STAR}{pieces[-1]}"


def _tokens(part: str) -> Iterator[str]:
    at = 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            yield _STAR
        elif char == "?":
            yield r"[^/]"
        elif char == "\\" and at < len(part):
            yield re.escape(part[at])
            at += 1
        elif char == "[" and (end := part.find("]", at + 2 if part[at : at + 1] in ("!", "^") else at + 1)) > 0:
            body = part[at:end].replace("\\", "\\\\").replace("[", "\\[")
            yield f"(?!/)[{'^' + body[1:] if body[0] in '!^' else body}]"
            at = end + 1
        else:
            yield re.escape(char)


def _literal(parts: tuple[str, ...]) -> str:
    plain: list[str] = []
    for part in parts[:-1]:
        if _MAGIC.search(part):
            break
        plain.append(part)
    return "/".join(plain)


def _telling(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts without wildcards, else one with a single star at its end or beginning."""
    plain = tuple(part for part in parts if not _MAGIC.search(part))
    if plain:
        return plain
    starred = [part for part in parts if part != "**" and not _MAGIC.search(part.strip("*")) and part.count("*") == 1]
    return tuple(starred[-1:])


def escape_path(path: str) -> str:
    """The specifier of a rule for exactly this absolute path (and what is below it)."""
    return "/" + _GITIGNORE_SPECIAL.sub(r"\\\g<0>", path)
