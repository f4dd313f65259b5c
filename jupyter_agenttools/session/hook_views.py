"""The hooks of a session, and what came of trying one, as a person sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..core.views import (
    Badge,
    CodeBlockView,
    ColumnKind,
    JsonBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
    ViewBlock,
)
from ..hooks import Answer, Hook
from .hook_events import SessionHooks
from .hook_layers import KnownHook
from .hook_trial import HookTrial

COLUMNS = ("", "event", "meets", "hook", "kind", "state", "from")
KINDS: tuple[ColumnKind, ...] = ("number", "text", "code", "code", "text", "text", "code")
SHOWN_CHARS = 4_000


def hooks_view(hooks: SessionHooks) -> ToolView:
    """Every hook with where it comes from and whether it runs, then what a person should know of them."""
    known = hooks.known
    running = sum(not each.off and each.hook.kind != "unavailable" for each in known)
    badges = (Badge(f"{running} of {len(known)} run", "info"),) if known else (Badge("none"),)
    rows = tuple(_row(number, each) for number, each in enumerate(known, 1))
    blocks: list[ViewBlock] = [TableBlockView(COLUMNS, rows, kinds=KINDS)] if rows else []
    blocks += [TextBlockView(note, tone="warning") for note in hooks.notes]
    return ToolView("Hooks", badges, tuple(blocks))


def _row(number: int, known: KnownHook) -> tuple[str, ...]:
    hook = known.hook
    meets = hook.matcher or "*"
    if hook.if_:
        meets += f" if {hook.if_}"
    return str(number), hook.event, meets, hook.name, hook.kind, _state(known), hook.source


def _state(known: KnownHook) -> str:
    hook = known.hook
    if known.off:
        return f"off: {known.off}"
    if hook.kind == "unavailable":
        return "not available here" + (", so what it guards asks" if hook.is_guard else "")
    if hook.runs_async:
        return "in the background, with no say"
    words = [f"{hook.limit_s:g} s"]
    if hook.is_guard:
        words.append(_on_failure(hook))
    return ", ".join(words)


def _on_failure(hook: Hook) -> str:
    """What comes of a call when this guard gives no proper answer."""
    if hook.failure_is_set or hook.kind == "python":
        late = "; late: ask" if hook.on_failure == "block" else ""
        return f"its failure: {hook.on_failure}{late}"
    passed = "; exit code 1: the call goes on" if hook.kind == "command" else ""
    return f"its failure: {hook.on_failure}; late or unreadable: ask{passed}"


def trials_view(trials: Sequence[HookTrial]) -> ToolView:
    """What went into each hook, what came out of it, and what would have come of that."""
    blocks = [block for trial in trials for block in _trial_blocks(trial)]
    return ToolView("Hooks, tried: no call was made", (), tuple(blocks))


def _trial_blocks(trial: HookTrial) -> list[ViewBlock]:
    hook, answer = trial.known.hook, trial.answer
    head = f"{trial.number}. {hook.event} · {hook.name} · {hook.source}"
    told = JsonBlockView(json.loads(trial.stdin), title="what it is told")
    if answer is None:
        return [TextBlockView(head), TextBlockView(f"Not run: {trial.skipped}", tone="warning"), told]
    blocks: list[ViewBlock] = [TextBlockView(head)]
    blocks.append(TextBlockView(f"What would come of it: {trial.effect}"))
    blocks.append(TextBlockView(_summary(answer), tone="error" if answer.failure else "neutral"))
    for data, title in ((answer.stdout, "standard output"), (answer.stderr, "error output")):
        if data:
            blocks.append(CodeBlockView(_text(data), "terminal", title=title))
    return [*blocks, told]


def _summary(answer: Answer) -> str:
    ended = [f"exit code {answer.exit_code}"] if answer.exit_code is not None else []
    return ", ".join((*ended, f"ran for {answer.duration_ms:.0f} ms", f"understood as: {answer.said}"))


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "replace").strip()
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… [{len(text) - SHOWN_CHARS:,} more characters]"
