"""``%agent permissions`` and ``%agent mode``: what the line means, and what may come next."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.permission_updates import AddDirectories, AddRules, RemoveRules, SetMode
from jupyter_agenttools.notebook.agent_line import parse_agent_line
from jupyter_agenttools.notebook.agent_permissions import said_of, updates_for
from jupyter_agenttools.notebook.agent_permissions_line import AgentPermissions
from tests.support.completing import next_words


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("permissions", AgentPermissions()),
        ("permissions check", AgentPermissions("check")),
        ("permissions deny Bash(rm *)", AgentPermissions("deny", "Bash(rm *)")),
        ('permissions deny "Bash(rm *)"', AgentPermissions("deny", "Bash(rm *)")),
        ("permissions ask Bash(git *) --scope user", AgentPermissions("ask", "Bash(git *)", "userSettings")),
        ("permissions allow --scope=local Read", AgentPermissions("allow", "Read", "localSettings")),
        ("permissions allow Bash(x --scope y *)", AgentPermissions("allow", "Bash(x --scope y *)")),
        ("permissions remove Bash", AgentPermissions("remove", "Bash")),
        ("permissions mode plan --scope project", AgentPermissions("mode", "plan", "projectSettings")),
        ("permissions add-dir ../a b", AgentPermissions("add-dir", "../a b")),
        ("mode", AgentPermissions("mode")),
        ("mode acceptEdits", AgentPermissions("mode", "acceptEdits")),
        ("mode plan --scope user", AgentPermissions("mode", "plan", "userSettings")),
    ],
)
def test_what_is_asked(text: str, asked: AgentPermissions) -> None:
    assert parse_agent_line(text, None) == asked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("permissions chek", "did you mean check?"),
        ("permissions show", "none of"),
        ("permissions check all", "takes nothing"),
        ("permissions allow", "RULE"),
        ("permissions add-dir", "PATH"),
        ("permissions allow Read --scope", "session | local | project | user"),
        ("permissions allow Read --scope everywhere", "'everywhere'"),
        ("permissions allow --scope user Read --scope local", "twice"),
    ],
)
def test_what_cannot_be_meant(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_agent_line(text, None)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (["permissions"], {"check", "allow", "ask", "deny", "remove", "mode", "add-dir", "remove-dir", "reload"}),
        (["permissions", "mode"], {"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}),
        (["mode"], {"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}),
        (["permissions", "allow", "Bash"], {"--scope"}),
        (["mode", "plan"], {"--scope"}),
        (["permissions", "allow", "Bash", "--scope"], {"session", "local", "project", "user"}),
        (["permissions", "allow", "Bash", "--scope", "user"], set()),
    ],
)
def test_what_may_come_next(before: list[str], words: set[str]) -> None:
    assert set(next_words(before)) == words


SETTINGS: Any = {"permissions": {"allow": ["Bash(ls *)", "Read"], "deny": ["Read"]}}


@pytest.mark.parametrize(
    ("asked", "updates"),
    [
        (AgentPermissions("deny", "Bash(rm *)", "userSettings"), (AddRules(("Bash(rm *)",), "deny", "userSettings"),)),
        (AgentPermissions("mode", "manual"), (SetMode("default"),)),
        (AgentPermissions("add-dir", "data"), (AddDirectories(("data",)),)),
        (AgentPermissions("remove", "Bash(ls *)"), (RemoveRules(("Bash(ls *)",), "allow"),)),
        (AgentPermissions("remove", "Read(*)"), (RemoveRules(("Read",), "deny"), RemoveRules(("Read",), "allow"))),
    ],
)
def test_the_changes_that_are_made(asked: AgentPermissions, updates: Any, tmp_path: Any) -> None:
    session = Session(cwd=tmp_path, settings=SETTINGS)
    assert updates_for(session, asked) == updates
    assert said_of(updates[:1], session) if asked.scope is None else True


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (AgentPermissions("mode", "plam"), "did you mean plan?"),
        (AgentPermissions("remove", "Write"), "there is no rule Write"),
        (AgentPermissions("remove", "Bash("), "never closed"),
        (AgentPermissions("remove", "Read", "userSettings"), "it is there as deny [session], allow [session]"),
    ],
)
def test_changes_that_cannot_be_made(asked: AgentPermissions, said: str, tmp_path: Any) -> None:
    with pytest.raises(UsageError) as error:
        updates_for(Session(cwd=tmp_path, settings=SETTINGS), asked)
    assert said in str(error.value)


def test_a_rule_in_several_places_needs_a_scope(tmp_path: Any) -> None:
    session = Session(cwd=tmp_path, settings=SETTINGS)
    session.modify_state(
        lambda state: type(state)(state.permission.with_rule("allow", "userSettings", "Bash(ls *)"), state.cwd)
    )
    with pytest.raises(UsageError, match="say --scope"):
        updates_for(session, AgentPermissions("remove", "Bash(ls *)"))
    asked = AgentPermissions("remove", "Bash(ls *)", "userSettings")
    assert updates_for(session, asked) == (RemoveRules(("Bash(ls *)",), "allow", "userSettings"),)
