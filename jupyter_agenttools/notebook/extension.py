"""Loading and unloading: everything that is put into IPython is taken out again."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from .completer import register_completer
from .formatters import register_formatters
from .loaded import Loaded, get_loaded, set_loaded
from .magics import Magics
from .transform import ENTRY, AwaitRewriter, OwnAssignment, OwnCommand, keep_cell
from .when_imported import when_imported

if TYPE_CHECKING:
    from ..session import Session
    from .prompter import KernelPrompter

OLDEST_IPYKERNEL = (6, 29)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext jupyter_agenttools``.

    Raises:
        UnsupportedKernelError: an ipykernel in which a running cell can never be answered.
    """
    before = get_loaded()
    if before is not None and before.shell is shell:
        return
    check_kernel(shell)
    if before is not None:
        before.undo.close()  # a process has one portal, and one shell that a person sits at
    loaded = Loaded(shell)
    try:
        _install(shell, loaded)
    except BaseException:
        loaded.undo.close()
        raise


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext jupyter_agenttools``: nothing of it is left."""
    loaded = get_loaded()
    if loaded is not None:
        loaded.undo.close()


def check_kernel(shell: Any) -> None:
    """Refuse kernels that cannot work.

    Raises:
        UnsupportedKernelError: says which version, and what to install.
    """
    if getattr(shell, "kernel", None) is None:
        return
    import ipykernel

    version = tuple(ipykernel.version_info[:2])
    if version == (7, 0) or version < OLDEST_IPYKERNEL:
        from .errors import UnsupportedKernelError

        raise UnsupportedKernelError(
            f"jupyter_agenttools cannot run on ipykernel {ipykernel.__version__}: widgets would not be answered. "
            "Install ipykernel>=7.4 (or 6.29 to 6.31) and restart the kernel."
        )


def _install(shell: Any, loaded: Loaded) -> None:
    undo = loaded.undo
    undo.callback(loaded.close)
    atexit.register(loaded.close)
    undo.callback(atexit.unregister, loaded.close)
    set_loaded(loaded)
    undo.callback(set_loaded, None)
    magics = Magics(loaded)
    undo.callback(magics.register(shell))
    _install_rewriter(shell, loaded, magics)
    undo.callback(register_formatters(shell, loaded.shown))
    undo.callback(register_completer(shell, loaded))
    undo.callback(when_imported("jupyter_agenttools.core.errors", partial(_tell_in_one_line, undo)))
    undo.callback(when_imported("jupyter_agenttools.core.definitions", partial(_listen, loaded)))
    undo.callback(when_imported("jupyter_agenttools.session", partial(_offer_prompter, loaded)))


def _tell_in_one_line(undo: ExitStack) -> None:
    """A person's mistake in a call from Python is one line as well, without a traceback through our code."""
    from ..core.errors import UsageError
    from .one_line import one_line

    UsageError._render_traceback_ = one_line  # type: ignore[attr-defined]

    def take_back() -> None:
        del UsageError._render_traceback_  # type: ignore[attr-defined]

    undo.callback(take_back)


def _listen(loaded: Loaded) -> None:
    """Hear of every tool and hook that is written from now on."""
    from ..core import definitions

    loaded.undo.callback(definitions.listen(loaded.on_definition))


def _offer_prompter(loaded: Loaded) -> None:
    """Let every session of this process ask in the notebook unless it names another prompter."""
    from ..session import register_prompter

    def make(session: Session) -> KernelPrompter:
        from .prompter import KernelPrompter

        return KernelPrompter(loaded.runtime, session)

    loaded.undo.callback(register_prompter("widget", make, default=True))


def _install_rewriter(shell: Any, loaded: Loaded, magics: Magics) -> None:
    rewriter, undo = AwaitRewriter(shell), loaded.undo
    _insert(shell.input_transformers_cleanup, 0, keep_cell, undo)
    for transformer in (OwnAssignment, OwnCommand):
        _insert(shell.input_transformer_manager.token_transformers, 0, transformer, undo)
    _insert(shell.input_transformers_post, len(shell.input_transformers_post), rewriter, undo)
    for event, function in (
        ("pre_run_cell", lambda *_: shell.user_ns.setdefault(ENTRY, magics.awaited)),  # `%reset` takes it away
        ("pre_run_cell", rewriter.enter),
        ("pre_run_cell", loaded.heartbeat.start),
        ("pre_run_cell", loaded.on_cell),
        ("post_run_cell", rewriter.leave),
        ("post_run_cell", loaded.heartbeat.stop),
        ("post_run_cell", loaded.shown.clear),
    ):
        shell.events.register(event, function)
        undo.callback(shell.events.unregister, event, function)
    if getattr(shell.displayhook, "exec_result", None) is not None:  # the cell that loads us is running already
        rewriter.enter()
        loaded.heartbeat.start()
    shell.user_ns[ENTRY] = magics.awaited
    shell.user_ns_hidden[ENTRY] = magics.awaited
    undo.callback(shell.user_ns.pop, ENTRY, None)
    undo.callback(shell.user_ns_hidden.pop, ENTRY, None)


def _insert(into: list[Any], index: int, item: Any, undo: ExitStack) -> None:
    into.insert(index, item)
    undo.callback(lambda: into.remove(item) if item in into else None)
