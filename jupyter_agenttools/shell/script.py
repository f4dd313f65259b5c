"""What bash is told around a command, and what it says about itself when the command is over.

The command comes over a descriptor and is run by ``eval``: no limit on its length, no quoting, not visible in the
process list (so ``pkill -f`` does not hit its own shell), and the shell looks the same from inside as ``bash -c``.
On the way out the shell writes its working directory and exported variables to another descriptor, between two
copies of a nonce; nothing of this is in the output.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .exports import read_exports

# High numbers: scripts use 3 to 9, bash itself takes the first free ones from 10 on.
COMMAND_FD, REPORT_FD, STATE_FD = 197, 198, 199

_REPORT = f"{{ . /dev/fd/{REPORT_FD}; }} >/dev/null 2>&1"

# One line, so that the first line of the command is line 1 in bash's messages. The report stands there twice because
# a command may set an EXIT trap of its own; only the first run counts. EXIT alone would miss that case, the last
# statement alone would miss `exit`.
WRAPPER = (
    f"trap '{_REPORT}' EXIT; IFS= read -rd '' -u {COMMAND_FD} BASH_EXECUTION_STRING; exec {COMMAND_FD}<&-; "
    f'eval "$BASH_EXECUTION_STRING"; {_REPORT}'
)

TYPED_WRAPPER = f"exec </dev/fd/0; {WRAPPER}"
"""The same where a person can type: the shell opens its terminal once more and so becomes its owner (``/dev/tty``)."""

# Nothing here may be changed by what the command did to its shell: traps, options, aliases, functions. A subshell
# that is told to end right after its fork still has the EXIT trap of the shell itself, and has nothing to report.
_REPORT_SCRIPT = f"""\
REPLY=$?
\\builtin trap - ERR DEBUG RETURN
[[ ${{BASHPID-$$}} == "$$" && -e /dev/fd/{STATE_FD} ]] || \\builtin return "$REPLY"
\\builtin set +efuvx
\\builtin printf '%s\\0' NONCE >&{STATE_FD}
\\builtin pwd >&{STATE_FD}
\\builtin printf '\\0%s\\0' NONCE >&{STATE_FD}
\\builtin export -p >&{STATE_FD}
\\builtin printf '%s\\0' NONCE >&{STATE_FD}
\\builtin declare -F >&{STATE_FD}
\\builtin alias -p >&{STATE_FD}
\\builtin printf '%s\\0' NONCE >&{STATE_FD}
\\exec {STATE_FD}>&- {REPORT_FD}<&-
\\builtin return "$REPLY"
"""

_DEFINED = re.compile(rb"^(?:declare -f[a-z]* |alias (?=[^\n=]+=))([^=\n]+)", re.MULTILINE)

_NOT_TAKEN_ALONG = frozenset({"_", "PWD", "SHLVL", "REPLY", "COLUMNS", "LINES"})
"""Exported names that belong to the shell that just ended, or to its terminal: bash itself sets them to its size."""

MAX_VARIABLE_BYTES = 128 * 1024 - 2
"""Linux starts no program with a longer `NAME=value`: with one, no later command could run, not even `unset`."""

MAX_ENVIRONMENT_BYTES = 1024 * 1024
"""Nor one whose whole environment fills a quarter of its stack (2 MB as a rule, shared with its arguments)."""


@dataclass(frozen=True)
class EnvironmentChange:
    """What a command did to its exported variables: new values by name, and the names that it took away."""

    exported: Mapping[str, str]
    removed: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.exported or self.removed)

    def startable(self, before: Mapping[str, str]) -> tuple[EnvironmentChange, tuple[str, ...]]:
        """The change without what would keep the next command from starting, and the names that go for that.

        Args:
            before: the environment that is changed.
        """
        stays = (entry for entry in before.items() if entry[0] not in self.removed | self.exported.keys())
        room = MAX_ENVIRONMENT_BYTES - sum(_entry_bytes(*entry) for entry in stays)
        too_big = []
        for name, value in sorted(self.exported.items(), key=lambda entry: _entry_bytes(*entry)):
            room -= (size := _entry_bytes(name, value))
            if size > MAX_VARIABLE_BYTES or room < 0:
                too_big.append(name)
        if not too_big:
            return self, ()
        exported = {name: value for name, value in self.exported.items() if name not in too_big}
        return EnvironmentChange(exported, self.removed | set(too_big)), tuple(sorted(too_big))


@dataclass(frozen=True)
class ExitState:
    """How a shell was when it ended.

    Args:
        cwd: its working directory as it named it (links unresolved).
        exports: its exported variables as bash prints them.
        passing: names of its functions and aliases, which end with it.
    """

    cwd: str
    exports: bytes = b""
    passing: tuple[str, ...] = ()

    @cached_property
    def exported(self) -> Mapping[str, str]:
        """Its exported variables."""
        return read_exports(self.exports)

    def change_since(self, before: Mapping[str, str]) -> EnvironmentChange:
        """What differs from the environment that the shell was started with."""
        changed = {
            name: value
            for name, value in self.exported.items()
            if name not in _NOT_TAKEN_ALONG and before.get(name) != value
        }
        removed = (n for n in before if n not in self.exported and n not in _NOT_TAKEN_ALONG and _is_name(n))
        return EnvironmentChange(changed, frozenset(removed))


def _entry_bytes(name: str, value: str) -> int:
    return len(os.fsencode(name)) + len(os.fsencode(value)) + 1


def _is_name(name: str) -> bool:
    """Whether the shell can know a variable of this name; others pass through it unseen."""
    return name.isascii() and name.isidentifier()


def new_nonce() -> str:
    return secrets.token_hex(16)


def report_script(nonce: str) -> bytes:
    """The commands by which the shell describes itself at its end."""
    return _REPORT_SCRIPT.replace("NONCE", nonce).encode()


def read_exit_state(written: bytes, nonce: str) -> ExitState | None:
    """What the shell said at its end; ``None`` when it did not get to say it (killed, or replaced by ``exec``)."""
    parts = written.split(nonce.encode() + b"\0")
    if len(parts) != 5 or parts[0]:
        return None
    directory, exports, definitions = parts[1].removesuffix(b"\n\0"), parts[2], parts[3]
    passing = tuple(os.fsdecode(name) for name in _DEFINED.findall(definitions))
    return ExitState(os.fsdecode(directory), exports, passing)
