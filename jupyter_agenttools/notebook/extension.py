"""Loading and unloading: everything that is put into IPython is taken out again."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from typing import Any

from ..core import definitions
from .completer import register_completer
from .errors import UnsupportedKernelError
from .formatters import register_formatters
from .magics import Magics
from .runtime import Runtime, set_runtime
from .transform import ENTRY, AwaitRewriter, OwnAssignment, OwnCommand, keep_cell

OLDEST_IPYKERNEL = (6, 29)

_loaded: dict[int, ExitStack] = {}


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext jupyter_agenttools``.

    Raises:
        UnsupportedKernelError: an ipykernel in which a running cell can never be answered.
    """
    if id(shell) in _loaded:
        return
    check_kernel(shell)
    undo = ExitStack()
    try:
        _install(shell, undo)
    except BaseException:
        undo.close()
        raise
    _loaded[id(shell)] = undo


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext jupyter_agenttools``: nothing of it is left."""
    undo = _loaded.pop(id(shell), None)
    if undo is not None:
        undo.close()


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
        raise UnsupportedKernelError(
            f"jupyter_agenttools cannot run on ipykernel {ipykernel.__version__}: widgets would not be answered. "
            "Install ipykernel>=7.4 (or 6.29 to 6.31) and restart the kernel."
        )


def _install(shell: Any, undo: ExitStack) -> None:
    runtime = Runtime(shell)
    undo.callback(runtime.close)
    atexit.register(runtime.close)
    undo.callback(atexit.unregister, runtime.close)
    set_runtime(runtime)
    undo.callback(set_runtime, None)
    undo.callback(definitions.listen(runtime.on_definition))
    magics = Magics(runtime)
    undo.callback(magics.register(shell))
    _install_rewriter(shell, runtime, magics, undo)
    undo.callback(register_formatters(shell, runtime.shown))
    undo.callback(register_completer(shell, lambda: runtime.session.tools, runtime.prompts))
    undo.callback(_offer_prompter(runtime))


def _offer_prompter(runtime: Runtime) -> Any:
    """Let every session of this process ask in the notebook unless it names another prompter."""
    from ..session import register_prompter
    from .prompter import KernelPrompter

    return register_prompter("widget", lambda session: KernelPrompter(runtime, session), default=True)


def _install_rewriter(shell: Any, runtime: Runtime, magics: Magics, undo: ExitStack) -> None:
    rewriter = AwaitRewriter(shell)
    _insert(shell.input_transformers_cleanup, 0, keep_cell, undo)
    for transformer in (OwnAssignment, OwnCommand):
        _insert(shell.input_transformer_manager.token_transformers, 0, transformer, undo)
    _insert(shell.input_transformers_post, len(shell.input_transformers_post), rewriter, undo)
    for event, function in (
        ("pre_run_cell", rewriter.enter),
        ("pre_run_cell", runtime.heartbeat.start),
        ("post_run_cell", rewriter.leave),
        ("post_run_cell", runtime.heartbeat.stop),
        ("post_run_cell", runtime.shown.clear),
    ):
        shell.events.register(event, function)
        undo.callback(shell.events.unregister, event, function)
    if getattr(shell.displayhook, "exec_result", None) is not None:  # the cell that loads us is running already
        rewriter.enter()
        runtime.heartbeat.start()
    shell.user_ns[ENTRY] = magics.awaited
    shell.user_ns_hidden[ENTRY] = magics.awaited
    undo.callback(shell.user_ns.pop, ENTRY, None)
    undo.callback(shell.user_ns_hidden.pop, ENTRY, None)


def _insert(into: list[Any], index: int, item: Any, undo: ExitStack) -> None:
    into.insert(index, item)
    undo.callback(lambda: into.remove(item) if item in into else None)
