"""What bash is told around a command, and what it says about itself when the command is over.

The command comes over a descriptor and is run by ``eval``: no limit on its length, no quoting, not visible in the
process list (so ``pkill -f`` does not hit its own shell), and the shell looks the same from inside as ``bash -c``.
On the way out the shell writes its working directory and exported variables to another descriptor, between two
copies of a nonce; nothing of this is in the output.
"""

from __future__ import annotations

import os
import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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

_ALL_NAMES = " ".join(f"${{!{letter}@}}" for letter in string.ascii_letters + "_")

# Nothing here may be changed by what the command did to its shell: traps, options, IFS, aliases, functions.
# `${name@a}` came with bash 4.4; an older bash tells its directory only.
_REPORT_SCRIPT = f"""\
REPLY=$?
\\builtin trap - ERR DEBUG RETURN
[[ -e /dev/fd/{STATE_FD} ]] || \\builtin return "$REPLY"
\\builtin set +aefuvx
IFS=' '
\\builtin printf '%s\\0' NONCE >&{STATE_FD}
\\builtin pwd >&{STATE_FD}
\\builtin printf '\\0%s\\0' NONCE >&{STATE_FD}
if (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )); then
  for BASH_EXECUTION_STRING in {_ALL_NAMES}; do
    [[ ${{!BASH_EXECUTION_STRING@a}} == *x* && ${{!BASH_EXECUTION_STRING@a}} != *[aA]* && -v $BASH_EXECUTION_STRING ]] &&
      \\builtin printf '%s=%s\\0' "$BASH_EXECUTION_STRING" "${{!BASH_EXECUTION_STRING}}" >&{STATE_FD}
  done
  \\builtin printf '%s\\0' NONCE >&{STATE_FD}
fi
\\exec {STATE_FD}>&- {REPORT_FD}<&-
\\builtin return "$REPLY"
"""

_NOT_TAKEN_ALONG = frozenset({"_", "PWD", "SHLVL", "REPLY", "BASH_EXECUTION_STRING"})
"""Exported names that belong to the shell that just ended."""


@dataclass(frozen=True)
class EnvironmentChange:
    """What a command did to its exported variables: new values by name, and the names that it took away."""

    exported: Mapping[str, str]
    removed: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.exported or self.removed)


class ExitState(NamedTuple):
    """How a shell was when it ended.

    Attributes:
        cwd: its working directory as it named it (links unresolved).
        exported: its exported variables, ``None`` when it was too old to tell.
    """

    cwd: str
    exported: Mapping[str, str] | None

    def change_since(self, before: Mapping[str, str]) -> EnvironmentChange:
        """What differs from the environment that the shell was started with."""
        if self.exported is None:
            return EnvironmentChange({}, frozenset())
        changed = {
            name: value
            for name, value in self.exported.items()
            if name not in _NOT_TAKEN_ALONG and before.get(name) != value
        }
        removed = (n for n in before if n not in self.exported and n not in _NOT_TAKEN_ALONG and _is_name(n))
        return EnvironmentChange(changed, frozenset(removed))


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
    mark = nonce.encode() + b"\0"
    head, first, rest = written.partition(mark)
    directory, second, rest = rest.partition(b"\n\0" + mark)
    if head or not first or not second:
        return None
    variables, last, _ = rest.partition(mark)
    return ExitState(os.fsdecode(directory), _read_variables(variables) if last else None)


def _read_variables(written: bytes) -> dict[str, str]:
    pairs = (os.fsdecode(entry).partition("=") for entry in written.split(b"\0") if entry)
    return {name: value for name, _, value in pairs}
