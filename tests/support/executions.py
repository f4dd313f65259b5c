"""One cell that a test runs: its outputs as a notebook would hold them, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from .kernels import KernelSession

Message = dict[str, Any]
InputHandler = Callable[[str, bool], str]
Status = Literal["running", "ok", "error", "aborted"]


class TimedMessage(NamedTuple):
    """A message as it arrived; ``at`` is ``time.monotonic()``."""

    at: float
    message: Message


class Execution:
    """What became of one ``execute_request``.

    Attributes:
        outputs: nbformat outputs; streams are joined, and a display that has an id also holds it as ``display_id``.
        status: ``running`` until the kernel has replied and gone idle.
        reply: the content of the ``execute_reply``.
        prompts: what ``input()`` asked.
        messages: every iopub message of this cell.
    """

    def __init__(self, kernel: KernelSession, msg_id: str, code: str, on_input: InputHandler | None) -> None:
        self._kernel = kernel
        self._on_input = on_input
        self._idle = False
        self._clear_first = False
        self.msg_id, self.code = msg_id, code
        self.outputs: list[dict[str, Any]] = []
        self.reply: dict[str, Any] | None = None
        self.prompts: list[str] = []
        self.messages: list[TimedMessage] = []

    def __repr__(self) -> str:
        return f"<Execution {self.status} {self.code[:40]!r}: {self.text[-300:]!r}>"

    @property
    def status(self) -> Status:
        return self.reply["status"] if self.reply is not None and self._idle else "running"

    @property
    def execution_count(self) -> int | None:
        return (self.reply or {}).get("execution_count")

    @property
    def error(self) -> str:
        """``Name: value`` of the exception that ended the cell, or ``""``."""
        errors = (f"{o['ename']}: {o['evalue']}" for o in self.outputs if o["output_type"] == "error")
        return next(errors, "")

    @property
    def text(self) -> str:
        """Everything that was printed or shown, as plain text."""
        return "".join(
            o.get("text") or o.get("data", {}).get("text/plain", "") or o.get("evalue", "") for o in self.outputs
        )

    def data(self, mime_type: str) -> list[Any]:
        """What the outputs hold for ``mime_type``, in order."""
        return [o["data"][mime_type] for o in self.outputs if mime_type in o.get("data", {})]

    def wait(self, timeout_s: float = 60) -> Execution:
        """Wait for the end of the cell."""
        self._kernel.pump_until(lambda: self.status != "running", timeout_s, f"end of {self.code[:40]!r}")
        return self

    def wait_text(self, text: str, timeout_s: float = 30) -> Execution:
        """Wait until ``text`` was printed or shown."""
        self._kernel.pump_until(lambda: text in self.text, timeout_s, f"{text!r} in {self.code[:40]!r}")
        return self

    # ---- called by the session

    def answer(self, request: Mapping[str, Any]) -> str:
        self.prompts.append(request["prompt"])
        if self._on_input is None:
            raise AssertionError(f"the cell asked {request['prompt']!r} and the test has no answer")
        return self._on_input(request["prompt"], request["password"])

    def on_reply(self, content: dict[str, Any]) -> None:
        self.reply = content

    def on_iopub(self, message: Message) -> None:
        self.messages.append(TimedMessage(time.monotonic(), message))
        kind, content = message["msg_type"], message["content"]
        if kind == "status":
            self._idle = content["execution_state"] == "idle"
        elif kind == "clear_output":
            self._clear_first = content["wait"]
            if not content["wait"]:
                self.outputs.clear()
        elif kind in ("stream", "display_data", "execute_result", "error"):
            if self._clear_first:
                self.outputs.clear()
                self._clear_first = False
            self._append(kind, content)

    def update_display(self, content: Mapping[str, Any]) -> None:
        """Replace what stands under a display id."""
        wanted = content["transient"]["display_id"]
        for output in self.outputs:
            if output.get("display_id") == wanted:
                output.update(data=dict(content["data"]), metadata=dict(content["metadata"]))

    def _append(self, kind: str, content: Mapping[str, Any]) -> None:
        last = self.outputs[-1] if self.outputs else {}
        if kind == "stream" and last.get("output_type") == "stream" and last["name"] == content["name"]:
            last["text"] += content["text"]
            return
        output = {"output_type": kind, **{k: v for k, v in content.items() if k != "transient"}}
        display_id = content.get("transient", {}).get("display_id")
        self.outputs.append({**output, "display_id": display_id} if display_id else output)
