"""A plain script that asks in its terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

SCRIPT = """
import anyio
from jupyter_agenttools import Session

async def main():
    session = Session(prompter="stdin")
    for name in ("one", "two"):
        outcome = await session.call("Bash", {"command": "touch " + name})
        print("it was", outcome.status, outcome.text)

anyio.run(main)
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn]:
    (tmp_path / "script.py").write_text(SCRIPT)
    child = pexpect.spawn(sys.executable, ["script.py"], cwd=str(tmp_path), encoding="utf-8", timeout=20)
    child.expect(r"help\] ")
    yield child
    child.close(force=True)


def test_lines_are_answers(terminal: pexpect.spawn, tmp_path: Path) -> None:
    terminal.sendline("y")
    terminal.expect("it was ok")
    terminal.expect(r"help\] ")
    terminal.sendline("perhaps")
    terminal.expect("'perhaps' is no answer")
    terminal.sendline("n not today")
    terminal.expect("it was denied .*not today")
    terminal.expect(pexpect.EOF)
    assert (tmp_path / "one").exists() and not (tmp_path / "two").exists()


def test_the_end_of_the_input_is_a_no(terminal: pexpect.spawn) -> None:
    terminal.sendeof()
    terminal.expect("it was denied")


def test_ctrl_c_ends_the_script_without_another_line(terminal: pexpect.spawn, tmp_path: Path) -> None:
    terminal.sendintr()
    terminal.expect("KeyboardInterrupt")
    terminal.expect(pexpect.EOF)
    assert not (tmp_path / "one").exists()
