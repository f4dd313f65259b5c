"""Hooks that misbehave: whatever they do, the call gets an answer, no guard is passed by it, and nothing lives on."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session, ToolUse
from tests.support.hooks import command, hook_settings, python_script, says
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


class Asked:
    """Answers questions with no, and keeps them."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def __call__(self, request: Any) -> bool:
        self.reasons.append(request.decision.reason)
        return False


async def made(tmp_path: Path, entry: dict[str, Any], event: str = "PreToolUse") -> tuple[Any, list[str]]:
    """A call of a tool that is allowed, under this hook: its outcome, and the questions that came up."""
    asked = Asked()
    session = Session(cwd=tmp_path, settings=hook_settings(event, entry), tools=[echo_tool()], prompter=asked)
    with anyio.fail_after(60):
        outcome = await session.call("Echo", {"text": "x"})
        await session.aclose()
    return outcome, asked.reasons


def alive(pid: int) -> bool:
    """Whether it runs; one that only waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


DENY = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'


@pytest.mark.parametrize(
    "script",
    [
        f"echo welcome; printf '{DENY}'",
        f"printf '{DENY}'; echo bye",
        f"printf '{DENY}{DENY}'",
        'printf \'{"permissionDecision": "deny"\'',
        "printf '{oops}'",
        "printf '{\\377\\376'",
        'printf \'{"permissionDecision": "perhaps"}\'',
        "printf '{\"permissionDecision\": 1}'",
        'printf \'{"continue": "no"}\'',
        "printf '{\"hookSpecificOutput\": []}'",
        "printf '{\"updatedInput\": []}'",
        "printf '{'; head -c 3000000 /dev/zero",
        "head -c 3000000 /dev/zero",
        "printf '{'; printf '[%.0s' $(seq 100000)",
    ],
)
async def test_an_answer_that_cannot_be_read_is_never_a_yes(tmp_path, script: str) -> None:
    outcome, asked = await made(tmp_path, command(script))
    assert outcome.status == "denied" and len(asked) == 1


async def test_the_question_shows_what_was_printed(tmp_path) -> None:
    _, asked = await made(tmp_path, command('echo welcome; printf \'{"decision": "block"}\''))
    assert "welcome" in asked[0] and '{"decision": "block"}' in asked[0] and "before the JSON" in asked[0]


async def test_output_without_end_is_cut_off_by_the_time_limit(tmp_path) -> None:
    outcome, asked = await made(tmp_path, command("yes '{'", timeout=0.5))
    assert outcome.status == "denied" and "took longer" in asked[0]


async def test_a_hundred_megabytes_are_not_kept(tmp_path) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome, asked = await made(tmp_path, command("head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2"))
    assert outcome.status == "denied" and "printed more" in asked[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


@pytest.mark.parametrize("script", ["printf '\\377\\376'", "echo text", "printf x", "exec 0<&-", "exec 1>&- 2>&-", ":"])
async def test_what_says_nothing_objects_to_nothing(tmp_path, script: str) -> None:
    assert (await made(tmp_path, command(script)))[0].status == "ok"


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32BE"])
async def test_an_answer_in_wide_characters_is_unreadable(tmp_path, encoding: str) -> None:
    (tmp_path / "answer").write_bytes('{"decision": "block"}'.encode(encoding))
    outcome, asked = await made(tmp_path, command("cat answer"))
    assert outcome.status == "denied" and "answers in UTF-8" in asked[0]


@pytest.mark.parametrize("answer", ['{"permissionDecision": "allow"}', '{"decision": "approve"}'])
async def test_exit_code_2_beats_an_allow(tmp_path, answer: str) -> None:
    outcome, _ = await made(tmp_path, command(f"printf '{answer}'; echo no >&2; exit 2"))
    assert outcome.status == "denied" and "no" in outcome.text


@pytest.mark.parametrize("end", ["kill -SEGV $$", "sh -c 'kill -ABRT $$'; exit $?", "kill -KILL $$"])
async def test_a_guard_that_crashes_blocks(tmp_path, end: str) -> None:
    outcome, asked = await made(tmp_path, command(end))
    assert outcome.status == "denied" and not asked and "signal" in outcome.text
    assert (await made(tmp_path, command(end, onFailure="pass")))[0].status == "ok"


@pytest.mark.parametrize("entry", [command("no-such-program", args=[]), command("/", args=["x"])])
async def test_a_guard_that_cannot_be_started_blocks(tmp_path, entry: dict[str, Any]) -> None:
    outcome, _ = await made(tmp_path, entry)
    assert outcome.status == "denied" and "could not be started" in outcome.text
    assert (await made(tmp_path, entry, "PostToolUse"))[0].status == "ok"


async def test_a_guard_that_hangs_asks_and_is_killed_with_everything_it_started(tmp_path) -> None:
    script = "trap '' TERM; echo $$ > one; (trap '' TERM; setsid sleep 1000 & echo $! > two; wait) & sleep 1000"
    outcome, asked = await made(tmp_path, command(script, timeout=0.5))
    assert outcome.status == "denied" and "took longer than 0.5 s" in asked[0]
    assert not any(alive(int((tmp_path / name).read_text())) for name in ("one", "two"))


async def test_who_wants_no_answer_from_a_slow_guard_gets_none(tmp_path) -> None:
    assert (await made(tmp_path, command("sleep 1000", timeout=0.3, onFailure="pass")))[0].status == "ok"


async def test_a_daemon_that_holds_the_pipes_does_not_hold_the_call(tmp_path) -> None:
    script = python_script(
        tmp_path,
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        open('daemon', 'w').write(str(os.getpid()))\n"
        "        time.sleep(1000)\n"
        "    os._exit(0)\n"
        "while not os.path.exists('daemon') or not open('daemon').read(): time.sleep(0.01)\n",
    )
    outcome, _ = await made(tmp_path, command(script))
    assert outcome.status == "ok"
    assert not alive(int((tmp_path / "daemon").read_text()))


async def test_many_forks_end_with_the_hook(tmp_path) -> None:
    script = "for i in $(seq 40); do (sleep 1000 & echo $! >> pids; sleep 1000) & done; sleep 1000"
    outcome, _ = await made(tmp_path, command(script, timeout=1))
    assert outcome.status == "denied"
    assert not any(map(alive, map(int, (tmp_path / "pids").read_text().split())))


async def test_an_interrupt_ends_the_hook_and_the_call(tmp_path) -> None:
    os.mkfifo(tmp_path / "begun")
    script = "echo $$ > begun; trap '' TERM INT; sleep 1000; sleep 1000"
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command(script)), tools=[echo_tool()])
    outcomes: list[Any] = []
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:

            async def call() -> None:
                outcomes.extend(await session.run([ToolUse("Echo", {"text": "x"})]))

            group.start_soon(call)
            pid = int(await anyio.to_thread.run_sync((tmp_path / "begun").read_text))
            session.interrupt("enough")
    assert outcomes[0].status == "interrupted" and not alive(pid)
    await session.aclose()


async def test_closing_the_session_ends_hooks_in_the_background(tmp_path) -> None:
    os.mkfifo(tmp_path / "begun")
    entry = command("echo $$ > begun; trap '' TERM; sleep 1000; sleep 1000", **{"async": True})
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", entry), tools=[echo_tool()])
    assert (await session.call("Echo", {})).status == "ok"
    pid = int(await anyio.to_thread.run_sync((tmp_path / "begun").read_text))
    await session.aclose()
    assert not alive(pid)


async def test_input_that_nobody_reads_is_no_fault(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command("exit 0")), tools=[echo_tool()])
    assert (await session.call("Echo", {"text": "x" * 3_000_000})).status == "ok"


async def test_a_big_input_arrives_whole(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command("wc -c > size")), tools=[echo_tool()])
    await session.call("Echo", {"text": "x" * 3_000_000})
    assert int((tmp_path / "size").read_text()) > 3_000_000


async def test_a_hook_cannot_signal_the_kernel_by_its_group(tmp_path) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
    try:
        outcome, _ = await made(tmp_path, command(f"kill -USR1 0; {shlex.quote(sys.executable)} -c pass; exit 0"))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert outcome.status == "denied" and not heard  # it only hit itself


async def test_the_tool_s_result_survives_whatever_a_hook_does_afterwards(tmp_path) -> None:
    for entry in (
        command("kill -9 $$"),
        command("sleep 1000", timeout=0.3),
        command("printf '{'"),
        command("yes >&2", timeout=0.3),
    ):
        outcome, _ = await made(tmp_path, entry, "PostToolUse")
        assert (outcome.status, outcome.text.splitlines()[0]) == ("ok", "x")


async def test_a_changed_output_has_to_fit(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=hook_settings("PostToolUse", says({"updatedToolOutput": {"stdout": 5}})))
    outcome = await session.call("Bash", {"command": "echo hi"})
    assert outcome.status == "ok" and outcome.text.strip() == "hi"
    session = Session(
        cwd=tmp_path, settings=hook_settings("PostToolUse", says({"updatedToolOutput": {"stdout": "yo"}}))
    )
    assert "yo" in (await session.call("Bash", {"command": "echo hi"})).text
