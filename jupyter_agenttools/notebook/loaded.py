"""The extension in one IPython shell. It is light: what runs tools is imported when it is first used."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from .cell import current_cell
from .configurable import TraitError, add_configurable
from .definitions import Definition, Definitions
from .heartbeat import CANCEL_MODULE, Heartbeat
from .lab import LabFrontEnd
from .own_notebook import NotebookFile, notebook_at_start
from .pump6 import make_pump
from .shown import ShownValues
from .when_imported import when_imported
from .widget_status import answer_widget_messages

if TYPE_CHECKING:
    from .runtime import Runtime


class Loaded:
    """What is there from ``%load_ext`` on.

    Args:
        shell: the shell.

    Attributes:
        shown: values that need no second showing.
        pump: lets widget messages in, where the kernel itself does not; ``None`` where it does.
        heartbeat: beats while a cell runs.
        lab: the pages of JupyterLab and Notebook 7 that have our extension; ``None`` in a terminal.
        config: what a person has configured in IPython.
        definitions: the tools and hooks that were written in cells, each where it counts.
        notebook_at_start: the kernel's notebook, with the records that it holds.
        undo: takes out of the shell what was put into it.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self._process_id = os.getpid()
        self.shown = ShownValues()
        kernel = getattr(shell, "kernel", None)
        self.pump = make_pump(kernel)
        self.heartbeat = Heartbeat(self.pump, kernel)
        self.lab = None if kernel is None else LabFrontEnd(kernel)
        self.definitions = Definitions()
        self.notebook_at_start = notebook_at_start(shell.user_ns) if kernel is not None else NotebookFile()
        self.undo = ExitStack()
        self.config, forget = add_configurable(shell)
        self.undo.callback(forget)
        if self.lab is not None:
            self.undo.callback(self.lab.close)
        self.config.observe(self._on_configured)
        self._lock = threading.RLock()
        self._runtime: Runtime | None = None
        self.undo.callback(when_imported(CANCEL_MODULE, self.heartbeat.tell_core))
        self.undo.callback(answer_widget_messages(kernel, self.heartbeat))

    @property
    def runtime(self) -> Runtime:
        """What runs things; made when first needed."""
        with self._lock:
            if self._runtime is None:
                from .runtime import Runtime

                self._runtime = Runtime(self)
            return self._runtime

    def on_cell(self, *_: object) -> None:
        """A cell begins. What has not been used yet has nothing to say in it."""
        if self._runtime is not None:
            self._runtime.on_cell()

    def on_definition(self, made: Any, key: str) -> None:
        """A tool or hook was written in a cell: it can be used at once, in place of an earlier form of it.

        Raises:
            UsageError: a built-in tool has that name.
        """
        cell, run = current_cell(self.shell).cell_id, getattr(self.shell, "execution_count", 0)
        new = Definition(made, key, getattr(made, "event", ""), cell, run)
        if self._runtime is not None:
            self._runtime.define(made, self.definitions.replaced_by(new))
        self.definitions.add(new)

    def _on_configured(self, change: Any) -> None:
        """What was configured counts at once, or not at all.

        Raises:
            TraitError: it cannot be used; the value is the one before.
        """
        if self._runtime is None:
            return
        from ..core.errors import UsageError

        try:
            self._runtime.follow(change)
        except UsageError as problem:
            self.config.unobserve(self._on_configured)
            self.config.set_trait(change.name, change.old)
            self.config.observe(self._on_configured)
            raise TraitError(str(problem)) from None

    def close(self) -> None:
        """Stop everything that runs. A forked child that ends leaves alone what is its parent's."""
        if os.getpid() != self._process_id:
            return
        self.heartbeat.stop()
        with self._lock:
            runtime, self._runtime = self._runtime, None
        if runtime is not None:
            runtime.close()


_current: Loaded | None = None


def set_loaded(loaded: Loaded | None) -> None:
    """Make this the extension of the process (``None`` when it is unloaded)."""
    global _current
    _current = loaded


def get_loaded() -> Loaded | None:
    """The extension of this process, if it is loaded."""
    return _current
