"""What a command gets, and what comes back from it, over both transports."""

from __future__ import annotations

import shlex
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.shell import OutputLog, ShellCommand, ShellRun
from jupyter_agenttools.shell.transports import TransportName
from tests.support.shell import Runner, wait_for_text

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("true", 0),
        ("exit 3", 3),
        ("set -e; false; echo not here", 1),
        ("set -o pipefail; false | true", 1),
        ("if", 2),
        ("echo 'open", 2),
        ("no-such-program", 127),
        ("kill -9 $$", -9),
        ("kill -TERM $$; sleep 5", -15),
        ("exec sh -c 'exit 4'", 4),
        ("trap 'exit 6' EXIT; true", 6),
        ("f() { exit 5; }; f", 5),
        ("(exit 9)", 9),
    ],
)
async def test_the_status_is_the_shells_own(sh: Runner, transport: TransportName, command: str, status: int) -> None:
    assert (await sh(command, transport=transport)).exit.status == status


async def test_standard_input_is_at_its_end(sh: Runner, transport: TransportName) -> None:
    reads = "python3 -c 'import sys; print(repr(sys.stdin.read()))'"
    ran = await sh(f"cat; read x; echo rc=$?; {reads}", transport=transport)
    assert ran.out == "rc=1\n''\n"


async def test_bytes_come_back_exactly(sh: Runner, transport: TransportName, tmp_path: Path) -> None:
    await sh(r"printf 'a\nb\r\n\tc\x01\x03\x04\x1a\xff\x00end'", transport=transport)
    assert (tmp_path / "out").read_bytes() == b"a\nb\r\n\tc\x01\x03\x04\x1a\xff\x00end"


async def test_pipes_keep_both_outputs_apart_and_a_terminal_keeps_their_order(sh: Runner) -> None:
    command = "echo 1; echo 2 >&2; echo 3; echo 4 >&2"
    apart = await sh(command, transport="pipes")
    assert (apart.out, apart.err) == ("1\n3\n", "2\n4\n")
    together = await sh(command, transport="pty")
    assert (together.out, together.err) == ("1\n2\n3\n4\n", "")


async def test_only_the_terminal_is_a_terminal(sh: Runner) -> None:
    command = "[ -t 0 ]; echo $?; [ -t 1 ]; echo $?; [ -t 2 ]; echo $?; (: </dev/tty) 2>/dev/null; echo $?"
    assert (await sh(command, transport="pty")).out.split() == ["1", "0", "0", "1"]
    assert (await sh(command, transport="pipes")).out.split() == ["1", "1", "1", "1"]


async def test_a_program_that_wants_keys_from_the_terminal_gets_an_error(sh: Runner) -> None:
    ran = await sh("python3 -c 'import os; os.read(2, 1)'; echo over", transport="pty", timeout_s=20)
    assert ran.exit.stopped is None
    assert "Bad file descriptor" in ran.out
    assert ran.out.endswith("over\n")


async def test_programs_write_line_by_line_on_the_terminal(sh: Runner, tmp_path: Path) -> None:
    """Python keeps back what it prints into a pipe; here a line is out while the program still runs."""
    program = shlex.quote("import time\nprint('a line')\nwhile True: time.sleep(1)")
    runs: list[ShellRun] = []
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: sh(f"python3 -c {program}", transport="pty", started=runs.append))
        assert await anyio.to_thread.run_sync(wait_for_text, tmp_path / "out", b"a line\n")
        runs[0].stop()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=80))
async def test_the_text_of_the_command_reaches_bash_unchanged(sh: Runner, tmp_path: Path, text: str) -> None:
    await sh(f"printf %s {shlex.quote(text)} && true # {'x' * 10}\n", transport="pipes")
    written = (tmp_path / "out").read_bytes() if text else b""
    assert written == text.encode()


async def test_quotes_exclamation_marks_and_backslashes_stay(sh: Runner, transport: TransportName) -> None:
    command = "echo \"hello!world\" 'a!=b'\ncat <<'EOF'\none C:\\Users two C:\\\\Users\nEOF\nprintf '%s\\n' 'a\\\\b'\n"
    ran = await sh(command, transport=transport)
    assert ran.out == "hello!world a!=b\none C:\\Users two C:\\\\Users\na\\\\b\n"


async def test_a_command_longer_than_an_argument_may_be(sh: Runner) -> None:
    ran = await sh(f"x='{'y' * 400_000}'; echo ${{#x}}\ncat <<'EOF' | wc -c\n{'z' * 300_000}\nEOF")
    assert ran.out.split() == ["400000", "300001"]


async def test_the_command_is_not_in_the_process_list(sh: Runner) -> None:
    ran = await sh("pkill -f 'a-word-of-this-command'; echo $?")
    assert ran.out == "1\n"


async def test_an_interrupt_of_the_kernels_group_does_not_reach_the_command(sh: Runner) -> None:
    for process in ("$$", "$PPID"):
        pid, group, session = (await sh(f"ps -o pid=,pgid=,sid= -p {process}")).out.split()
        assert pid == group == session


async def test_bash_looks_as_after_bash_c(sh: Runner) -> None:
    ran = await sh('echo "$0 $# $- $LINENO"; nosuch\nnosuch', transport="pty")
    assert ran.out.splitlines() == [
        "bash 0 hBc 1",
        "bash: line 1: nosuch: command not found",
        "bash: line 2: nosuch: command not found",
    ]


async def test_nothing_of_ours_shows_in_traces_and_traps(sh: Runner, transport: TransportName) -> None:
    ran = await sh("set -x; trap 'echo err' ERR; trap 'echo bye' EXIT; false", transport=transport)
    shown = [line for line in (ran.out + ran.err).splitlines() if not line.startswith("+")]
    assert sorted(shown) == ["bye", "err"]
    assert "/dev/fd" not in ran.out + ran.err


async def test_long_lines_and_many_lines_are_complete(sh: Runner, transport: TransportName) -> None:
    command = "head -c 1500000 /dev/zero | tr '\\0' a; echo; head -c 9000 /dev/zero | tr '\\0' b; echo; seq 100000"
    ran = await sh(command, transport=transport)
    written = ran.log.path.read_bytes().split(b"\n")
    assert written[0] == b"a" * 1_500_000
    assert written[1] == b"b" * 9_000
    assert written[2:] == [b"%d" % n for n in range(1, 100_001)] + [b""]
    assert ran.log.total_lines == 100_002


async def test_a_shell_that_ends_is_not_held_up_by_who_holds_its_output(sh: Runner, transport: TransportName) -> None:
    ran = await sh("sleep 300 & echo started; exit 3", transport=transport)
    assert (ran.out, ran.exit.status, ran.exit.stopped) == ("started\n", 3, None)
    assert ran.exit.duration_ms < 5_000


async def test_a_fifo_with_no_other_side(sh: Runner) -> None:
    for _ in range(5):
        assert (await sh("mkfifo p; timeout 0.1 cat p; echo Exit:$?; rm p")).out == "Exit:124\n"


async def test_a_folder_that_is_gone_and_one_that_is_a_file(sh: Runner, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError) as gone:
        await sh("true", cwd=tmp_path / "gone")
    assert gone.value.filename == str(tmp_path / "gone")
    with pytest.raises(NotADirectoryError):
        await sh("true", cwd=tmp_path / "file")


async def test_an_environment_that_is_too_big_is_said(sh: Runner) -> None:
    with pytest.raises(OSError, match="Argument list too long"):
        await sh("true", env={"BIG": "x" * 3_000_000})


async def test_many_commands_at_once(tmp_path: Path) -> None:
    outputs: dict[int, bytes] = {}

    async def one(number: int) -> None:
        def take(data: bytes) -> None:
            outputs[number] = outputs.get(number, b"") + data

        command = ShellCommand(f"sleep 0.1; echo {number}", str(tmp_path), {"PATH": "/usr/bin:/bin"}, "pipes", 30)
        end = await ShellRun(command, {"stdout": take, "stderr": take}).run()
        assert end.status == 0

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(one, number)
    assert outputs == {n: b"%d\n" % n for n in range(20)}


async def test_progress_comes_rarely_and_before_the_end(tmp_path: Path) -> None:
    log = OutputLog(tmp_path / "out", 1_000)
    seen: list[tuple[int, int]] = []
    command = ShellCommand("for i in {1..150}; do echo $i; sleep 0.002; done", str(tmp_path), {"PATH": "/bin"}, "pty")
    end = await ShellRun(command, {"stdout": log.write}, lambda ms: seen.append((ms, log.total_lines))).run()
    assert 2 <= len(seen) <= end.duration_ms / 100 + 1
    assert seen == sorted(seen)
    assert 0 < seen[0][1] < 150
