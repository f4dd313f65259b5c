"""The questions that are open, each answered exactly once, by whoever is first."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING

from ..core.errors import UsageError
from ..core.prompting import PermissionAnswer, PermissionRequest
from .listeners import Listeners

if TYPE_CHECKING:
    from .live import LiveDisplay

ID_PREFIX = "toolu_"

SHORT_CHARS = 8
"""Of an id, where they tell it from all others."""


class OpenPrompt:
    """One question and the future of its answer.

    Attributes:
        request: the question.
        key: of this question alone. The id of its call is no key: models count their calls anew in each conversation,
            and two agents may do so at once.
        future: thread-safe; resolved once.
        live: the display that its card is in, once there is one.
        cell: the id of the cell that asks, ``""`` when that is not known. client: the front end's session that ran it.
        on_line: a line is read for it. What is typed there is the answer: an open line cannot be taken back, and a
            person who types into it must not find that something else was decided.
    """

    def __init__(self, request: PermissionRequest, cell: str = "", client: str = "") -> None:
        self.request, self.cell, self.client, self.key = request, cell, client, uuid.uuid4().hex
        self.future: Future[PermissionAnswer] = Future()
        self.live: LiveDisplay | None = None
        self.on_line = False

    @property
    def answers(self) -> tuple[str, ...]:
        """What can be answered outside of the card. To allow questions without a choice would say that the person
        leaves it to the model."""
        if self.on_line:
            return ()
        return ("deny",) if self.request.form == "questions" else ("allow", "deny")

    @property
    def is_open(self) -> bool:
        return not self.future.done()

    def why_not(self, behavior: str) -> str:
        """Why this answer does not count outside of the card, and where the person can give it; ``""`` if it does."""
        if behavior in self.answers:
            return ""
        if self.on_line:
            return "it is asked in a line below its cell, type the answer there"
        return "something has to be chosen, which can be done on its card"

    def answer(self, answer: PermissionAnswer) -> bool:
        """Give the answer; says whether it was the one that counts."""
        try:
            self.future.set_result(answer)
        except InvalidStateError:
            return False
        return True


class OpenPrompts:
    """Every open question of the kernel, in the order in which they were asked. Thread-safe.

    Attributes:
        listen: calls a function whenever a question comes, is answered or goes, see :meth:`.Listeners.add`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, OpenPrompt] = {}
        self._listeners = Listeners()
        self.listen = self._listeners.add

    def open(self, request: PermissionRequest, cell: str = "", client: str = "") -> OpenPrompt:
        prompt = OpenPrompt(request, cell, client)
        prompt.future.add_done_callback(lambda _: self._listeners.tell())
        with self._lock:
            self._open[prompt.key] = prompt
        self._listeners.tell()
        return prompt

    def close(self, prompt: OpenPrompt) -> None:
        with self._lock:
            self._open.pop(prompt.key, None)
        self._listeners.tell()

    def put_on_line(self, prompt: OpenPrompt) -> None:
        """From now on a line is read for this question."""
        prompt.on_line = True
        self._listeners.tell()

    def all(self) -> tuple[OpenPrompt, ...]:
        with self._lock:
            return tuple(self._open.values())

    def of_key(self, key: str) -> OpenPrompt:
        """The question that was asked under this very key.

        Raises:
            UsageError: it is not open any more.
        """
        with self._lock:
            prompt = self._open.get(key)
        if prompt is None:
            raise UsageError("this question is not open any more")
        return prompt

    def find(self, id: str) -> OpenPrompt:
        """The question that a person names: by the id of its call, or the beginning of it, with or without its prefix.
        A whole id means that call, also where others begin with it. Of two calls with the same id each has the name
        that :meth:`names` gives it.

        Raises:
            UsageError: there is none, or more than one; names those that are open.
        """
        prompts, names = self.all(), self.names()
        starts = (id, ID_PREFIX + id)
        found = [p for p in prompts if p.request.tool_use_id in starts] or [p for p in prompts if names.get(p) == id]
        found = found or [p for p in prompts if p.request.tool_use_id.startswith(starts)]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(f"{name} ({prompt.request.tool_name})" for prompt, name in names.items()) or "none"
        problem = "more than one open question begins with" if found else "no open question has the id"
        raise UsageError(f"%agent: {problem} {id!r}. Open: {listed}.")

    def names(self) -> dict[OpenPrompt, str]:
        """What a person types for each open question: a few characters of its call's id where those are random, all of
        it where ids are counted; where two have the same id, the beginning of the question's key."""
        prompts = self.all()
        ids = {prompt: prompt.request.tool_use_id.removeprefix(ID_PREFIX) for prompt in prompts}
        return {prompt: _name(prompt, [ids[p] for p in prompts if p is not prompt]) for prompt in prompts}


def _name(prompt: OpenPrompt, others: list[str]) -> str:
    whole = prompt.request.tool_use_id
    id = whole.removeprefix(ID_PREFIX)
    if id in others:
        return prompt.key[:SHORT_CHARS]
    short = id[:SHORT_CHARS]
    is_random = id != whole
    return short if is_random and not any(other.startswith(short) for other in others) else id
