"""PowerShell as a model uses it, where it is installed."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import pytest

from jupyter_agenttools.session import Session
from jupyter_agenttools.tools.powershell.tool import MAX_COMMAND_CHARS, powershell_tool, shell_words, validate
from tests.support.bash_session import BashSession

pytestmark = pytest.mark.anyio

needs_pwsh = pytest.mark.skipif(shutil.which("pwsh") is None, reason="needs pwsh")


def test_the_command_is_handed_over_byte_for_byte() -> None:
    command = "Write-Output 'it''s' \"ä $x\"\n# the end"
    words = shell_words(command, "/opt/power shell/pwsh").rsplit(" ", 1)
    assert words[0].startswith("'/opt/power shell/pwsh' ") and "-NonInteractive" in words[0]
    assert base64.b64decode(words[1]).decode("utf-16-le").startswith(command + "\n")


async def test_what_cannot_work_is_refused(tmp_path: Path) -> None:
    context = BashSession(tmp_path).context()
    model = powershell_tool.input_model.model
    for fields, check in (
        ({"command": " "}, "bash-empty-command"),
        ({"command": "x" * (MAX_COMMAND_CHARS + 1)}, "powershell-too-long"),
        ({"command": "x", "timeout": 0}, "bash-timeout"),
    ):
        assert (await validate(model(**fields), context)).check_id == check


@needs_pwsh
async def test_output_and_exit_codes(tmp_path: Path) -> None:
    session = Session(tmp_path, settings={"permissions": {"allow": ["PowerShell"]}}, session_dir=tmp_path / "s")

    async def run(command: str) -> tuple[str, int]:
        output = (await session.call("PowerShell", {"command": command})).output
        return output.stdout.strip(), output.exit_code

    assert await run("Write-Output 'a b'; (Get-Location).Path") == (f"a b\n{tmp_path}", 0)
    assert (await run("exit 3"))[1] == 3
    assert (await run("bash -c 'exit 4'"))[1] == 4
    assert (await run("Get-Item missing"))[1] == 1
