"""One run of code, as the thread that owns the namespace goes through it."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Coroutine, Generator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

import anyio

from ..core.interpreter import Bound, CodeResult
from .recorder import Recorder
from .source import Source
from .tracebacks import error_text

_MISSING = object()


def user_step(send: Callable[[Any], Any], value: Any) -> Any:
    """One step of a person's code. Whoever interrupts looks for this function's frame: what it called is that code."""
    return send(value)


class CodeRun:
    """Runs code once.

    Args:
        source: the code.
        namespace: where its names are.
        recorder: keeps what it prints and shows.
        bundle: the representations of a value.
        around: more that stands while the code runs.
        after: called when it has ended by itself, e.g. to show figures; what it does is recorded.
        why_stop: why it must not go on, ``""`` while it may.
        step: goes through one step of it; calls :func:`user_step`.
    """

    def __init__(
        self,
        source: Source,
        namespace: MutableMapping[str, Any],
        recorder: Recorder,
        *,
        bundle: Callable[[Any], dict[str, Any]],
        around: Callable[[], AbstractContextManager[Any]] = nullcontext,
        after: Callable[[], None] = lambda: None,
        why_stop: Callable[[], str] = str,
        step: Callable[[Callable[[Any], Any], Any], Any] = user_step,
    ) -> None:
        self._source, self._namespace, self._recorder = source, namespace, recorder
        self._bundle, self._around, self._after = bundle, around, after
        self._why_stop, self._step = why_stop, step

    async def run(self, bound: Bound | None, post: Callable[[Callable[[], None]], None]) -> CodeResult:
        """Run it to its end, to what it raises, or until it is interrupted. Always a result.

        Only what ends the whole process, and the end of a generator, gets out.
        """
        try:
            with ExitStack() as stack:
                stack.enter_context(self._around())
                stack.enter_context(self._recorder.recording())
                if bound is not None:
                    stack.callback(self._bind(bound, post))
                await stepping(self._go(), self._step)
        except GeneratorExit:
            raise
        except BaseException as raised:  # SystemExit as well: code must not end the kernel by accident
            error = raised.error if isinstance(raised, _OwnExit) else raised
            if _is_cancellation(error) and self._why_stop():  # it waited: to its author the two are the same
                error = KeyboardInterrupt().with_traceback(error.__traceback__)
            stopped = isinstance(error, KeyboardInterrupt)
            text = error_text(error, self._source.filename)
            return self._ended("interrupted" if stopped else "error", text, "" if stopped else type(error).__name__)
        return CodeResult("ok", self._recorder.finish(), self._recorder.notes)

    def _ended(self, status: Any, text: str, name: str = "") -> CodeResult:
        self._recorder.fail(text)
        return CodeResult(status, self._recorder.finish(), self._recorder.notes, name)

    def _bind(self, bound: Bound, post: Callable[[Callable[[], None]], None]) -> Callable[[], None]:
        """Put the value into the namespace; returns how to take it out, which leaves what the code itself put there."""
        namespace, before = self._namespace, self._namespace.get(bound.name, _MISSING)
        value = bound.open(post)
        namespace[bound.name] = value

        def take_out() -> None:
            bound.close()
            if namespace.get(bound.name, _MISSING) is not value:
                return
            if before is _MISSING:
                del namespace[bound.name]
            else:
                namespace[bound.name] = before

        return take_out

    async def _go(self) -> None:
        if why := self._why_stop():
            raise KeyboardInterrupt(why)
        await self._evaluated(self._source.body)
        if self._source.last is not None:
            value = await self._evaluated(self._source.last)
            if value is not None and not self._source.quiet:
                self._recorder.show("value", self._bundle(value))
        self._after()

    async def _evaluated(self, code: types.CodeType) -> Any:
        value = eval(code, self._namespace)  # type: ignore[arg-type]
        return await value if code.co_flags & inspect.CO_COROUTINE else value


class _OwnExit(Exception):
    """Carries a ``GeneratorExit`` that code raised."""

    def __init__(self, error: GeneratorExit) -> None:
        super().__init__()
        self.error = error


def _is_cancellation(error: BaseException) -> bool:
    return isinstance(error, anyio.get_cancelled_exc_class())


@types.coroutine
def stepping(
    coroutine: Coroutine[Any, Any, Any], step: Callable[[Callable[[Any], Any], Any], Any] = user_step
) -> Generator[Any, Any, Any]:
    """Drive a coroutine step by step.

    Raises:
        _OwnExit: it raised a ``GeneratorExit`` itself, which is not the end of whoever drives it.
    """
    send: Callable[[Any], Any] = coroutine.send
    value: Any = None
    try:
        while True:
            try:
                waited_for = step(send, value)
            except GeneratorExit as error:
                raise _OwnExit(error) from None
            try:
                send, value = coroutine.send, (yield waited_for)
            except GeneratorExit:
                raise
            except BaseException as error:
                send, value = coroutine.throw, error
    except StopIteration as returned:
        return returned.value
    finally:
        coroutine.close()
