"""The Bash tool as a model uses it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import psutil
import pytest

from jupyter_agenttools.core import Cancellation, ToolOptions, ToolUseContext
from jupyter_agenttools.core.errors import InputValidationError, ToolError
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.tools.bash import BashProgress, bash_tool
from jupyter_agenttools.tools.bash.execution import output_limit
from tests.support.bash_session import BashSession
from tests.support.shell import Mark, contents

pytestmark = pytest.mark.anyio


@pytest.fixture
def bash(tmp_path: Path) -> BashSession:
    return BashSession(tmp_path)


@pytest.fixture
def mark() -> Mark:
    return Mark()


# --- what the model reads -------------------------------------------------------------------------------------------


async def test_the_result_is_the_output(bash: BashSession) -> None:
    call = await bash("printf 'a\\nb\\n' | tee o; printf 'x\\r\\ny\\r\\n' > c; cat c | wc -c")
    assert call.text == "a\nb\n6"
    assert (call.output.exit_code, call.result.is_error) == (0, False)
    assert call.output.total_lines == 3


async def test_no_output_is_said(bash: BashSession) -> None:
    assert (await bash("true")).text == "(no output)"


async def test_exit_codes(bash: BashSession) -> None:
    call = await bash("echo some; exit 3")
    assert call.text == "Exit code 3\nsome"
    assert call.result.is_error
    assert (await bash("echo again")).text == "again"
    assert (await bash("set -e; false")).output.exit_code == 1
    assert (await bash("echo still")).text == "still"
    killed = await bash("kill -9 $$")
    assert killed.text.startswith("Exit code 137 (as after SIGKILL)")
    assert killed.result.is_error


async def test_an_exit_code_that_is_an_answer_is_no_error(bash: BashSession) -> None:
    call = await bash("echo some > f; grep none f")
    assert not call.result.is_error
    assert call.output.return_code_interpretation == "no lines matched"
    assert call.text.startswith("Exit code 1: no lines matched")
    assert (await bash("grep none missing-file")).result.is_error


async def test_standard_input_is_empty(bash: BashSession) -> None:
    assert (await bash("cat; read x; echo rc=$?", timeout=20_000)).text == "rc=1"


async def test_nothing_is_expanded_or_escaped_on_the_way(bash: BashSession) -> None:
    document = "cat <<'EOF'\none C:\\Users two C:\\\\Users\nEOF"
    call = await bash(f"echo \"hello!world\" 'a!=b'\n{document}\nprintf '%s\\n' 'a\\\\b'")
    assert call.text == "hello!world a!=b\none C:\\Users two C:\\\\Users\na\\\\b"


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
async def test_a_program_text_with_an_exclamation_mark(bash: BashSession) -> None:
    assert (await bash("jq -n '1 != 2'")).text == "true"


async def test_long_words_and_lines_arrive_whole(bash: BashSession) -> None:
    word = "$(head -c 9000 /dev/zero | tr '\\0' y)"
    call = await bash(f"printf '%s' \"{word}\" | wc -c; cat <<'EOF' | wc -c\n{'y' * 9000}\nEOF")
    assert call.text.split() == ["9000", "9001"]


async def test_a_fifo_that_nobody_writes(bash: BashSession) -> None:
    assert (await bash("mkfifo p; timeout 0.2 cat p; echo Exit:$?")).text == "Exit:124"


# --- long and odd output --------------------------------------------------------------------------------------------


async def test_long_output_is_cut_in_the_middle_and_whole_on_disk(bash: BashSession) -> None:
    call = await bash("seq 100000")
    assert call.text.startswith("1\n2\n3\n")
    assert "\n99999\n100000\n" in call.text
    assert len(call.text) < 30_500
    path = call.output.persisted_output_path
    assert path is not None and path in call.text
    assert Path(path).parent == bash.dir / "tool-results"
    assert (contents(path) or b"").split(b"\n") == [b"%d" % n for n in range(1, 100_001)] + [b""]
    assert (call.output.total_lines, call.output.persisted_output_size) == (100_000, 588_895)
    assert "100,000 lines, 588,895 bytes" in call.text


async def test_a_line_of_a_million_characters(bash: BashSession) -> None:
    call = await bash("head -c 1500000 /dev/zero | tr '\\0' a; echo; echo end")
    assert len(call.text) < 30_500
    assert "\nend\n" in call.text
    assert "1,470,0" in call.text and "characters left out" in call.text


async def test_a_short_output_leaves_no_file(bash: BashSession) -> None:
    call = await bash("echo short")
    assert call.output.persisted_output_path is None
    assert list((bash.dir / "tool-results").iterdir()) == []


async def test_progress_bars_are_shown_as_their_last_state(bash: BashSession) -> None:
    frames = "".join(f"\r{n}%|{'#' * 60}|" for n in range(500))
    (bash.work / "log").write_text(f"{frames}\n" * 100, newline="")
    call = await bash("tail -100 log")
    assert call.output.stdout == f"499%|{'#' * 60}|\n" * 100
    assert contents(call.output.persisted_output_path) == contents(bash.work / "log")


async def test_colours_are_not_for_the_model(bash: BashSession) -> None:
    call = await bash("printf '\\033[31mred\\033[0m\\n'")
    assert call.text == "red"


async def test_binary_output_is_told(bash: BashSession) -> None:
    call = await bash("printf 'a\\0b\\377'")
    assert call.output.stdout == "a␀b�"
    assert "binary" in call.output.stderr
    path = call.output.persisted_output_path
    assert path is not None and path in call.text
    assert contents(path) == b"a\0b\xff"


async def test_the_limit_can_be_set_within_bounds(tmp_path: Path) -> None:
    assert output_limit({}) == 30_000
    assert output_limit({"BASH_MAX_OUTPUT_LENGTH": "50000"}, {"BASH_MAX_OUTPUT_LENGTH": "70000"}) == 50_000
    assert output_limit({}, {"BASH_MAX_OUTPUT_LENGTH": "70000"}) == 70_000
    assert output_limit({"BASH_MAX_OUTPUT_LENGTH": "9999999"}) == 150_000
    assert output_limit({"BASH_MAX_OUTPUT_LENGTH": "nonsense"}) == 30_000
    call = await BashSession(tmp_path, env={"BASH_MAX_OUTPUT_LENGTH": "2000"})("seq 100000")
    assert 2_000 <= len(call.output.stdout) < 2_100


async def test_much_output_takes_no_memory(bash: BashSession) -> None:
    process = psutil.Process()
    sizes: list[int] = []
    before = process.memory_info().rss
    call = await bash(
        "yes | head -c 200000000", hardened=True, on_progress=lambda _: sizes.append(process.memory_info().rss)
    )
    assert call.output.total_bytes == 200_000_000
    assert call.output.total_lines == 100_000_000
    assert call.output.persisted_output_size == 64 * 1024 * 1024
    assert "first 64 MB only" in call.text
    assert max(sizes) - before < 30_000_000


# --- what lasts -----------------------------------------------------------------------------------------------------


async def test_directory_and_exports_last_and_functions_are_said_not_to(bash: BashSession) -> None:
    (bash.work / "s").mkdir()
    first = await bash("cd s; export AT_X=7; f() { echo F; }")
    assert "Functions and aliases do not last" in first.text and "f" in first.text
    assert f"Working directory is now {bash.work}/s" in first.text
    assert (await bash("pwd; echo $AT_X")).text == f"{bash.work}/s\n7"
    assert (await bash("f")).output.exit_code == 127
    assert (await bash("cd - >/dev/null; unset AT_X")).output.cwd == str(bash.work)
    assert (await bash("pwd; echo [$AT_X]")).text == f"{bash.work}\n[]"
    words = bash_tool.prompt(ToolOptions())
    assert "Functions, aliases, shell options" in words and "do not" in words


async def test_of_many_functions_a_few_are_named(bash: BashSession) -> None:
    text = (await bash('for i in $(seq 1000); do eval "a_function_with_a_name_$i() { :; }"; done')).text
    assert " and 980 more" in text and len(text) < 1_000


async def test_a_variable_of_the_kernel_can_be_taken_away_and_set_again(
    bash: BashSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AT_KERNEL", "k")
    assert (await bash("echo $AT_KERNEL; unset AT_KERNEL")).text == "k"
    assert (await bash("echo [$AT_KERNEL]")).text == "[]"
    await bash("export AT_KERNEL=new")
    assert (await bash("echo $AT_KERNEL")).text == "new"


async def test_a_command_without_effect_modifies_nothing(bash: BashSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # bash sets it to the width of its terminal once a program has ended
    for command in ("true", "pwd", "x=1; f() { :; }", "(cd /; export A=1)", "kill -9 $$"):
        assert (await bash(command)).result.context_modifier is None, command


async def test_settings_reach_commands(tmp_path: Path) -> None:
    assert (await BashSession(tmp_path, env={"AT_SET": "s"})("echo $AT_SET")).text == "s"


async def test_a_stopped_command_changes_nothing(bash: BashSession) -> None:
    call = await bash("cd /; export A=1; sleep 60", timeout=300)
    assert call.result.context_modifier is None
    assert call.output.cwd == str(bash.work)


async def test_a_sub_agent_does_not_move_the_session(bash: BashSession) -> None:
    (bash.work / "x").mkdir()
    call = await bash("cd x; export A=1; pwd", sub_agent=True)
    assert call.text.startswith(f"{bash.work}/x\n")
    assert "a sub-agent does not move it" in call.text
    assert (await bash("pwd; echo [$A]")).text == f"{bash.work}\n[]"


async def test_a_shell_that_could_not_tell_is_said(bash: BashSession) -> None:
    call = await bash("cd /; exec true")
    assert "did not tell its working directory" in call.text
    assert call.output.cwd == str(bash.work)


async def test_a_directory_that_went_away(bash: BashSession) -> None:
    call = await bash("mkdir -p d/e; cd d/e")
    (bash.work / "d" / "e").rmdir()
    call = await bash("echo here")
    assert call.result.is_error
    assert call.output.exit_code is None
    assert f"Nothing was run: the working directory {bash.work}/d/e" in call.text
    assert f"is now {bash.work}/d" in call.text
    assert (await bash("pwd")).text == f"{bash.work}/d"
    removed_itself = await bash("mkdir g; cd g; rmdir ../g")
    assert "is gone" in removed_itself.text and removed_itself.output.cwd == f"{bash.work}/d"


async def test_a_sub_agent_in_a_directory_that_went_away(bash: BashSession) -> None:
    await bash("mkdir d; cd d; rmdir ../d; mkdir ../d")
    (bash.work / "d").rmdir()
    call = await bash("echo here", sub_agent=True)
    assert call.result.is_error and call.result.context_modifier is None


# --- hardened -------------------------------------------------------------------------------------------------------


async def test_a_hardened_command_is_out_of_reach_of_earlier_ones(bash: BashSession) -> None:
    tool = bash.work / "ls"
    tool.write_text("#!/bin/sh\necho evil\n")
    tool.chmod(0o755)
    await bash("export PATH=$PWD:$PATH AT_X=1")
    assert (await bash("ls")).text == "evil"
    assert (await bash("ls; echo -n $AT_X", hardened=True)).text == "ls"
    assert (await bash("[ -t 1 ]", hardened=True)).output.exit_code == 1


async def test_both_outputs_of_a_hardened_command_are_shown(bash: BashSession) -> None:
    call = await bash("echo out; ls missing; echo more", hardened=True)
    assert call.text.startswith("out\nmore\nls: cannot access")


async def test_a_hardened_command_keeps_to_the_directory_and_tells_of_missing_programs(bash: BashSession) -> None:
    (bash.work / "sub").mkdir()
    call = await bash("cd sub; export A=1", hardened=True)
    assert bash.state.cwd == f"{bash.work}/sub"
    assert "A" not in bash.state.shell_env
    call = await bash("no-such-program", hardened=True)
    assert "only programs in the system's folders" in call.text


async def test_only_reading_is_allowed_and_hardened(bash: BashSession) -> None:
    for command, behavior in (("ls -la", "allow"), ("cat /etc/shadow", "passthrough"), ("rm x", "passthrough")):
        opinion = await bash_tool.check_permissions(parse_input(bash_tool, {"command": command}), bash.context())
        assert (opinion.behavior, opinion.hardened) == (behavior, behavior == "allow"), command
        assert opinion.reason
        assert opinion.check_id


def test_flags_follow_the_command() -> None:
    reads, writes = ({"command": c} for c in ("ls -la", "touch x"))
    for flag in (bash_tool.is_read_only, bash_tool.is_concurrency_safe, bash_tool.is_search_or_read_command):
        assert flag(parse_input(bash_tool, reads)) is True
        assert flag(parse_input(bash_tool, writes)) is False
    assert bash_tool.to_auto_classifier_input(parse_input(bash_tool, writes)) == "touch x"
    matches = bash_tool.prepare_permission_matcher(parse_input(bash_tool, {"command": "git push origin"}))
    assert matches("git push *") and not matches("git pull *")


# --- time limit and stops -------------------------------------------------------------------------------------------


async def test_a_time_limit_keeps_the_output_and_leaves_nothing(tmp_path: Path, mark: Mark) -> None:
    bash = BashSession(tmp_path, env=mark.env)
    call = await bash("echo one; (while :; do sleep 0.37; done) & setsid sleep 61 & sleep 60; echo two", timeout=1_500)
    assert not mark.alive()
    assert call.result.is_error and not call.result.interrupted
    assert call.output.timed_out_after_ms == 1_500
    first, *rest = call.text.split("\n")
    assert first.startswith("Timed out: stopped after ") and "(limit 1500 ms)" in first
    assert rest == ["one"]
    assert (await bash("echo SECOND")).text == "SECOND"


async def test_a_stop_is_prompt_and_keeps_the_output(tmp_path: Path, mark: Mark) -> None:
    bash, switch = BashSession(tmp_path, env=mark.env), Cancellation()
    stopped_at: list[float] = []

    def stop_once_it_prints(payload: Any) -> None:
        if "begun" in payload.tail and not stopped_at:
            stopped_at.append(time.monotonic())
            switch.cancel("enough")

    call = await bash(
        "trap '' TERM; echo begun; sleep 300", cancellation=switch, on_progress=stop_once_it_prints, timeout=30_000
    )
    assert time.monotonic() - stopped_at[0] < 2.0  # 0.25 s of grace, and a busy machine
    assert not mark.alive()
    assert call.result.interrupted and call.result.is_error and call.output.interrupted
    assert call.text.startswith("Interrupted: stopped after") and call.text.endswith("\nbegun")


async def test_twenty_interrupts_in_a_row_leave_nothing(tmp_path: Path, mark: Mark) -> None:
    bash = BashSession(tmp_path, env=mark.env)
    for _ in range(20):
        switch = Cancellation()
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: bash("sleep 300 & setsid sleep 300", cancellation=switch))  # noqa: B023
            assert await anyio.to_thread.run_sync(mark.wait_until, True)
            switch.cancel()
        assert not mark.alive()


async def test_a_cancelled_task_stops_the_command_and_still_has_its_output(tmp_path: Path, mark: Mark) -> None:
    bash = BashSession(tmp_path, env=mark.env)
    printed = anyio.Event()
    token = anyio.lowlevel.current_token()

    def tell(seen: BashProgress) -> None:
        if seen.is_incomplete and "kept" in seen.tail:
            anyio.from_thread.run_sync(printed.set, token=token)

    async def cancel(scope: anyio.CancelScope) -> None:
        await printed.wait()
        scope.cancel()

    calls = []
    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            group.start_soon(cancel, scope)
            calls.append(await bash("echo kept; sleep 300", on_progress=tell))
            await anyio.lowlevel.checkpoint()
            pytest.fail("the cancellation was swallowed")
    assert scope.cancelled_caught
    assert not mark.alive()
    assert calls[0].result.interrupted and calls[0].text.endswith("\nkept")


PROGRAM = """
import sys, anyio
from pathlib import Path
from tests.support.bash_session import BashSession
bash = BashSession(Path(sys.argv[1]))
anyio.run(lambda: bash("setsid sleep 300 & sleep 300", hardened=sys.argv[2] == "hardened"))
"""


@pytest.mark.parametrize("how", ["approved", "hardened"])
def test_a_killed_process_leaves_nothing(tmp_path: Path, mark: Mark, how: str) -> None:
    env = {**os.environ, **mark.env, "LC_MARK": mark.value}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path), how], env=env, cwd=Path.cwd()) as process:
        deadline = time.monotonic() + 10
        while len(_sleeping(mark)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(_sleeping(mark)) == 2
        os.kill(process.pid, signal.SIGKILL)
    assert mark.wait_until(False, 1.0)


def _sleeping(mark: Mark) -> list[int]:
    return [pid for pid in mark.alive() if psutil.pid_exists(pid) and psutil.Process(pid).name() == "sleep"]


# --- progress -------------------------------------------------------------------------------------------------------


async def test_progress_shows_the_tail_while_it_runs_and_ends_with_a_last_word(bash: BashSession) -> None:
    call = await bash("python3 -c 'import time\nfor n in range(1, 601): print(n); time.sleep(0.001)'")
    *during, last = call.progress
    assert during and all(p.is_incomplete for p in during)
    assert len(call.progress) <= call.output.duration_ms / 100 + 2
    assert 0 < during[0].total_lines < 600
    assert not last.is_incomplete
    assert last.tail == "".join(f"{n}\n" for n in range(401, 601))
    assert (last.total_lines, last.total_bytes) == (600, 2_292)
    assert [p.id for p in call.progress] == [f"bash-progress-{n}" for n in range(1, len(call.progress) + 1)]
    assert last.output_path is not None


# --- input ----------------------------------------------------------------------------------------------------------


async def test_the_input_has_the_fields_of_the_field() -> None:
    fields = set(bash_tool.json_schema["properties"])
    assert {"command", "timeout", "description", "run_in_background"} <= fields
    with pytest.raises(InputValidationError):
        parse_input(bash_tool, {"command": "ls", "run_in_the_background": True})


@pytest.mark.parametrize(
    ("input", "check_id"),
    [
        ({"command": " \n"}, "bash-empty-command"),
        ({"command": "a\0b"}, "bash-nul"),
        ({"command": "\ud800"}, "bash-not-text"),
        ({"command": "ls", "timeout": 0}, "bash-timeout"),
        ({"command": "ls", "timeout": -5}, "bash-timeout"),
    ],
)
async def test_what_cannot_work_is_refused(bash: BashSession, input: dict[str, Any], check_id: str) -> None:
    model = bash_tool.input_model
    assert model is not None and bash_tool.validate_input is not None
    answer = await bash_tool.validate_input(model.model.model_construct(**{"timeout": None, **input}), bash.context())
    assert (answer.result, answer.check_id) == (False, check_id)
    assert "`" in answer.message


async def test_a_usual_input_is_fine(bash: BashSession) -> None:
    assert bash_tool.validate_input is not None
    for timeout in (1, 600_000, 99_999_999):
        parsed = parse_input(bash_tool, {"command": "ls", "timeout": timeout, "description": "List files"})
        assert (await bash_tool.validate_input(parsed, bash.context())).result


async def test_a_bash_that_cannot_start_is_a_tool_error(tmp_path: Path) -> None:
    bash = BashSession(tmp_path, env={"BIG": "x" * 3_000_000})
    with pytest.raises(ToolError, match="bash could not be started") as caught:
        await bash("true")
    assert caught.value.check_id == "bash-not-started"


def test_a_context_without_a_session_folder_is_enough(bash: BashSession) -> None:
    assert isinstance(bash.context(), ToolUseContext)
    assert not bash.dir.exists()


async def test_a_variable_that_no_program_can_be_started_with_is_left_behind(bash: BashSession) -> None:
    long = await bash("export LONG=$(printf '%0140000d' 0) SHORT=1")
    assert "unset for the next command" in long.text and "LONG" in long.text and "SHORT" not in long.text
    assert (await bash("echo ${LONG-gone} $SHORT")).text == "gone 1"
    many = await bash("for i in {1..30}; do export MANY$i=$(printf '%0100000d' 0); done")
    assert "MANY" in many.text
    assert (await bash("env | wc -l >/dev/null; echo $SHORT")).text == "1"
