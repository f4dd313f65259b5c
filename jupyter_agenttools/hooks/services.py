"""What hooks need of the session they run in: somebody who runs processes, a model, a place for long texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from .definition import Hook
from .output import HookOutput


@dataclass(frozen=True)
class ProcessOrder:
    """A program to run.

    Args:
        program: its absolute path. argv: its name for itself, and its arguments.
        env: its whole environment. cwd: absolute path of where.
        stdin: what it reads. timeout_s: when it is ended, with everything it started.
    """

    program: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    stdin: bytes
    timeout_s: float


class ProcessEnd(NamedTuple):
    """How a program ended; nothing that it started is alive.

    Attributes:
        status: its exit code, or minus the number of the signal that ended it.
        stdout, stderr: what it wrote, up to a limit.
        cut: it wrote more to its standard output than was kept.
        timed_out: it was ended because its time was up.
        duration_ms: from start to end.
        detached: it goes on in the background, and said so; ``status`` means nothing yet.
    """

    status: int
    stdout: bytes = b""
    stderr: bytes = b""
    cut: bool = False
    timed_out: bool = False
    duration_ms: float = 0.0
    detached: bool = False


class HookServices(Protocol):
    """What a session does for its hooks."""

    @property
    def cwd(self) -> str: ...
    @property
    def project_dir(self) -> str: ...

    def environment(self) -> dict[str, str]:
        """The environment of a command: nothing that a model's commands exported is in it."""
        ...

    async def run_process(
        self,
        order: ProcessOrder,
        detach: Callable[[bytes], float | None],
        on_late_end: Callable[[ProcessEnd], None],
    ) -> ProcessEnd:
        """Run a program to its end. When the task is cancelled everything is killed, and the end is still awaited.

        Args:
            detach: is given the first line of the output; says how many seconds the program may go on in the
                background, ``None`` for a program that is to be waited for.
            on_late_end: told of the end of a program in the background.

        Raises:
            OSError: it could not be started.
        """
        ...

    async def ask_model(self, prompt: str, model: str) -> str:
        """The model's whole answer.

        Raises:
            UsageError: there is no such model here.
        """
        ...

    def new_env_file(self) -> str:
        """A fresh file in which a hook may write ``export`` lines for later commands."""
        ...

    async def take_env_file(self, path: str) -> None:
        """Take over what a hook has written there."""
        ...

    def keep_text(self, text: str) -> str:
        """Put a text that is too long for a conversation into a file; its path."""
        ...

    def in_background(self, work: Callable[[], Awaitable[None]]) -> None:
        """Have this done while nobody waits for it."""
        ...

    def tell_later(self, hook: Hook, output: HookOutput) -> None:
        """A hook that nobody waited for has ended with this."""
        ...

    def show_status(self, hook: Hook, tool_use_id: str) -> None:
        """Tell the person that this hook runs now."""
        ...
