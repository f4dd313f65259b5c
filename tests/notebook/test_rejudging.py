"""Looking again at an open question while the rights change."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jupyter_agenttools.core.decision import Decision
from jupyter_agenttools.core.prompting import PermissionAnswer, PermissionRequest
from jupyter_agenttools.notebook.rejudging import judged_while_open
from jupyter_agenttools.session import Session


async def request_of(session: Session) -> PermissionRequest:
    """A question that the gate really asked."""
    asked: list[PermissionRequest] = []

    async def ask(request: PermissionRequest) -> PermissionAnswer:
        asked.append(request)
        return PermissionAnswer("deny")

    session.prompter.ask = ask  # type: ignore[method-assign]
    await session.call("Bash", {"command": "touch made"})
    return asked[0]


def test_a_cancellation_at_the_end_of_a_question_is_not_swallowed(tmp_path: Path) -> None:
    went_on = []

    async def work() -> None:
        session = Session(tmp_path)
        request = await request_of(session)
        async with judged_while_open(session, request, lambda now: None):
            task = asyncio.current_task()
            assert task is not None
            task.cancel()  # arrives where the block next waits: while it ends
        went_on.append(True)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())
    assert not went_on


def test_a_fault_in_a_look_leaves_the_question_open(tmp_path: Path) -> None:
    seen: list[Decision] = []
    looked = []

    def take(now: Decision) -> None:
        seen.append(now)
        looked[0].set()
        raise RuntimeError("a card that cannot be drawn")

    async def work() -> str:
        looked.append(asyncio.Event())
        session = Session(tmp_path)
        request = await request_of(session)
        async with judged_while_open(session, request, take):
            session.set_mode("acceptEdits")
            await looked[0].wait()
        return "answered"

    assert asyncio.run(work()) == "answered"
    assert seen[0].behavior == "allow"
