"""What a command did with git, as its words and its output tell: for people, never a reason to allow anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...permissions.command.parse import parse_command

GitKind = Literal[
    "commit", "push", "pull", "merge", "rebase", "cherry-pick", "revert", "reset", "checkout", "branch", "tag", "stash",
    "pull-request",
]  # fmt: skip

_KINDS: dict[str, GitKind] = {
    "commit": "commit", "push": "push", "pull": "pull", "merge": "merge", "rebase": "rebase",
    "cherry-pick": "cherry-pick", "revert": "revert", "reset": "reset", "checkout": "checkout", "switch": "checkout",
    "stash": "stash",
}  # fmt: skip

_GLOBAL_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})

_CALL = re.compile(
    r"(?:^|[;&|\n({]|&&|\|\||\b(?:then|do|else|time|command|sudo|env)\s)\s*(?:[A-Za-z_]\w*=\S*\s+)*(?P<call>(?:git|gh)\s[^;&|\n]*)"
)
"""A call in a text that was not understood: here-documents, substitutions, loops."""

_COMMIT = re.compile(r"^\[(?P<branch>[^\s\]]+(?: \([^)]*\))?) (?P<sha>[0-9a-f]{7,40})\]", re.MULTILINE)
_PUSHED = re.compile(
    r"^ [ +*=!-] +(?:\[[\w ]+\]|(?P<range>[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}))\s+(?P<from>\S+) -> (?P<to>\S+)",
    re.MULTILINE,
)
_REJECTED = re.compile(r"^ ! \[(?:remote )?rejected\]|^error: failed to push", re.MULTILINE)
_REMOTE = re.compile(r"^To (?P<url>\S+)$", re.MULTILINE)
_SWITCHED = re.compile(r"^(?:Switched to (?:a new )?branch|Already on) '(?P<branch>[^']+)'", re.MULTILINE)
_DETACHED = re.compile(r"^HEAD is now at (?P<sha>[0-9a-f]{7,40})", re.MULTILINE)
_MERGED = re.compile(r"^(?:Fast-forward|Merge made by|Already up to date)", re.MULTILINE)
_REBASED = re.compile(r"Successfully rebased|is up to date\.")
_CONFLICT = re.compile(r"^CONFLICT \(", re.MULTILINE)
_REQUEST = re.compile(r"https://[^\s/]+/[^\s/]+/[^\s/]+/(?:pull|merge_requests)/\d+")
_QUIET = re.compile(r"-[a-z]*q[a-z]*|--quiet")
_SECRET_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True)
class GitOperation:
    """One thing that a command did.

    Args:
        kind: what.
        detail: with what result, in a few words: branch and commit, where to, the address of the pull request.
    """

    kind: GitKind
    detail: str = ""

    @property
    def words(self) -> str:
        return f"{self.kind.replace('-', ' ')} {self.detail}".rstrip()


def notice_git_operations(command: str, code: int | None, output: str) -> tuple[GitOperation, ...]:
    """What did this command do with git?

    An operation counts when its output says that it happened, or, for those that say nothing, when the whole command
    ended well.

    Args:
        command: the text that bash ran. code: its exit code. output: what it printed.
    """
    if "git" not in command and "gh" not in command:
        return ()
    found = (_operation(words, code, output) for words in _calls(command))
    return tuple(dict.fromkeys(operation for operation in found if operation is not None))


def _calls(command: str) -> Iterator[tuple[str, ...]]:
    parsed = parse_command(command)
    if parsed.kind == "simple":
        yield from (call.argv for call in parsed.commands)
    else:
        yield from (tuple(match["call"].split()) for match in _CALL.finditer(command))


def _operation(words: tuple[str, ...], code: int | None, output: str) -> GitOperation | None:
    name = words[0].rpartition("/")[2]
    if name == "gh":
        return _request(words, output)
    if name != "git":
        return None
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GLOBAL_VALUED else 1
    verb, rest = (words[at] if at < len(words) else ""), words[at + 1 :]
    if "--dry-run" in rest or "--help" in rest or "-h" in rest:
        return None
    return _of_verb(verb, rest, code == 0, output)


def _request(words: tuple[str, ...], output: str) -> GitOperation | None:
    if words[1:3] != ("pr", "create"):
        return None
    url = _REQUEST.search(output)
    return GitOperation("pull-request", url[0]) if url else None


def _of_verb(verb: str, rest: tuple[str, ...], is_ok: bool, output: str) -> GitOperation | None:
    names = tuple(word for word in rest if not word.startswith("-"))
    kind = _KINDS.get(verb)
    if verb in ("branch", "tag"):
        is_list = not names or any(word in ("-l", "--list", "--contains", "--merged", "-v") for word in rest)
        return GitOperation("branch" if verb == "branch" else "tag", names[0]) if is_ok and not is_list else None
    if kind is None:
        return None
    if kind in ("merge", "rebase", "pull", "cherry-pick", "revert") and _CONFLICT.search(output):
        return GitOperation(kind, "with conflicts")
    if kind == "stash" and rest[:1] in (("list",), ("show",)):
        return None
    detail = _evidence(kind, names, output)
    if detail is not None:
        return GitOperation(kind, detail)
    silent = kind not in ("commit", "push") or any(_QUIET.fullmatch(word) for word in rest)
    return GitOperation(kind, _plain_detail(kind, names)) if is_ok and silent else None


def _plain_detail(kind: GitKind, names: tuple[str, ...]) -> str:
    return names[-1] if kind in ("checkout", "merge", "rebase") and names else ""


def _evidence(kind: GitKind, names: tuple[str, ...], output: str) -> str | None:
    """What the output says of it; ``None`` when it says nothing."""
    if kind in ("commit", "cherry-pick", "revert") and (made := _COMMIT.search(output)):
        return f"{made['sha']} on {made['branch']}"
    if kind == "push":
        return _push_evidence(output)
    if kind == "checkout" and (switched := _SWITCHED.search(output)):
        return switched["branch"]
    if kind in ("checkout", "reset") and (detached := _DETACHED.search(output)):
        return detached["sha"]
    if kind in ("merge", "pull") and _MERGED.search(output):
        return names[-1] if kind == "merge" and names else ""
    if kind == "rebase" and _REBASED.search(output):
        return names[-1] if names else ""
    return None


def _push_evidence(output: str) -> str | None:
    if _REJECTED.search(output):
        return None
    pushed, remote = _PUSHED.search(output), _REMOTE.search(output)
    if pushed is None:
        return "nothing new" if "Everything up-to-date" in output else None
    where = _SECRET_IN_URL.sub("", remote["url"]) if remote else ""
    return f"{pushed['to']}{f' to {where}' if where else ''}"
