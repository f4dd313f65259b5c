"""What a hook of a settings file does, as data: a command, a request, a question to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

HookKind = Literal["python", "command", "http", "prompt", "mcp_tool", "agent", "unavailable"]

PROMPT_TIMEOUT_S = 30.0
AGENT_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class CommandHandler:
    """A program that reads the event from its standard input.

    Args:
        command: a shell command, or with ``args`` the program itself.
        args: its arguments; no shell is involved then.
        shell: whose language the command is in.
    """

    command: str
    args: tuple[str, ...] | None = None
    shell: Literal["bash", "powershell"] = "bash"

    @property
    def title(self) -> str:
        return " ".join((self.command, *(self.args or ())))


@dataclass(frozen=True)
class HttpHandler:
    """A request that carries the event.

    Args:
        url: where it is sent. headers: what it carries beside; ``$NAME`` and ``${NAME}`` stand for variables.
        allowed_env_vars: the only variables that are put in there; all others are empty.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    allowed_env_vars: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.url


@dataclass(frozen=True)
class PromptHandler:
    """A question to a model; ``$ARGUMENTS`` in it stands for the event.

    Args:
        prompt: the question. model: who is asked, ``""`` for the session's own.
        continue_on_block: a block of something that has happened is told to the model, and the turn goes on.
    """

    prompt: str
    model: str = ""
    continue_on_block: bool = False

    @property
    def title(self) -> str:
        return f"prompt: {self.prompt}"


@dataclass(frozen=True)
class UnavailableHandler:
    """A hook that is known and cannot run here.

    Args:
        what: what it is, in a few words. why: what keeps it from running.
    """

    what: str
    why: str

    @property
    def title(self) -> str:
        return self.what


Handler = CommandHandler | HttpHandler | PromptHandler | UnavailableHandler


def frozen_headers(headers: Mapping[str, Any]) -> Mapping[str, str]:
    return MappingProxyType({str(name): str(value) for name, value in headers.items()})
