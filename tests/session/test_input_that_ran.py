"""A call whose input the person changed on the way, or that waited for them: what its records say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import PermissionAnswer, Session
from jupyter_agenttools.core.prompting import BY_PAGE
from jupyter_agenttools.core.stepping import StepChoice
from jupyter_agenttools.render import trace_json, walk
from jupyter_agenttools.session.entries import Entry, read_entries

pytestmark = pytest.mark.anyio

WAITED_S = 0.05


class EditsOnce:
    """Gives the call another input at its second stop."""

    def __init__(self, **input: Any) -> None:
        self._input, self._stops = input, 0

    async def between(self, *_: Any) -> StepChoice:
        self._stops += 1
        return StepChoice("edit", self._input) if self._stops == 2 else StepChoice("next")


def session_in(folder: Path, answer: PermissionAnswer) -> Session:
    async def asked(request: Any) -> PermissionAnswer:
        await anyio.sleep(WAITED_S)
        return answer

    return Session(folder, {}, asked)


def told_of(session: Session) -> Entry:
    return next(entry for entry in read_entries(session.transcript.path).entries if entry.kind == "call")


async def test_an_edited_call_is_called_by_the_input_that_ran(tmp_path) -> None:
    session = session_in(tmp_path, PermissionAnswer("allow", answered_by=BY_PAGE))
    outcome = await session.call("Bash", {"command": "touch old"}, stepper=EditsOnce(command="touch new"))
    await session.aclose()
    assert trace_json(outcome)["title"] == "$ touch new"
    entry = told_of(session)
    assert entry.title == "$ touch new"
    assert "› command: touch new" in entry.text
    assert '· it came with another input: {"command": "touch old"}' in entry.text
    assert (tmp_path / "new").exists() and not (tmp_path / "old").exists()


@pytest.mark.parametrize(("behavior", "word"), [("allow", "allowed"), ("deny", "denied")])
async def test_the_time_in_which_a_call_waited_is_told_apart_and_who_answered(
    tmp_path, monkeypatch: pytest.MonkeyPatch, behavior: Any, word: str
) -> None:
    monkeypatch.setattr(walk, "ASKED_MS", 0.0)  # a gate that takes long has not asked because of that
    session = session_in(tmp_path, PermissionAnswer(behavior, answered_by=BY_PAGE))
    outcome = await session.call("Bash", {"command": "touch made"})
    free = await session.call("Bash", {"command": "ls"})
    await session.aclose()
    [[after, waited]] = trace_json(outcome)["asked"]
    assert after >= 0 and WAITED_S * 1000 <= waited <= outcome.duration_ms
    assert "asked" not in trace_json(free)
    assert outcome.decision is not None
    assert outcome.decision.reason == f"{word} by the person (outside of the card)"
    assert f"· {word} by you (outside of the card)" in told_of(session).text
