"""The whole policy as a table: every rule with its file and line, and whether it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.views import TableBlockView
from jupyter_agenttools.render.text import view_text
from jupyter_agenttools.session.policy import policy_rules
from jupyter_agenttools.session.policy_view import checked_view, policy_view
from tests.support.settings import SettingsLab, make_lab


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


def session_of(lab: SettingsLab, **own: list[str]) -> Session:
    return Session(cwd=lab.project, settings=lab.load({"permissions": own}), session_dir=lab.base / "session")


def test_every_rule_in_order_with_its_place(lab: SettingsLab) -> None:
    user = lab.write(
        "userSettings", '{"permissions": {\n  "allow": ["Bash(ls *)",\n "Read"],\n "deny": ["Bash(rm *)"]}}'
    )
    local = lab.write("localSettings", '{\n "permissions": {"ask": ["Bash(git push *)"]}}')
    session = session_of(lab, allow=["Echo"])
    session.modify_state(lambda state: type(state)(state.permission.with_rule("deny", "session", "Curl"), state.cwd))
    shown = [(r.placed.rule.behavior, r.placed.rule.text, r.placed.place) for r in policy_rules(session)]
    assert shown == [
        ("deny", "Curl", ""),
        ("deny", "Bash(rm *)", f"{user}:4"),
        ("ask", "Bash(git push *)", f"{local}:2"),
        ("allow", "Echo", ""),
        ("allow", "Bash(ls *)", f"{user}:2"),
        ("allow", "Read", f"{user}:3"),
    ]
    assert all(rule.counts for rule in policy_rules(session))


def test_rules_of_a_file_that_nobody_approved_do_not_count(lab: SettingsLab) -> None:
    lab.write("projectSettings", {"permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}}, trusted=False)
    deny, allow = policy_rules(session_of(lab))
    assert (deny.placed.rule.text, deny.counts) == ("Read(.env)", True)
    assert (allow.placed.rule.text, allow.counts) == ("Bash", False) and "nobody has approved" in allow.note


def test_only_managed_rules(lab: SettingsLab) -> None:
    lab.write("userSettings", {"permissions": {"allow": ["Bash"]}})
    lab.write("managed", {"allowManagedPermissionRulesOnly": True})
    (rule,) = policy_rules(session_of(lab))
    assert not rule.counts and "managed settings" in rule.note


def test_a_broken_file_is_named_and_its_ask_rule_shown(lab: SettingsLab) -> None:
    lab.write("userSettings", "{")
    text = view_text(policy_view(session_of(lab)))
    assert "every call asks" in text
    assert any(line.split()[:3] == ["ask", "*", "user"] for line in text.splitlines())


def test_the_table(lab: SettingsLab) -> None:
    lab.write("userSettings", {"permissions": {"deny": ["Bash"], "allow": ["Bash(ls *)"]}})
    view = policy_view(session_of(lab))
    folders, rules = (block for block in view.blocks if isinstance(block, TableBlockView))
    assert folders.rows == ((str(lab.project), "where the session began"),)
    assert [row[:3] for row in rules.rows] == [("deny", "Bash", "user"), ("allow", "Bash(ls *)", "user")]
    assert rules.rows[1][4] == "shadowed"


def test_the_check_names_the_file_and_line(lab: SettingsLab) -> None:
    user = lab.write("userSettings", '{"permissions": {\n "deny": ["Bash"],\n "allow": ["Bash(ls *)"]}}')
    text = view_text(checked_view(session_of(lab)))
    assert f"allow Bash(ls *) [{user}:3]" in text and f"deny Bash [{user}:2] denies" in text


def test_nothing_to_say(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path)
    assert "nothing found" in view_text(checked_view(session))
    assert "rules: none" in view_text(policy_view(session))


def test_a_check_points_out_broad_rules_and_those_that_do_not_count(lab: SettingsLab) -> None:
    lab.write("projectSettings", {"permissions": {"allow": ["Bash(make *)"], "deny": ["Read(.env)"]}}, trusted=False)
    session = session_of(lab, allow=["Bash(*)", "Edit(//**)"], ask=["Bash(git push *)"])
    text = view_text(checked_view(session))
    assert "2 of 4 rules that count with notes" in text and "1 more rule not used" in text
    assert "broad: Bash allows every call of Bash" in text and "/etc/hosts" in text
    assert "Bash(make *)" in text and "nobody has approved" in text


def test_narrow_rules_are_not_called_broad(lab: SettingsLab) -> None:
    session = session_of(lab, allow=["Bash(git status *)", "Bash(pytest *)", "Edit(**)", "TodoWrite", "Read"])
    text = view_text(checked_view(session))
    assert "broad: Bash" not in text and "broad: Edit" not in text
