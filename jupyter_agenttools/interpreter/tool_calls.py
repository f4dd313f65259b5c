"""``tools`` inside of code: other tools as functions, each call through the whole pipeline, and the last outcomes."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel

from ..core.context import ToolUseContext
from ..core.errors import PermissionDeniedError, ToolError
from ..core.faults import as_exception, faults
from ..core.outcome import Outcome
from ..core.tool import Tool
from .recorder import Recorder, current_recorder

NAME = "tools"


class CodeClock:
    """How long code has run, without the time in which it waits for other tools: a person may be asked meanwhile.

    Args:
        limit_s: after so many seconds ``on_end`` is called.
    """

    def __init__(self, limit_s: float, on_end: Callable[[], None]) -> None:
        self._left_s, self._on_end = limit_s, on_end
        self._scope = anyio.CancelScope()

    async def watch(self) -> None:
        with self._scope:
            await anyio.sleep_forever()
        self._on_end()

    def start(self) -> None:
        self._scope.deadline = anyio.current_time() + self._left_s

    def pause(self) -> None:
        self._left_s = max(self._scope.deadline - anyio.current_time(), 0.0)
        self._scope.deadline = math.inf


class _Request:
    """One call that code makes; ``done`` is set in the loop of the code."""

    def __init__(self, name: str, input: Mapping[str, Any]) -> None:
        self.name, self.input = name, input
        self.done = anyio.Event()
        self.scope = anyio.CancelScope()
        self.outcome: Outcome | None = None
        self.error: BaseException | None = None


class ToolCalls:
    """Takes the calls of code over into the pipeline's thread, runs them one after the other, and hands back.

    Args:
        context: of the call whose code it is: other tools are run as that call may run them.
        functions: the tools that code may call.
        clock: of the code.
    """

    name = NAME

    def __init__(self, context: ToolUseContext, functions: Sequence[Tool], clock: CodeClock) -> None:
        self._context, self._clock = context, clock
        self.functions = {tool.name: tool for tool in functions}
        self._token = anyio.lowlevel.current_token()
        self._send, self._receive = anyio.create_memory_object_stream[_Request](math.inf)
        self._post: Callable[[Callable[[], None]], None] = lambda function: None
        self._owner: Recorder | None = None
        self._thread: int | None = None

    # ---- in the pipeline's thread

    async def serve(self) -> None:
        """Run what is asked for, for as long as the code runs."""
        with self._receive, self._send:
            async for request in self._receive:
                await self._run(request)

    async def _run(self, request: _Request) -> None:
        self._clock.pause()
        try:
            with request.scope:
                request.outcome = await self._context.can_use_tool(request.name, request.input)
        except faults() as error:  # raised where the call was made
            request.error = as_exception(error)
        finally:
            self._clock.start()
            self._post(request.done.set)

    # ---- in the thread of the code

    def open(self, post: Callable[[Callable[[], None]], None]) -> Tools:
        self._post, self._owner, self._thread = post, current_recorder(), threading.get_ident()
        anyio.from_thread.run_sync(self._clock.start, token=self._token)
        return Tools(self)

    def close(self) -> None:
        self._owner = None

    def check(self) -> None:
        """Do nothing, or refuse: whoever else gets hold of the object can do nothing with it.

        Raises:
            RuntimeError: the caller is not the code that it was made for.
        """
        if self._owner is None or current_recorder() is not self._owner:
            raise RuntimeError(f"`{NAME}` can only be used by code that REPL runs, while it runs")
        if threading.get_ident() != self._thread:
            raise RuntimeError(f"`{NAME}` can only be used in the thread in which REPL runs the code")

    async def call(self, name: str, input: Mapping[str, Any]) -> Outcome:
        """Run another tool; its outcome.

        Raises:
            PermissionDeniedError: a rule, a mode, a hook or a person said no.
            ToolError: it did not get to any output.
        """
        self.check()
        request = _Request(name, input)
        anyio.from_thread.run_sync(self._send.send_nowait, request, token=self._token)
        try:
            await request.done.wait()
        except BaseException:
            anyio.from_thread.run_sync(request.scope.cancel, token=self._token)
            raise
        if request.error is not None:
            raise request.error
        outcome = request.outcome
        if outcome is None:
            raise ToolError(f"{name} was stopped")
        if outcome.status != "ok" and outcome.output is None:
            raise _error_of(outcome)
        return outcome

    def outcomes(self) -> Sequence[Outcome]:
        self.check()
        return self._context.outcomes()


def _error_of(outcome: Outcome) -> ToolError:
    """Why there is no output, as an exception of a class that code can name."""
    error = outcome.error
    if isinstance(error, PermissionDeniedError):
        return PermissionDeniedError(error.message, check_id=error.check_id)
    return error if isinstance(error, ToolError) else ToolError(outcome.text)


class Tools:
    """The tools, while this code runs: ``await tools.Read(file_path="…")`` returns an outcome with ``.text`` (what a
    model reads) and ``.output`` (the structured value); ``tools[-1]`` is the last outcome of the session."""

    DeniedError = PermissionDeniedError
    Error = ToolError

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    def __getattr__(self, name: str) -> ToolFunction:
        if name.startswith("_") or (tool := self._calls.functions.get(name)) is None:
            raise AttributeError(f"there is no tool {name!r} here; there are {', '.join(dir(self))}")
        return ToolFunction(self._calls, tool)

    def __dir__(self) -> list[str]:
        return sorted(self._calls.functions)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self._calls.outcomes())[index]

    def __len__(self) -> int:
        return len(self._calls.outcomes())

    def __iter__(self) -> Iterator[Outcome]:
        return iter(tuple(self._calls.outcomes()))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<tools: {', '.join(dir(self))}>"


class ToolFunction:
    """One tool as an async function. A single argument without a name goes to its main field."""

    def __init__(self, calls: ToolCalls, tool: Tool) -> None:
        self._calls, self._tool = calls, tool
        fields = ", ".join(tool.json_schema.get("properties", {}))
        self.__doc__ = f"{tool.name}({fields})"
        self.__name__ = tool.name

    async def __call__(self, *arguments: Any, **input: Any) -> Outcome:
        field = self._tool.primary_field
        if len(arguments) > (0 if field is None or field in input else 1):
            raise TypeError(f"name the arguments of {self.__doc__}")
        first = {field: arguments[0]} if arguments and field is not None else {}
        return await self._calls.call(self._tool.name, {**first, **input})

    def __repr__(self) -> str:
        return f"<async function tools.{self.__doc__}>"
