"""The Bash tool's own opinion of a command, step by step, as the trace shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.decision import DecisionStep, PermissionResult, StepOutcome
from .parse import understand
from .parsed import TooComplex
from .read_only import ReadOnlyVerdict, follow_command
from .script import Script
from .validators import validate

SEMANTICS = frozenset(
    ". alias bind builtin complete compgen coproc declare enable eval exec export fc hash let local mapfile readarray "
    "readonly set shopt source trap typeset unalias unset zmodload emulate".split()
)
"""Programs of the shell itself that run texts or change what later commands mean."""

_STEP_OF_REFUSAL = {
    **dict.fromkeys(["redirection", "background"], "checkCommandOperatorPermissions"),
    **dict.fromkeys(
        ["path", "path-outside", "path-system", "path-folder", "glob", "directory", "directories", "tilde"],
        "checkPathConstraints",
    ),
}
_STEPS = ("checkCommandOperatorPermissions", "splitCommand", "checkPathConstraints", "readOnlyValidation")


class Chain(NamedTuple):
    """The opinion with what it was made from."""

    result: PermissionResult
    verdict: ReadOnlyVerdict
    script: Script | None


def judge_command(command: str, *, cwd: str, roots: tuple[str, ...], sandboxed: str = "") -> Chain:
    """What the Bash tool says of a command.

    Args:
        command: the text. cwd: where it would run. roots: the working directories, links followed.
        sandboxed: why the sandbox would allow it without asking, ``""`` when it does not.

    Returns:
        ``allow`` (hardened) for what provably only reads, and for what the sandbox makes harmless, as far as the text
        is understood: of any other text rules see only the words. Else no opinion, with the reason. The steps say what
        each check saw, and where.
    """
    script, refusal = _read(command)
    steps = [_parse_step(script, refusal), _semantics_step(script)]
    contained = sandboxed if script is not None else ""
    steps.append(_sandbox_step(sandboxed, contained))
    seen = validate(command, script, refusal)
    verdict = follow_command(command, cwd, roots)
    steps += _split_steps(verdict, seen)
    asking = [step for step in seen if step.outcome == "ask"]
    if verdict.ok and asking:
        first = asking[0]
        verdict = verdict._replace(ok=False, reason=first.detail, check_id=first.check, span=first.spans[0])
    if verdict.ok:
        reason = "it only reads, inside the working directories"
        steps.append(DecisionStep("readOnlyValidation", "allow", reason))
        result = PermissionResult("allow", reason, check_id="bash-read-only", hardened=True, steps=tuple(steps))
        return Chain(result, verdict, script)
    steps.append(DecisionStep("readOnlyValidation", "passthrough", f"not known to only read: {verdict.reason}"))
    if contained:
        result = PermissionResult("allow", contained, check_id="bash-sandboxed", hardened=True, steps=tuple(steps))
    else:
        result = PermissionResult("passthrough", verdict.reason, check_id=verdict.check_id, steps=tuple(steps))
    return Chain(result, verdict, script)


def _sandbox_step(sandboxed: str, contained: str) -> DecisionStep:
    if sandboxed and not contained:
        return DecisionStep("checkSandboxAutoAllow", "passthrough", "the text is not understood, so rules cannot hold")
    return DecisionStep("checkSandboxAutoAllow", "allow" if contained else "passthrough", contained or "no sandbox")


def _read(command: str) -> tuple[Script | None, TooComplex | None]:
    try:
        return understand(command), None
    except TooComplex as refusal:
        return None, refusal


def _parse_step(script: Script | None, refusal: TooComplex | None) -> DecisionStep:
    if refusal is not None:
        return DecisionStep(
            "parse", "ask", f"too complex ({refusal.check_id}): {refusal.reason}", spans=(refusal.span,)
        )
    assert script is not None
    calls = len(script.calls)
    return DecisionStep(
        "parse", "passthrough", f"simple: {calls} call{'' if calls == 1 else 's'}, and both readers agree"
    )


def _semantics_step(script: Script | None) -> DecisionStep:
    spans = []
    if script is not None:
        for node in script.calls:
            if node.words and node.words[0].literal in SEMANTICS:
                spans.append((node.words[0].start, node.words[0].end))
    if not spans:
        return DecisionStep("checkSemantics", "passthrough", "nothing that runs a text or changes the shell")
    named = ", ".join(sorted({script.text[start:end] for start, end in spans})) if script is not None else ""
    return DecisionStep("checkSemantics", "ask", f"{named}: runs a text or changes the shell", spans=tuple(spans))


def _split_steps(verdict: ReadOnlyVerdict, seen: Sequence[DecisionStep]) -> list[DecisionStep]:
    """The steps between parsing and the verdict: the one that the refusal belongs to asks."""
    refused = "" if verdict.ok else _STEP_OF_REFUSAL.get(verdict.check_id, "splitCommand")
    reads = len({read.path for call in verdict.calls for read in call.reads})
    said: dict[str, str] = {
        "checkCommandOperatorPermissions": "pipes, lists and redirections change nothing",
        "splitCommand": f"{len(verdict.calls)} part{'' if len(verdict.calls) == 1 else 's'} looked at one by one",
        "checkPathConstraints": f"{reads} path{'' if reads == 1 else 's'}, inside the working directories",
    }
    steps = []
    for name in _STEPS[:-1]:
        outcome: StepOutcome = "ask" if name == refused else "passthrough"
        spans = (verdict.span,) if name == refused and verdict.span != (0, 0) else ()
        steps.append(DecisionStep(name, outcome, verdict.reason if name == refused else said[name], spans=spans))
    return [steps[0], *seen, *steps[1:]]
