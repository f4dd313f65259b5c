"""What is checked before a turn, and what is put back after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.agent_turn import chosen_tools, mode_of_turn


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, settings={"permissions": {"deny": ["Write"]}}, session_dir=tmp_path / "session")


def mode(session: Session) -> str:
    return session.state.permission.mode


def test_a_mode_is_put_back_whatever_ends_the_turn(session: Session) -> None:
    with mode_of_turn(session, "acceptEdits"):
        assert mode(session) == "acceptEdits"
    assert mode(session) == "default"
    for fault in (ValueError, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(fault), mode_of_turn(session, "dontAsk"):
            raise fault
        assert mode(session) == "default"


def test_what_a_person_chooses_meanwhile_stays(session: Session) -> None:
    session.set_mode("acceptEdits")
    with mode_of_turn(session, "dontAsk"):
        session.set_mode("default")
    assert mode(session) == "default", "the wider mode of before does not come back"


def test_without_a_mode_nothing_is_touched(session: Session) -> None:
    for chosen in (None, "default"):
        with mode_of_turn(session, chosen):  # type: ignore[arg-type]
            session.set_mode("plan")
        assert mode(session) == "plan"
        session.set_mode("default")


def test_a_mode_that_was_forbidden_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    settings = {"permissions": {"defaultMode": "bypassPermissions"}}
    session = Session(tmp_path, settings=settings, session_dir=tmp_path / "session")
    assert mode(session) == "bypassPermissions"
    with mode_of_turn(session, "dontAsk"):
        session.reload_settings({"permissions": {"disableBypassPermissionsMode": "disable"}})
    assert mode(session) == "default"


def test_tools_by_name_alias_and_not_at_all(session: Session) -> None:
    assert chosen_tools(session, ("Read", "Grep")) == ("Read", "Grep")
    with pytest.raises(UsageError, match=r"'Nope' is none\. Tools: AskUserQuestion, Bash"):
        chosen_tools(session, ("Read", "Nope"))
    with pytest.raises(UsageError, match="'Write' is denied or turned off here"):
        chosen_tools(session, ("Write",))
