"""Completion of the values on an ``%agent`` line."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.notebook.agent_line import AGENT_COMMANDS
from jupyter_agenttools.notebook.agent_permissions_line import MODES
from jupyter_agenttools.notebook.agent_run_line import AGENT_OPTIONS
from jupyter_agenttools.notebook.completions import completed
from jupyter_agenttools.notebook.prompts import OpenPrompts
from tests.support.completing import next_words


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "turns.json").write_text("[]")
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "first.md").write_text("")
    (tmp_path / ".hidden").write_text("")
    return Session(tmp_path, settings={"permissions": {"deny": ["Write"]}}, session_dir=tmp_path / "talks" / "s")


def test_options_and_sub_commands(session: Session) -> None:
    assert set(next_words([], session=session)) == {*AGENT_COMMANDS, *AGENT_OPTIONS}
    assert set(next_words([], session=session, in_cell=True)) == set(AGENT_OPTIONS)
    left = next_words(["--mode=plan", "--step"], session=session, in_cell=True)
    assert "--step" not in left and "--mode" not in left and "--model" in left


def test_values_of_options(session: Session) -> None:
    assert next_words(["--mode"], session=session) == [*MODES]
    assert "--mode=plan" in next_words([], "--mode=p", session=session)
    assert "turns.json" in next_words(["--script"], "tu", session=session)
    assert "-" in next_words(["--script"], session=session) and "-" not in next_words(["--replay"], session=session)
    assert next_words(["--max-turns"], session=session) == []


def test_tools_go_on_after_a_comma_and_those_that_are_denied_are_not_offered(session: Session) -> None:
    assert "Read" in next_words(["--tools"], session=session)
    after = next_words(["--tools"], "Read,", session=session)
    assert "Read,Grep" in after and "Read,Read" not in after and "Read,Write" not in after


def test_models_and_their_files(session: Session) -> None:
    specs = next_words(["--model"], session=session)
    assert {"local", "manual", "script:", "replay:"} <= set(specs)
    assert next_words(["model"], "script:tu", session=session) == ["script:turns.json"]


def test_files_of_folders(session: Session) -> None:
    assert next_words(["export", "md"], "talks/f", session=session) == ["talks/first.md"]
    assert "talks/" in next_words(["export", "html"], session=session)
    assert ".hidden" not in next_words(["export", "html"], session=session)
    assert next_words(["export", "html"], "no/such/", session=session) == []
    assert next_words(["transcript"], session=session) == ["export", "search"]
    assert "html" in next_words(["transcript", "export"], session=session)


@pytest.mark.parametrize(
    ("line", "token", "words"),
    [
        ("%agent --tools Read,Gr", "Gr", ["Grep"]),
        ("%%agent --mode=pl", "pl", ["plan"]),
        ("%agent model script:tu", "tu", ["turns.json"]),
        ("%agent export html talks/f", "talks/f", ["talks/first.md"]),
        ("%agent comp", "comp", ["compact"]),
        ("%%agent comp", "comp", []),
        ("%agent say comp", "comp", []),
        ("print(", "", []),
    ],
)
def test_what_ipython_puts_in_the_place_of_its_token(session: Session, line: str, token: str, words: list[str]) -> None:
    runtime: Any = SimpleNamespace(session=session, prompts=OpenPrompts())
    assert completed(line, token, runtime) == words
