"""What a person wants of the sandbox for commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SandboxMode = Literal["off", "auto", "required"]
"""``auto`` uses the sandbox where it can be had and says where it cannot; ``required`` runs nothing without it."""


@dataclass(frozen=True)
class SandboxSettings:
    """The ``sandbox`` settings.

    Args:
        mode: whether commands run in the sandbox.
        auto_allow: a command that runs in it needs nobody's approval (deny and ask rules hold).
        allow_unsandboxed: ``dangerouslyDisableSandbox`` may be asked for; else it is refused.
        excluded_commands: command patterns that run outside of it, and ask as without it.
        network: the network can be reached from inside.
        allow_write: further folders that may be written to, absolute.
        deny_write: files and folders that may not, absolute.
        deny_read: files and folders that cannot be seen, absolute.
    """

    mode: SandboxMode = "off"
    auto_allow: bool = False
    allow_unsandboxed: bool = True
    excluded_commands: tuple[str, ...] = ()
    network: bool = False
    allow_write: tuple[str, ...] = ()
    deny_write: tuple[str, ...] = ()
    deny_read: tuple[str, ...] = ()


NO_SANDBOX = SandboxSettings()
