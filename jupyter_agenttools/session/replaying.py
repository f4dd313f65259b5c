"""What would become of recorded calls under other rules or hooks? They are judged again, and none of them runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import anyio.lowlevel

from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.context import ContextState, PermissionMode
from ..core.decision import Behavior
from ..core.errors import ToolError
from ..core.secrets import REDACTION
from ..core.tool import Tool
from ..core.views import Badge, TableBlockView, TextBlockView, ToolView
from ..hooks import Hook
from ..pipeline import CallEnvironment, observe, parse_input, pre_hooks, validate_input
from ..pipeline.permission import judge
from ..settings import LoadedSettings, load_settings
from .call_titles import call_title
from .finding import find_transcript
from .recorded_calls import RecordedCall, Was, recorded_calls
from .session import Session
from .transcript_reading import LoadedTranscript, load_transcript

if TYPE_CHECKING:
    from ..core.decision import Decision

SHOWN_CALLS = 50
HELD_A_SECRET = "its input held a secret that was never written down, so it may be judged in another way"


class ReplayedCall(NamedTuple):
    """A recorded call, judged again.

    Attributes:
        call: what was recorded. title: what it does, on one line.
        now: what the gate and the hooks would say. why: the reason. decided_by: who; as in a ``Decision``.
        notes: what else there is to know, e.g. that it would fail for another reason.
    """

    call: RecordedCall
    title: str
    now: Behavior
    why: str = ""
    decided_by: str = ""
    notes: tuple[str, ...] = ()

    @property
    def was(self) -> Was:
        return self.call.verdict.was

    @property
    def is_changed(self) -> bool:
        """Whether it would be judged in another way. A call of which the record does not say how it was is none."""
        return self.was in ("allow", "ask", "deny") and self.was != self.now


class Replay(NamedTuple):
    """All calls of a transcript, judged again; ``notes`` say what could not be as it was then."""

    calls: tuple[ReplayedCall, ...]
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[ReplayedCall, ...]:
        return tuple(call for call in self.calls if call.is_changed)


async def replay(
    source: str | os.PathLike[str] | Session,
    *,
    settings: Mapping[str, Any] | LoadedSettings | None = None,
    hooks: Sequence[Hook] | None = None,
    tools: Sequence[Tool] = (),
) -> Replay:
    """What would be said today to each call of a transcript? No call runs, nobody is asked, nothing is written.

    Each call is judged in the folder and the mode in which it was, under these settings, and the deny and ask rules
    that its session had. Rules by which a person had allowed calls for the rest of the session do not count: how the
    settings stand by themselves is the question.

    Args:
        source: a transcript, as for :func:`resume_session`; also a session.
        settings: those of the files as they are now by default; a mapping, or what ``load_settings`` read.
        hooks: Python hooks that are really run on each call (``PreToolUse``), none by default. Those of the settings
            are never run; a call that would meet one is noted.
        tools: tools of that session beside the built-in ones.

    Raises:
        UsageError: no such transcript, or settings that cannot be used.
    """
    loaded = load_transcript(find_transcript(source))
    notes = list(loaded.notes)
    folder = _folder(loaded, notes)
    with TemporaryDirectory(prefix="replay-") as scratch:
        session = Session(
            cwd=folder,
            settings=load_settings(folder) if settings is None else settings,
            tools=tools,
            session_dir=scratch,
        )
        judge_again = _Judge(session, tuple(hooks or ()))
        calls = []
        for call in recorded_calls(loaded.path):
            await anyio.lowlevel.checkpoint()
            calls.append(await judge_again.judged(call))
        await session.aclose()
    return Replay(tuple(calls), tuple(notes))


def _folder(loaded: LoadedTranscript, notes: list[str]) -> str:
    folder = loaded.began_in or loaded.cwd
    if folder and os.path.isdir(folder):
        return folder
    if folder:
        notes.append(f"the folder {folder} is gone; calls are judged as in {os.getcwd()}")
    return os.getcwd()


class _Judge:
    """Judges calls under the rights of one session, with these hooks and no others."""

    def __init__(self, session: Session, hooks: tuple[Hook, ...]) -> None:
        self._session, self._hooks = session, hooks
        self._others = session.hook_events.set
        env = session.call_environment()
        self._env: CallEnvironment = replace(env, hooks=self._others.replaced(hooks), hooks_now=None)

    async def judged(self, call: RecordedCall) -> ReplayedCall:
        state = CallState(call.tool_use, self._context(call))
        notes = [HELD_A_SECRET] if REDACTION in repr(call.tool_use.input) else []
        try:
            decision = await self._decision(state, notes)
        except ToolError as problem:
            return self._said(
                call, "deny", problem.message, "hook" if problem.check_id == "pre-hook" else "schema", notes
            )
        return self._said(call, decision.behavior, decision.reason, decision.decided_by, notes)

    async def _decision(self, state: CallState, notes: list[str]) -> Decision:
        state = (await parse_input.run(state, self._env)).state
        try:
            await validate_input.run(state, self._env)
        except ToolError as problem:
            notes.append(f"it would fail: {problem.message}")
        state = (await observe.run(state, self._env)).state
        met = self._others.matching("PreToolUse", state)
        notes += [f"the hook {hook.name} would have its say first" for hook in met]
        if self._hooks:
            state = (await pre_hooks.run(state, self._env)).state
        return await judge(state)

    def _context(self, call: RecordedCall) -> Any:
        context = self._session.call_context(call.tool_use.id, Cancellation())
        permission = self._session.state.permission
        for behavior, rule in call.rules:
            permission = permission.with_rule(behavior, "session", rule)  # type: ignore[arg-type]
        if self._is_available(call.mode):
            permission = replace(permission, mode=call.mode)  # type: ignore[arg-type]
        cwd = call.cwd if call.cwd and os.path.isdir(call.cwd) else self._session.cwd
        return replace(context, state=ContextState(permission, cwd))

    def _is_available(self, mode: str) -> bool:
        rights, settings = self._session.state.permission, self._session.settings
        if mode not in get_args(PermissionMode) or mode in settings.forbidden_modes:
            return False
        return mode != "bypassPermissions" or rights.is_bypass_permissions_mode_available

    def _said(self, call: RecordedCall, now: Behavior, why: str, by: str, notes: Sequence[str]) -> ReplayedCall:
        return ReplayedCall(call, self._title(call), now, why, by, tuple(notes))

    def _title(self, call: RecordedCall) -> str:
        return call_title(call.tool_use, self._session.find_tool(call.tool_use.name))


# ---- for people

_WORDS: Mapping[str, str] = {
    "allow": "allowed",
    "ask": "asked",
    "deny": "denied",
    "failed": "failed before",
    "unknown": "not known",
}


def replay_view(replayed: Replay) -> ToolView:
    """What changes, for a person; where nothing does, that it does not."""
    changed = replayed.changed
    badge = Badge(f"{len(changed)} of {len(replayed.calls)} change", "warning" if changed else "ok")
    notes = tuple(TextBlockView(note, tone="warning") for note in replayed.notes)
    if not changed:
        return ToolView("Replay", (badge,), (*notes, TextBlockView("Every call would be judged as it was.")))
    rows = tuple((c.title, _then(c), f"{_WORDS[c.now]}: {c.why}") for c in changed[:SHOWN_CALLS])
    table = TableBlockView(("call", "then", "now"), rows, kinds=("code", "text", "text"))
    more = len(changed) - len(rows)
    rest = (TextBlockView(f"… and {more} more"),) if more else ()
    return ToolView("Replay", (badge,), (*notes, table, *rest))


def _then(call: ReplayedCall) -> str:
    verdict = call.call.verdict
    return f"{_WORDS[verdict.was]}, {verdict.answer}" if verdict.answer else _WORDS[verdict.was]
