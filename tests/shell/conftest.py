"""Running commands in tests of the shell."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from jupyter_agenttools.shell import OutputLog, ShellCommand, ShellRun, approved_environment
from jupyter_agenttools.shell.transports import TransportName
from tests.support.shell import Mark, Ran, Runner


@pytest.fixture
def mark() -> Mark:
    return Mark()


@pytest.fixture(params=["pipes", "pty"])
def transport(request: pytest.FixtureRequest) -> TransportName:
    return request.param


@pytest.fixture
def sh(tmp_path: Path) -> Runner:
    """Run a command in a fresh folder and hand back what came of it."""
    work = tmp_path / "work"
    work.mkdir()

    async def run(
        text: str,
        *,
        transport: TransportName = "pipes",
        env: Mapping[str, str] | None = None,
        cwd: Path | str = work,
        timeout_s: float | None = 30.0,
        started: Callable[[ShellRun], None] = lambda run: None,
        limit: int = 30_000,
    ) -> Ran:
        out, err = OutputLog(tmp_path / "out", limit), OutputLog(tmp_path / "err", limit)
        environment = {**approved_environment(os.environ, {}, {}, ()), **(env or {})}
        command = ShellCommand(text, str(cwd), environment, transport, timeout_s)
        shell_run = ShellRun(command, {"stdout": out.write, "stderr": err.write})
        started(shell_run)
        try:
            end = await shell_run.run()
        finally:
            out.close()
            err.close()
        return Ran(end, out.text(limit).text, err.text(limit).text, out)

    return run
