"""The kernel's own interpreter as tools use it: code in the person's namespace, on the main thread."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.cancel import Cancellation
from ..core.errors import InterruptedToolError
from ..core.interpreter import Bound, CodeOutput, CodeResult
from ..interpreter import GOES_ON, CodeRun, Recorder, SourceError, adopt_displays, heeding, read_source, user_step
from ..interpreter.figures import open_figures, take_figures
from .main_work import MainWork, Post
from .run import current_run

if TYPE_CHECKING:
    from .runtime import Runtime

T = TypeVar("T")

NOT_BEGUN = "the code did not begin: the kernel's main thread was busy with something else"


class KernelInterpreter:
    """Runs code where the cells of the notebook run, while a cell waits for it or the kernel is idle."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

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
        recorder, shell = Recorder(on_output), self._runtime.shell
        figures = _Figures()

        def make(post: Post) -> Any:
            run = CodeRun(
                source,
                shell.user_ns,
                recorder,
                bundle=lambda value: bundle_of(value, shell),
                around=figures.watched(shell),
                after=figures.show,
                why_stop=lambda: stop.reason if stop.cancelled else "",
            )
            return run.run(bound, post)

        work = MainWork(make, blocking=_blocking())
        with heeding(stop, work.interrupt):
            return await self._runtime.on_main(work)
        if bound is not None:
            bound.close()
        return CodeResult("interrupted", recorder.finish(), (*recorder.notes, GOES_ON if work.begun else NOT_BEGUN))

    async def look(self, function: Callable[[Mapping[str, Any]], T], stop: Cancellation) -> T:
        async def looking() -> T:
            return user_step(lambda _: function(self._runtime.shell.user_ns), None)

        work = MainWork(lambda post: looking(), blocking=_blocking())
        with heeding(stop, work.interrupt):
            return await self._runtime.on_main(work)
        raise InterruptedToolError(f"stopped: {stop.reason if work.begun else NOT_BEGUN}")

    def close(self) -> None:
        """Nothing to do: the kernel's main thread is not ours."""


def _blocking() -> bool:
    run = current_run()
    return run is not None and run.blocking


def bundle_of(value: Any, shell: Any) -> dict[str, Any]:
    """The representations of a value as a cell would show it.

    Raises:
        Exception: what its ``repr`` raises; IPython would print that into the cell.
    """
    faults: list[BaseException] = []

    def keep(exc_tuple: Any = None, *arguments: Any, **options: Any) -> None:
        faults.append((exc_tuple or sys.exc_info())[1])

    with _replaced(shell, "showtraceback", keep):
        data, _ = shell.display_formatter.format(value)
    if "text/plain" not in data and faults:
        raise faults[0]
    return dict(data)


@contextmanager
def _replaced(holder: Any, name: str, value: Any) -> Iterator[None]:
    before = vars(holder).get(name)
    setattr(holder, name, value)
    try:
        yield
    finally:
        if before is None:
            delattr(holder, name)
        else:
            setattr(holder, name, before)


class _Figures:
    """Shows the figures that code opened: at the end of a cell IPython does it, and no cell ends here."""

    def __init__(self) -> None:
        self._before = open_figures()

    def watched(self, shell: Any) -> Callable[[], AbstractContextManager[Any]]:
        """What stands around the code: what it displays is kept."""

        @contextmanager
        def around() -> Iterator[None]:
            self._before = open_figures()
            with adopt_displays(shell.display_pub):
                yield

        return around

    def show(self) -> None:
        if "matplotlib.pyplot" not in sys.modules:
            return
        inline = sys.modules.get("matplotlib_inline.backend_inline")
        if inline is not None and "inline" in sys.modules["matplotlib.pyplot"].get_backend().lower():
            inline.flush_figures()
            return
        from IPython.display import display

        for bundle in take_figures(self._before):
            display(bundle, raw=True)
