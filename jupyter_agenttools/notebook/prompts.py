"""The questions that are open, each answered exactly once, by whoever is first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING

from ..core.errors import UsageError
from ..core.prompting import PermissionAnswer, PermissionRequest

if TYPE_CHECKING:
    from .live import LiveDisplay

ID_PREFIX = "toolu_"


class OpenPrompt:
    """One question and the future of its answer.

    Attributes:
        request: the question; its ``tool_use_id`` is the key.
        future: thread-safe; resolved once.
        live: the display that its card is in, once there is one.
        cell: the id of the cell that asks, ``""`` when that is not known. client: the front end's session that ran it.
    """

    def __init__(self, request: PermissionRequest, cell: str = "", client: str = "") -> None:
        self.request, self.cell, self.client = request, cell, client
        self.future: Future[PermissionAnswer] = Future()
        self.live: LiveDisplay | None = None

    @property
    def is_open(self) -> bool:
        return not self.future.done()

    def answer(self, answer: PermissionAnswer) -> bool:
        """Give the answer; says whether it was the one that counts."""
        try:
            self.future.set_result(answer)
        except InvalidStateError:
            return False
        return True


class OpenPrompts:
    """Every open question of the kernel, in the order in which they were asked. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, OpenPrompt] = {}
        self._listeners: tuple[Callable[[], None], ...] = ()

    def open(self, request: PermissionRequest, cell: str = "", client: str = "") -> OpenPrompt:
        prompt = OpenPrompt(request, cell, client)
        prompt.future.add_done_callback(lambda _: self._tell())
        with self._lock:
            self._open[request.tool_use_id] = prompt
        self._tell()
        return prompt

    def close(self, prompt: OpenPrompt) -> None:
        with self._lock:
            if self._open.get(prompt.request.tool_use_id) is prompt:
                del self._open[prompt.request.tool_use_id]
        self._tell()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` whenever a question comes, is answered or goes, on whatever thread. Returns the undo."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
        return lambda: self._unlisten(listener)

    def _unlisten(self, listener: Callable[[], None]) -> None:
        with self._lock:
            self._listeners = tuple(known for known in self._listeners if known is not listener)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def all(self) -> tuple[OpenPrompt, ...]:
        with self._lock:
            return tuple(self._open.values())

    def find(self, id: str) -> OpenPrompt:
        """The question with this id, or the beginning of it, with or without its prefix.

        Raises:
            UsageError: there is none, or more than one; names those that are open.
        """
        prompts = self.all()
        starts = (id, ID_PREFIX + id)
        found = [p for p in prompts if p.request.tool_use_id.startswith(starts)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"{short_id(p.request.tool_use_id)} ({p.request.tool_name})" for p in prompts) or "none"
        problem = "more than one open question begins with" if found else "no open question has the id"
        raise UsageError(f"%agent: {problem} {id!r}. Open: {names}.")


def short_id(tool_use_id: str) -> str:
    """The few characters by which a person may name a call."""
    return tool_use_id.removeprefix(ID_PREFIX)[:8]
