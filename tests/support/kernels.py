"""A real kernel, driven from a test as a front end would: run cells, answer `input()`, interrupt, kill.

Nothing happens behind the test's back: messages are read while the test waits (:meth:`KernelSession.pump_until`), and
stay in the sockets otherwise.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import psutil
import zmq
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from zmq.utils.monitor import recv_monitor_message

from .environments import MATRIX, NEWEST, ipykernel_env
from .executions import Execution, InputHandler, Message
from .kernelspecs import write_kernelspec

Found = TypeVar("Found")
POLL_MS = 50
START_TIMEOUT_S = 60.0


class KernelDied(RuntimeError):
    """The kernel's process ended while a test waited for it."""


class KernelSession:
    """One kernel process and the sockets to it, as a context manager.

    Args:
        python: the interpreter to run the kernel with; the one that runs the tests by default.
        cwd: the kernel's working directory; a fresh temporary folder by default.
        env: variables on top of the tests' own environment.

    Attributes:
        executions: every cell that was run, by the id of its request, in order.
        listeners: called with each iopub message, e.g. by a ``WidgetFrontEnd``.
        info: the content of the kernel's ``kernel_info_reply``.
    """

    def __init__(
        self, python: str | Path | None = None, *, cwd: str | Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kernel-session-")
        self.cwd = Path(cwd) if cwd else Path(self._folder.name, "work")
        self.cwd.mkdir(exist_ok=True)
        specs = Path(self._folder.name, "kernels")
        write_kernelspec(specs, "under-test", python or sys.executable)
        self._manager = KernelManager(
            kernel_name="under-test",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(specs)], ensure_native_kernel=False),
            connection_file=str(Path(self._folder.name, "connection.json")),
        )
        self._env = {**os.environ, **(env or {})}
        self.executions: dict[str, Execution] = {}
        self.listeners: list[Callable[[Message], None]] = []
        self.info: dict[str, Any] = {}
        self._replies: dict[str, Message] = {}

    def __enter__(self) -> KernelSession:
        try:
            self._manager.start_kernel(cwd=str(self.cwd), env=self._env)
            self.process = psutil.Process(self._manager.provisioner.pid)
            self._connect()
            self._wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the kernel and everything that it started; nothing of it is left running."""
        process = getattr(self, "process", None)
        family = [process, *process.children(recursive=True)] if process and process.is_running() else []
        for socket in getattr(self, "_sockets", {}).values():
            socket.disable_monitor()
            socket.close(linger=0)
        if self._manager.has_kernel:
            self._manager.shutdown_kernel(now=not self.alive)
        for survivor in family:
            if survivor.is_running():
                survivor.kill()
        self._folder.cleanup()

    # ---- running cells

    def start(
        self,
        code: str,
        *,
        on_input: InputHandler | None = None,
        allow_stdin: bool | None = None,
        stop_on_error: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> Execution:
        """Send a cell and return at once.

        Args:
            on_input: answers ``input(prompt)``; called with the prompt and whether it is a password.
            allow_stdin: what the request says; by default whether there is an ``on_input``.
            metadata: of the request, e.g. ``{"cellId": …}`` as JupyterLab sends it.
        """
        allow = on_input is not None if allow_stdin is None else allow_stdin
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": allow,
            "stop_on_error": stop_on_error,
        }
        msg_id = self.send("shell", "execute_request", content, metadata=metadata)
        execution = Execution(self, msg_id, code, on_input)
        self.executions[msg_id] = execution
        return execution

    def run(self, code: str, *, timeout_s: float = 60, **options: Any) -> Execution:
        """Send a cell and wait for its end."""
        return self.start(code, **options).wait(timeout_s)

    def interrupt(self) -> None:
        """What a front end's stop button does: SIGINT to the kernel's process group."""
        self._manager.interrupt_kernel()

    def kill(self) -> None:
        """``kill -9`` of the kernel's process alone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def restart(self) -> None:
        """A fresh process behind the same sockets; cells that were running stay unanswered."""
        self._manager.restart_kernel(now=True)
        self.process = psutil.Process(self._manager.provisioner.pid)
        self._wait_ready()

    def reload_page(self) -> None:
        """From now on be another front end: with a session of its own, and without the cells that were run before."""
        self._manager.session.session = uuid.uuid4().hex
        self.executions.clear()

    @property
    def alive(self) -> bool:
        process = getattr(self, "process", None)
        return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE

    @property
    def supports_subshells(self) -> bool:
        return "kernel subshells" in self.info.get("supported_features", ())

    # ---- messages

    def send(
        self,
        channel: str,
        msg_type: str,
        content: Mapping[str, Any],
        *,
        metadata: Mapping[str, Any] | None = None,
        buffers: list[bytes] | None = None,
        subshell_id: str | None = None,
    ) -> str:
        """Send one message on ``shell``, ``control`` or ``stdin``; returns its id."""
        message = self._manager.session.msg(msg_type, dict(content), metadata=dict(metadata or {}))
        if subshell_id is not None:
            message["header"]["subshell_id"] = subshell_id
        self._manager.session.send(self._sockets[channel], message, buffers=buffers)
        return message["header"]["msg_id"]

    def request(self, channel: str, msg_type: str, content: Mapping[str, Any], timeout_s: float = 60) -> dict[str, Any]:
        """Send a request and wait for the content of its reply."""
        msg_id = self.send(channel, msg_type, content)
        return self.pump_until(lambda: self._replies.get(msg_id), timeout_s, f"a reply to {msg_type}")["content"]

    def pump(self, timeout_ms: int = 0) -> None:
        """Read every message that is there, waiting up to ``timeout_ms`` for a first one."""
        while ready := dict(self._poller.poll(timeout_ms)):
            timeout_ms = 0
            for channel, socket in self._sockets.items():
                if socket in ready:
                    _, message = self._manager.session.recv(socket, mode=zmq.NOBLOCK)
                    if message is not None:
                        self._handle(channel, message)

    def pump_until(self, condition: Callable[[], Found], timeout_s: float, what: str) -> Found:
        """Read messages until ``condition()`` is true, and return what it returned.

        Raises:
            TimeoutError: it did not come true; the outputs so far are in the message.
            KernelDied: the kernel's process ended.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            alive = self.alive  # asked before reading, so that a dead kernel's last messages are still read
            self.pump()
            if found := condition():
                return found
            if not alive:
                raise KernelDied(f"the kernel ended while waiting for {what}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {what} within {timeout_s} s; cells: {list(self.executions.values())}")
            self._poller.poll(POLL_MS)

    def _connect(self) -> None:
        identity = self._manager.session.bsession  # stdin requests are routed to the sender of the shell request
        self._sockets = {
            "iopub": self._manager.connect_iopub(),
            "shell": self._manager.connect_shell(identity=identity),
            "stdin": self._manager.connect_stdin(identity=identity),
            "control": self._manager.connect_control(identity=identity),
        }
        self._stdin_events = self._sockets["stdin"].get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
        )
        self._stdin_connected = False
        self._poller = zmq.Poller()
        for socket in self._sockets.values():
            self._poller.register(socket, zmq.POLLIN)

    def _wait_ready(self) -> None:
        """Ask until a question is answered on shell *and* seen on iopub, whose subscription takes a moment; and until
        stdin is connected: what a kernel asks of nobody is dropped, and its ``input()`` waits for ever."""
        seen: set[str] = set()
        self.listeners.append(lambda message: seen.add(message["parent_header"].get("msg_id", "")))
        watcher, deadline, asked = self.listeners[-1], time.monotonic() + START_TIMEOUT_S, ""
        while not (asked in seen and asked in self._replies):
            if not self.alive or time.monotonic() > deadline:
                raise KernelDied("the kernel did not start")
            asked = self.send("shell", "kernel_info_request", {})
            until = time.monotonic() + 1
            while time.monotonic() < until and not (asked in seen and asked in self._replies):
                self.pump(POLL_MS)
        while not self._is_stdin_connected():
            if not self.alive or time.monotonic() > deadline:
                raise KernelDied("the kernel did not take the connection for input()")
            self._stdin_events.poll(POLL_MS)
        self.info = self._replies[asked]["content"]
        self.listeners.remove(watcher)

    def _is_stdin_connected(self) -> bool:
        while self._stdin_events.poll(0):
            event = recv_monitor_message(self._stdin_events)["event"]
            self._stdin_connected = event == zmq.EVENT_HANDSHAKE_SUCCEEDED
        return self._stdin_connected

    def _handle(self, channel: str, message: Message) -> None:
        parent = message["parent_header"].get("msg_id", "")
        execution = self.executions.get(parent)
        if channel == "iopub":
            if message["msg_type"] == "update_display_data":
                for each in self.executions.values():
                    each.update_display(message["content"])
            if execution is not None:
                execution.on_iopub(message)
            for listener in tuple(self.listeners):
                listener(message)
        elif channel == "stdin" and execution is not None:
            self.send("stdin", "input_reply", {"value": execution.answer(message["content"])})
        elif channel in ("shell", "control"):
            self._replies[parent] = message
            if execution is not None:
                execution.on_reply(message["content"])


__all__ = ["MATRIX", "NEWEST", "Execution", "KernelDied", "KernelSession", "ipykernel_env"]
