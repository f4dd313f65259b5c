"""A command as a hook: how it is started, and what its exit code and its output mean."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..core.immutable import thaw
from .answer import Answer, clip, failed, fitted, late, unreadable
from .definition import Hook
from .events import BLOCKABLE, CONTEXT_FROM_TEXT, TOLD, HookEvent
from .handlers import CommandHandler
from .output import SILENT, HookOutput, HookOutputError, read_output
from .services import HookServices, ProcessEnd, ProcessOrder

PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "JUPYTER_AGENTTOOLS_PROJECT_DIR")
ENV_FILE_VARIABLES = ("CLAUDE_ENV_FILE", "JUPYTER_AGENTTOOLS_ENV_FILE")
ENV_FILE_EVENTS: frozenset[HookEvent] = frozenset({"SessionStart", "Setup", "CwdChanged", "FileChanged"})
"""Their hooks may set variables for later commands."""

DEFAULT_ASYNC_S = 600.0
NOT_WAITED = "nobody waits for a hook in the background"
BLOCKED = 2
"""The exit code that blocks, whatever was printed."""

_CRASHES = {128 + number for number in (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)}
_CRASHES |= {128 + number for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSYS, signal.SIGXCPU)}
"""What a shell ends with when the program it waited for was ended by a signal."""

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
"""How text in UTF-16 or UTF-32 begins."""

_DECIDING = ("permissionDecision", "decision", "updatedInput", "updatedToolOutput", "retry")
_DECISION_KEYS = ("permissionDecision", '"decision"', "hookSpecificOutput", '"continue"')
"""Text with one of these in it was meant as an answer."""


async def run_command(hook: Hook, data: Mapping[str, Any], services: HookServices) -> Answer:
    """Run the command of this hook with the event at its standard input. A failure is an answer; nothing is raised."""
    stdin = encode(data)
    env_file = services.new_env_file() if hook.event in ENV_FILE_EVENTS else ""

    def on_late_end(end: ProcessEnd) -> None:
        told = Answer(hook, heard_late(late_answer(hook, end)))
        services.tell_later(hook, fitted(told, services.keep_text).output)

    try:
        order = process_order(hook, services, stdin, env_file)
        end = await services.run_process(order, detach_s, on_late_end)
    except OSError as problem:
        where = f" ({problem.filename})" if problem.filename else ""
        return failed(hook, f"it could not be started: {problem.strerror or problem}{where}")._replace(stdin=stdin)
    if env_file and not end.detached:
        await services.take_env_file(env_file)
    exit_code = end.status if end.status >= 0 and not end.detached and not end.timed_out else None
    return interpret(hook, end)._replace(
        duration_ms=end.duration_ms, exit_code=exit_code, stdin=stdin, stdout=end.stdout, stderr=end.stderr
    )


def encode(data: Mapping[str, Any]) -> bytes:
    """The event as one line of JSON. Half a surrogate pair, which UTF-8 cannot hold, is written as its escape."""
    return json.dumps(thaw(data), ensure_ascii=False, default=str).encode("utf-8", "backslashreplace") + b"\n"


def process_order(hook: Hook, services: HookServices, stdin: bytes, env_file: str) -> ProcessOrder:
    """The program that this hook runs.

    Raises:
        FileNotFoundError: there is no such program, or no such shell.
    """
    handler = hook.handler
    assert isinstance(handler, CommandHandler)
    env = services.environment()
    env |= {name: services.project_dir for name in PROJECT_VARIABLES}
    env |= {name: env_file for name in ENV_FILE_VARIABLES if env_file}
    cwd = services.cwd if os.path.isdir(services.cwd) else os.path.abspath(os.sep)
    if handler.args is not None:
        words = [_expanded(word, services.project_dir) for word in (handler.command, *handler.args)]
    elif handler.shell == "powershell":
        words = ["pwsh", "-NoProfile", "-NonInteractive", "-Command", handler.command]
    else:  # neither of these reads a start-up file: BASH_ENV and ENV are not in the environment
        words = ["bash", "--noprofile", "--norc", "-c", handler.command]
        if shutil.which("bash", path=env.get("PATH")) is None:
            words = ["sh", "-c", handler.command]
    return ProcessOrder(_program(words[0], cwd, env), tuple(words), env, cwd, stdin, hook.limit_s)


def _expanded(word: str, project_dir: str) -> str:
    for name in PROJECT_VARIABLES:
        word = word.replace(f"${{{name}}}", project_dir)
    return word


def _program(word: str, cwd: str, env: Mapping[str, str]) -> str:
    """The absolute path of a program, looked for as a shell would."""
    if os.sep in word:
        return os.path.join(cwd, os.path.expanduser(word))
    found = shutil.which(word, path=env.get("PATH", os.defpath))
    if found is None:
        raise FileNotFoundError(2, "there is no such program", word)
    return os.path.abspath(found)


def detach_s(line: bytes) -> float | None:
    """How many seconds may a program go on in the background that begins with this line? ``None``: it does not."""
    if not line.lstrip().startswith(b"{"):
        return None
    with suppress(ValueError, RecursionError):
        said = json.loads(line)
        if isinstance(said, dict) and is_only_async(said):
            limit = said.get("asyncTimeout")
            known = isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit > 0
            return float(limit) if known else DEFAULT_ASYNC_S
    return None


# ---- what it means


def interpret(hook: Hook, end: ProcessEnd) -> Answer:
    """What do this exit code and this output mean for the event of ``hook``?"""
    if end.detached:
        return Answer(hook, HookOutput(warning="goes on in the background"))
    if end.timed_out:
        return late(hook)
    if end.status < 0 or end.status in _CRASHES:
        number = -end.status if end.status < 0 else end.status - 128
        return failed(hook, f"it was ended by signal {number}{_tail(end)}")
    stdout, stderr = _decoded(end.stdout), _decoded(end.stderr)
    answer, problem = read_json(end.stdout)
    if end.status == BLOCKED or (hook.event == "WorktreeCreate" and end.status):
        return _blocked(hook, answer, stderr)
    if problem or (end.cut and hook.is_guard):  # what was cut off may have been its decision
        return unreadable(hook, "it printed more than a hook may" if end.cut else problem, stdout)
    if answer is not None:
        return _answered(hook, answer, end.status, stdout)
    if end.status:
        return _passed_over(hook, end.status, stderr)
    if hook.event in CONTEXT_FROM_TEXT and stdout.strip():
        return Answer(hook, HookOutput(additional_context=stdout.strip()))
    return Answer(hook)


def read_json(stdout: bytes) -> tuple[dict[str, Any] | None, str]:
    """The object that an output is, if it is one, and what is wrong with an output that was meant as one."""
    if _is_wide(stdout):
        return None, "its answer is in UTF-16 or UTF-32, and a hook answers in UTF-8"
    text = _decoded(stdout).strip().lstrip("\ufeff")
    if not text.startswith("{"):
        meant = "{" in text and any(key in text for key in _DECISION_KEYS)
        return None, "there is text before the JSON of its answer" if meant else ""
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        return None, f"its answer is not JSON ({error})"
    return (None, "") if is_only_async(value) else (value, "")


def _is_wide(data: bytes) -> bool:
    """Whether this is text in an encoding with two or four bytes for each character, as far as it may be an answer."""
    if data.startswith(_WIDE_MARKS) and len(data) > max(map(len, _WIDE_MARKS)):
        return True
    without = data.replace(b"\0", b"").strip() if b"\0" in data else b""
    return without.startswith(b"{") or any(key.encode() in without for key in _DECISION_KEYS)


def is_only_async(answer: Mapping[str, Any]) -> bool:
    """Whether this object says that nobody has to wait. One that decides something as well is an answer."""
    specific = answer.get("hookSpecificOutput")
    places = (answer, specific) if isinstance(specific, Mapping) else (answer,)
    decides = any(place.get(key) is not None for place in places for key in _DECIDING)
    return answer.get("async") is True and answer.get("continue", True) is True and not decides


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, refused when a key stands in it twice: which of two decisions was meant, nobody knows."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def _blocked(hook: Hook, answer: Mapping[str, Any] | None, stderr: str) -> Answer:
    """Exit code 2: a block where this event can be blocked, words for the model where it is too late."""
    reason = ""
    with suppress(HookOutputError):
        reason = read_output(hook.event, answer).reason if answer is not None else ""
    reason = reason or stderr.strip() or "it ended with exit code 2 and gave no reason"
    if hook.event in BLOCKABLE:
        return Answer(hook, HookOutput("deny", reason))
    if hook.event in TOLD:
        return Answer(hook, HookOutput("deny", reason, additional_context=reason))
    return Answer(hook, HookOutput(warning=f"exit code 2 has no effect on {hook.event}: {clip(reason)}"))


def _answered(hook: Hook, answer: Mapping[str, Any], status: int, stdout: str) -> Answer:
    try:
        output = read_output(hook.event, answer)
    except HookOutputError as problem:
        return unreadable(hook, str(problem), stdout)
    if status and not output.warning:
        output = output._replace(warning=f"exit code {status}")
    return Answer(hook, SILENT if output == SILENT else output)


def _passed_over(hook: Hook, status: int, stderr: str) -> Answer:
    """Any other exit code is an error that blocks nothing, unless somebody chose what failures do."""
    why = f"exit code {status}{f': {clip(stderr)}' if stderr.strip() else ''}"
    return failed(hook, why) if hook.failure_is_set else Answer(hook, HookOutput(warning=why))


def late_answer(hook: Hook, end: ProcessEnd) -> Answer:
    """The answer of a command that went on in the background, without the line that said so."""
    if end.timed_out:
        return Answer(hook, failure="took longer than it may in the background")
    first, newline, rest = end.stdout.partition(b"\n")
    said = end._replace(stdout=rest if newline and detach_s(first) is not None else end.stdout)
    return interpret(hook, said)._replace(exit_code=end.status, stdout=said.stdout, stderr=end.stderr)


def heard_late(answer: Answer) -> HookOutput:
    """What counts of an answer that nobody waited for: its words. What it decides has no effect, and that is said."""
    hook, output = answer.hook, answer.output
    if answer.exit_code == BLOCKED and hook.rewakes:
        words = _decoded(answer.stderr).strip() or _decoded(answer.stdout).strip()
        return HookOutput(additional_context=output.reason or words, message=output.message)
    decided = "stop" if output.stop is not None else output.behavior if hook.event not in TOLD else None
    warning = answer.failure or output.warning
    if decided and not answer.failure:
        why = f" ({clip(output.stop or output.reason)})" if output.stop or output.reason else ""
        warning = f"says {decided}{why}, which has no effect: {NOT_WAITED}"
    return HookOutput(additional_context=output.additional_context, message=output.message, warning=warning)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _tail(end: ProcessEnd) -> str:
    stderr = _decoded(end.stderr)
    return f": {clip(stderr)}" if stderr.strip() else ""
