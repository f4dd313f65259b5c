"""Code of a session in a script: a namespace of its own, in a thread of its own: the session's loop stays free."""

from __future__ import annotations

import asyncio
import builtins
import ctypes
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel

from ..core.cancel import Cancellation
from ..core.errors import InterruptedToolError
from ..core.faults import let_interrupts_pass
from ..core.interpreter import Bound, CodeOutput, CodeResult
from .figures import open_figures, take_figures
from .formats import plain_bundle
from .recorder import Recorder
from .running import CodeRun, user_step
from .source import SourceError, read_source
from .stopping import GOES_ON, heeding

T = TypeVar("T")

THREAD_NAME = "jupyter-agenttools-code"
CLOSE_S = 1.0
"""How long the thread gets to end; tasks that code left behind may not heed their end."""


class PlainInterpreter:
    """Runs code in one background thread with an event loop, one piece after the other."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__repl__", "__builtins__": builtins}
        self._thread: _CodeThread | None = None

    async def run(
        self,
        code: str,
        stop: Cancellation,
        *,
        bound: Bound | None = None,
        on_output: Callable[[str], None] = lambda tail: None,
    ) -> CodeResult:
        try:
            source = read_source(code)
        except SourceError as error:
            return CodeResult("error", (CodeOutput("error", str(error)),), error_name="SyntaxError")
        recorder, thread, before = Recorder(on_output), self._running(), open_figures()

        def show_figures() -> None:
            for bundle in take_figures(before):
                recorder.show("display", bundle)

        run = CodeRun(
            source,
            self.namespace,
            recorder,
            bundle=plain_bundle,
            after=show_figures,
            why_stop=lambda: stop.reason if stop.cancelled else "",
            step=thread.step,
        )
        try:
            return await thread.do(lambda: run.run(bound, thread.post), stop)
        except InterruptedToolError:
            self._thread = None  # code that goes on keeps its thread; what comes next gets another
            if bound is not None:
                bound.close()
            return CodeResult("interrupted", recorder.finish(), (*recorder.notes, GOES_ON))

    async def look(self, function: Callable[[Mapping[str, Any]], T], stop: Cancellation) -> T:
        thread = self._running()

        async def looking() -> T:
            return thread.step(lambda _: function(self.namespace), None)

        try:
            return await thread.do(looking, stop)
        except KeyboardInterrupt:
            raise InterruptedToolError(f"stopped: {stop.reason}") from None
        except InterruptedToolError:
            self._thread = None
            raise

    def _running(self) -> _CodeThread:
        if self._thread is None or not self._thread.lives:
            self._thread = _CodeThread()
        return self._thread

    def close(self) -> None:
        """End the thread; code that runs in it keeps it until it ends."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()


class _CodeThread:
    """A daemon thread with an event loop, whose code can be interrupted, and nothing but that.

    Nobody waits for it at the end of the process, nor when it is garbage.
    """

    def __init__(self) -> None:
        opened: Future[asyncio.AbstractEventLoop] = Future()
        self._ending = threading.Event()
        # What code runs in is not what its first caller happened to have set.
        hold = partial(Context().run, _hold_loop, opened, self._ending)
        self._thread = threading.Thread(target=hold, name=THREAD_NAME, daemon=True)
        self._thread.start()
        self._loop = opened.result()
        self._end = weakref.finalize(self, _end_loop, self._loop, self._ending)
        self._end.atexit = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()
        self._in_code = False

    @property
    def lives(self) -> bool:
        """Whether code can run in it: code may have got at its event loop."""
        return self._thread.is_alive() and not self._loop.is_closed()

    def post(self, function: Callable[[], None]) -> None:
        """Call a function in the thread soon; any thread, never blocks."""
        with suppress(RuntimeError):  # the thread is closed
            self._loop.call_soon_threadsafe(function, context=Context())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task; called in the thread."""
        task = self._loop.create_task(work)
        self._tasks.add(task)  # the loop itself does not keep it
        task.add_done_callback(self._tasks.discard)

    def step(self, send: Callable[[Any], Any], value: Any) -> Any:
        """One step of code, the only time in which an interrupt may be raised in the thread."""
        with self._lock:
            self._in_code = True
        try:
            return user_step(send, value)
        finally:
            self._leave_code()

    def _leave_code(self) -> None:
        while True:
            try:
                with self._lock:
                    self._in_code = False
                    self._raise(None)  # one that is on its way does not arrive any more
                return
            except KeyboardInterrupt:
                continue

    def _interrupt(self) -> None:
        with self._lock:
            if self._in_code:
                self._raise(KeyboardInterrupt)

    async def do(self, work: Callable[[], Awaitable[T]], stop: Cancellation) -> T:
        """What ``work`` returns, run in the thread; once ``stop`` is thrown it is interrupted.

        Raises:
            InterruptedToolError: it did not end.
        """
        ended, token = anyio.Event(), anyio.lowlevel.current_token()
        scope = anyio.CancelScope()
        done: list[tuple[T | None, BaseException | None]] = []

        async def guarded() -> None:
            try:
                with scope:
                    done.append((await work(), None))
            except BaseException as error:  # handed over to who waits
                done.append((None, error))
            finally:
                with suppress(RuntimeError):  # whose loop may be closed
                    anyio.from_thread.run_sync(ended.set, token=token)

        def interrupt() -> None:
            self._interrupt()
            self.post(scope.cancel)

        with heeding(stop, interrupt):
            self._loop.call_soon_threadsafe(lambda: self._start(guarded()))
            await ended.wait()
        if not done:
            raise InterruptedToolError(f"stopped: {stop.reason}")
        value, error = done[0]
        if error is not None:
            raise error
        return value  # type: ignore[return-value]

    def close(self) -> None:
        is_busy = self._in_code
        if is_busy:
            self._interrupt()
        self._end()
        if not is_busy:
            self._thread.join(CLOSE_S)

    def _raise(self, kind: type[BaseException] | None) -> None:
        """Let an exception be raised in the thread at its next instruction, or none that is not raised yet."""
        raised = ctypes.py_object(kind) if kind is not None else None
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident or 0), raised)


def _hold_loop(opened: Future[asyncio.AbstractEventLoop], ending: threading.Event) -> None:
    """Run an event loop until it is ended by us: code that stops it, or a task that raises, only holds it up."""
    let_interrupts_pass()
    with suppress(BaseException), asyncio.Runner() as runner:
        opened.set_result(loop := runner.get_loop())
        while not ending.is_set() and not loop.is_closed():
            with suppress(BaseException):
                loop.run_forever()


def _end_loop(loop: asyncio.AbstractEventLoop, ending: threading.Event) -> None:
    ending.set()
    with suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(loop.stop)
