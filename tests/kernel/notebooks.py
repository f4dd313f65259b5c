"""A kernel with the extension loaded, and the person in front of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.executions import Execution
from tests.support.kernels import KernelSession
from tests.support.widget_front_end import VIEW_MIME_TYPE, WidgetFrontEnd

TRACE_MIME_TYPE = "application/vnd.jupyter-agenttools.trace+json"

TOOLS = '''
from jupyter_agenttools import tool

@tool
async def note(text: str) -> str:
    """Keep a note."""
    return text.upper()

@tool(is_concurrency_safe=True)
async def both(text: str) -> str:
    """May run beside another."""
    return text.upper()

@tool(is_read_only=True)
async def peek(text: str) -> str:
    """Only looks."""
    return f"<{text}>"

@tool
async def wait(seconds: int) -> str:
    """Take some time."""
    import anyio
    await anyio.sleep(seconds)
    return "slept"
'''


DECIDES = """
from pathlib import Path as _Path
from jupyter_agenttools.notebook import asking as _asking

_asking.SEEN_WITHIN_S = 0.05
_stays_open = _asking.Asking._stays_open.fget

def _decide(question):
    stays = _stays_open(question)
    _Path("decided").write_text(str(stays))
    return stays

_asking.Asking._stays_open = property(_decide)
"""
"""For a kernel: it waits a moment only for a card to be drawn, and writes down whether a question without one stays."""


class Notebook:
    """Runs cells as a front end with widgets would, and clicks in them.

    Attributes:
        kernel: the kernel.
        page: the widgets on the page.
    """

    def __init__(self, kernel: KernelSession, **front_end: Any) -> None:
        self.kernel = kernel
        self.page = WidgetFrontEnd(kernel, **front_end)
        loaded = kernel.run(f"%load_ext jupyter_agenttools\n{TOOLS}")
        assert loaded.status == "ok", loaded

    def start(self, code: str) -> Execution:
        return self.kernel.start(code, allow_stdin=True)

    def run(self, code: str) -> Execution:
        return self.start(code).wait()

    def value(self, expression: str) -> str:
        """What the kernel prints for an expression."""
        return self.kernel.run(f"print({expression})").text.removesuffix("\n")

    def click(self, *descriptions: str) -> None:
        """Click one button after the other, each when it is there."""
        for description in descriptions:
            self.page.click(description)

    def stays_open(self) -> bool:
        """Whether a question stays open although no card of it is drawn, once that is decided (:data:`DECIDES`)."""
        decided = self.kernel.cwd / "decided"
        said = self.kernel.pump_until(lambda: decided.exists() and decided.read_text(), 20, "what becomes of it")
        return said == "True"

    def fill(self, button: str, field: str, value: str) -> None:
        """Type into a field that belongs to a button, when both are there."""
        self.page.wait_button(button)
        self.page.set_value(field, value)


@contextmanager
def notebook(python: Path | None = None, *, renders: bool = True, **kernel_options: Any) -> Iterator[Notebook]:
    """A kernel with the extension and a few tools, until the block ends; a console renders no widgets."""
    with KernelSession(python, **kernel_options) as kernel:
        yield Notebook(kernel, renders=renders)


def record(cell: Execution) -> str:
    """The plain text of the one record that a cell holds; no widget is left in it."""
    records = [o for o in cell.outputs if TRACE_MIME_TYPE in o.get("data", {})]
    assert len(records) == 1, cell
    assert VIEW_MIME_TYPE not in records[0]["data"]
    return records[0]["data"]["text/plain"]
