"""Who answers when the gate says ask: nobody, a list of rules, a function, the terminal, or a front end's widget."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError
from ..core.prompting import PermissionAnswer, PermissionRequest, Prompter
from ..core.terminal import read_line
from ..hooks.from_settings import NOT_APPROVED
from ..permissions.wire_updates import update_from_json

if TYPE_CHECKING:
    from .session import Session

PrompterChoice = Prompter | Callable[[PermissionRequest], Any] | str | None
PrompterFactory = Callable[["Session"], Prompter]


class DenyPrompter:
    """Nobody can be asked: what would ask is denied at once, with the way to allow it beforehand."""

    def __init__(self, why: str = "nobody can be asked here") -> None:
        self._why = why

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        return PermissionAnswer("deny", how_to_allow(request, self._why), answered_by="nobody")


def how_to_allow(request: PermissionRequest, why: str) -> str:
    """A denial that tells which rule would have allowed the call, and where to put it; or that no rule can."""
    denied, rules = f"denied: {why} ({request.decision.reason})", request.offered
    if request.form == "questions":
        return f"{denied}. Decide yourself, and say what you decided"
    if NOT_APPROVED in request.decision.reason:
        return f"{denied}. No rule allows it beforehand: look at what the file asks for, and approve it"
    if not rules and request.decision.decided_by:  # an ask rule, a hook or the tool itself: an allow rule does not help
        return f"{denied}. No rule can allow it beforehand: somebody has to be asked"
    if not rules:
        return f"{denied}. No narrow rule can be proposed for this very call: somebody has to be asked"
    quoted = ", ".join(json.dumps(rule, ensure_ascii=False) for rule in rules)
    which = "this rule" if len(rules) == 1 else "these rules"
    return (
        f"{denied}. To allow it beforehand, add {quoted} ({which}, quoted as JSON) to permissions.allow of "
        "Session(settings=…), or of the file that JUPYTER_AGENTTOOLS_SETTINGS names"
    )


class AllowListPrompter:
    """Answers from a list of permission rules: yes to what one of them covers, no to everything else."""

    def __init__(self, session: Session, rules: Sequence[str] = ()) -> None:
        self._session = session
        self._rules = tuple(rules)

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        if any(self._session.rule_covers(rule, request) for rule in self._rules):
            return PermissionAnswer("allow", answered_by="allow-list")
        return PermissionAnswer("deny", how_to_allow(request, "it is not on the allow-list"), answered_by="allow-list")


class CallablePrompter:
    """Asks a function, sync or async: it returns a :class:`PermissionAnswer`, a bool, or ``"allow"`` / ``"deny"``."""

    def __init__(self, function: Callable[[PermissionRequest], Any]) -> None:
        self._function = function

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        answer = self._function(request)
        return as_answer(await answer if inspect.isawaitable(answer) else answer)


def as_answer(answer: Any) -> PermissionAnswer:
    """The answer that a simple value stands for; anything that is not clearly a yes is a no.

    Raises:
        UsageError: a mapping with ``updatedPermissions`` that cannot be read.
    """
    if isinstance(answer, PermissionAnswer):
        return answer
    if isinstance(answer, Mapping):
        return PermissionAnswer(
            "allow" if answer.get("behavior") == "allow" else "deny",
            str(answer.get("message", "")),
            answer.get("updatedInput"),
            answered_by="callable",
            updates=tuple(map(update_from_json, answer.get("updatedPermissions") or ())),
            interrupt=answer.get("interrupt") is True,
        )
    return PermissionAnswer("allow" if answer is True or answer == "allow" else "deny", answered_by="callable")


class StdinPrompter:
    """Asks in a terminal, one question at a time. The end of the input is a no.

    Args:
        session: knows the tools, and what a rule would have allowed.
        read: shows a text and returns the typed line; ``input`` in a worker thread by default.
    """

    def __init__(self, session: Session, read: Callable[[str], Awaitable[str]] | None = None) -> None:
        self._session, self._read = session, read or read_line
        self._turn: Any = None

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        import anyio

        self._turn = self._turn or anyio.Lock()
        async with self._turn:
            return await self._ask(request)

    async def _ask(self, request: PermissionRequest) -> PermissionAnswer:
        from .approval_dialog import request_dialog

        dialog = request_dialog(request, self._session)
        try:
            step = next(dialog)
            while True:
                step = dialog.send(await (self._read(step) if isinstance(step, str) else step()))
        except StopIteration as end:
            return end.value
        except EOFError:
            return PermissionAnswer("deny", how_to_allow(request, "the input is at its end"), answered_by="stdin")


_factories: dict[str, PrompterFactory] = {
    "deny": lambda session: DenyPrompter(),
    "allow-list": lambda session: AllowListPrompter(session),
    "stdin": StdinPrompter,
}
_lock = threading.Lock()
_default = "deny"


def register_prompter(name: str, factory: PrompterFactory, *, default: bool = False) -> Callable[[], None]:
    """Let sessions ask through a front end under ``name``; with ``default`` also those that name nobody.

    Returns the undo.
    """
    global _default
    with _lock:
        before = _default
        _factories[name] = factory
        _default = name if default else _default

    def undo() -> None:
        global _default
        with _lock:
            _factories.pop(name, None)
            _default = before if _default == name else _default

    return undo


def make_prompter(choice: PrompterChoice, session: Session) -> Prompter:
    """The prompter that a ``Session(prompter=…)`` argument means.

    Raises:
        UsageError: an unknown name, or something that cannot be asked.
    """
    if choice is None or isinstance(choice, str):
        name = choice or _default
        if name not in _factories:
            hint = " (it needs a notebook: %load_ext jupyter_agenttools)" if name == "widget" else ""
            raise UsageError(f"no prompter is named {name!r}{hint}; there are: {', '.join(sorted(_factories))}")
        return _factories[name](session)
    if hasattr(choice, "ask"):
        return choice  # type: ignore[return-value]
    if callable(choice):
        return CallablePrompter(choice)
    raise UsageError(f"prompter: expected a name, a function or an object with `ask`, not {type(choice).__name__}")
