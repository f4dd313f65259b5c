"""Running Python where a person's variables are: what a tool can ask for, and what comes back.

The kernel's own interpreter is one of these, and so is the plain one of a session in a script. A tool only knows this
protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeVar

from .cancel import Cancellation

T = TypeVar("T")

OutputKind = Literal["stdout", "stderr", "display", "value", "error"]


@dataclass(frozen=True)
class CodeOutput:
    """One thing that code left behind.

    Args:
        kind: a stream, something displayed, the value of the last expression, or why the code ended early.
        text: of a stream or an error.
        data: of a display or a value: representations by media type, as on Jupyter's wire.
    """

    kind: OutputKind
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class CodeResult:
    """What became of code.

    Args:
        status: it ran to its end, it raised, or it was stopped.
        outputs: what it left, in order.
        notes: what else there is to know, each a sentence.
        error_name: the name of the exception's class, ``""`` for none.
    """

    status: Literal["ok", "error", "interrupted"]
    outputs: tuple[CodeOutput, ...] = ()
    notes: tuple[str, ...] = ()
    error_name: str = ""


class Bound(Protocol):
    """Something that stands in the namespace while code runs, and only then."""

    name: str

    def open(self, post: Callable[[Callable[[], None]], None]) -> Any:
        """The value to bind. Called in the code's thread; ``post`` calls a function there soon, from any thread."""

    def close(self) -> None:
        """The code is over: the value must be of no use from now on."""


class Interpreter(Protocol):
    """Where code runs."""

    async def run(
        self,
        code: str,
        stop: Cancellation,
        *,
        bound: Bound | None = None,
        on_output: Callable[[str], None] = lambda tail: None,
    ) -> CodeResult:
        """Run Python code, which may await at its top, in the person's namespace.

        Args:
            stop: once thrown, the code is interrupted and what there is until then is the result. Code that goes on all
                the same is left alone after a short while; a note says so.
            bound: a name that the code finds in its namespace while it runs.
            on_output: told the end of what was printed so far, a few times a second.
        """

    def close(self) -> None:
        """Nothing more will be run."""

    async def look(self, function: Callable[[Mapping[str, Any]], T], stop: Cancellation) -> T:
        """What ``function`` makes of the namespace, in the thread that owns it.

        Raises:
            InterruptedToolError: ``stop`` was thrown before it was done.
        """
