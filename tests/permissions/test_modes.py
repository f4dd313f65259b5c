"""What each mode lets pass and stops, in a real session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core import Cancellation, HookEffects
from jupyter_agenttools.core.context import create_subagent_context
from jupyter_agenttools.permissions import decide
from jupyter_agenttools.permissions.edit_commands import written_by
from tests.support.gate import PLAIN, READ, WRITE, ask_gate, make_tool
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        (folder / name).write_text("x\n")
    (folder / "out").symlink_to(tmp_path)
    return folder


class TestAcceptEdits:
    @pytest.mark.parametrize(
        "command",
        [
            "mkdir new",
            "mkdir -p new/deeper && touch new/deeper/x",
            "touch a.txt d.txt",
            "cp a.txt d.txt",
            "cp -p a.txt sub",
            "mv a.txt sub/",
            "mv sub other",
            "rm a.txt",
            "rm -f a.txt b.txt",
            "rmdir sub",
            "sed -i s/x/y/ a.txt",
            "mkdir 'two words'; touch x",
        ],
    )
    async def test_files_inside_need_no_question(self, command: str, project: Path) -> None:
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "acceptEdits"}})
        assert (await session.decide("Bash", {"command": command})).behavior == "allow"
        session.set_mode("default")
        assert (await session.decide("Bash", {"command": command})).behavior == "ask"

    @pytest.mark.parametrize(
        "command",
        [
            "rm -r sub",
            "rm -rf sub",
            "rm *",
            "rm -rf ./*",
            "rm .",
            "rm -f .git/config",
            "touch .git/hooks/pre-commit",
            "mkdir .claude",
            "cp a.txt .bashrc",
            "cp a.txt ../b.txt",
            "cp /etc/passwd d.txt",
            "cp -r sub other",
            "cp sub other",
            "cp --target-directory=/tmp a.txt",
            "cp -t /tmp a.txt",
            "mv a.txt out/",
            "touch out/x",
            "mv .git git",
            "touch /tmp/x",
            "touch ~/x",
            "touch $HOME/x",
            "touch a{b,c}",
            "touch a > /tmp/x",
            "touch a >> b.txt",
            "touch -r /etc/passwd a.txt",
            "mkdir -m 777 new",
            "touch a; curl x",
            "touch a & touch b",
            "touch a | sh",
            "FOO=1 touch a",
            "touch() { curl x; }; touch a",
            "ln -s /etc x",
            "chmod +x a.txt",
            "/tmp/touch a",
            "./touch a",
            "mkdir",
            "sed -i s/x/y/e a.txt",
            "sed -i s/x/y/ out/z",
            "mv -t sub a.txt",
            "touch ''",
        ],
    )
    async def test_everything_else_asks(self, command: str, project: Path) -> None:
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "acceptEdits"}})
        assert (await session.decide("Bash", {"command": command})).behavior == "ask"

    @pytest.mark.parametrize(
        "rules", [{"deny": ["Edit(sub/**)"]}, {"ask": ["Edit(sub/**)"]}, {"ask": ["Bash(touch *)"]}]
    )
    async def test_rules_still_hold(self, rules: Any, project: Path) -> None:
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "acceptEdits", **rules}})
        assert (await session.decide("Bash", {"command": "touch sub/x"})).behavior != "allow"

    async def test_a_file_with_a_second_name_elsewhere(self, project: Path) -> None:
        (project.parent / "elsewhere").hardlink_to(project / "a.txt")
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "acceptEdits"}})
        assert (await session.decide("Bash", {"command": "cp b.txt a.txt"})).behavior == "ask"

    async def test_a_link_that_leads_elsewhere_once_it_is_moved(self, project: Path) -> None:
        (project / "sub" / "deep").mkdir()
        (project / "sub" / "deep" / "link").symlink_to("../../data")
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "acceptEdits"}})
        command = "mv sub/deep/link link && touch link/x"
        assert (await session.decide("Bash", {"command": command})).behavior == "ask"

    async def test_a_source_that_must_not_be_read(self, project: Path) -> None:
        session = Session(
            cwd=project, settings={"permissions": {"defaultMode": "acceptEdits", "deny": ["Read(a.txt)"]}}
        )
        assert (await session.decide("Bash", {"command": "cp a.txt d.txt"})).behavior == "deny"

    async def test_another_path_for_programs_spoils_it(self, project: Path) -> None:
        settings = {"permissions": {"defaultMode": "acceptEdits", "allow": ["Bash(export *)"]}}
        session = Session(cwd=project, settings=settings)
        assert (await session.call("Bash", {"command": "export PATH=/tmp/evil:$PATH"})).status == "ok"
        assert (await session.decide("Bash", {"command": "touch x"})).behavior == "ask"

    async def test_it_is_done(self, project: Path) -> None:
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "acceptEdits"}})
        assert (
            await session.call("Bash", {"command": "mkdir new && cp a.txt new/ && mv new/a.txt new/b"})
        ).status == "ok"
        assert (project / "new" / "b").read_text() == "x\n"

    def test_what_a_command_writes(self, project: Path) -> None:
        paths = written_by("cp a.txt b.txt sub", str(project))
        assert paths is not None
        assert sorted(Path(each.given).relative_to(project).as_posix() for each in paths) == [
            "a.txt", "b.txt", "sub/a.txt", "sub/b.txt",
        ]  # fmt: skip


class TestPlan:
    async def test_only_reading_passes(self, project: Path) -> None:
        session = Session(cwd=project, settings={"permissions": {"defaultMode": "plan", "allow": ["Bash", "Edit"]}})
        assert (await session.decide("Bash", {"command": "git status; ls | wc -l"})).behavior == "allow"
        for name, input in (
            ("Bash", {"command": "touch x"}),
            ("Write", {"file_path": str(project / "x"), "content": ""}),
            ("Edit", {"file_path": str(project / "a.txt"), "old_string": "x", "new_string": "y"}),
        ):
            decision = await session.decide(name, input)
            assert (decision.behavior, decision.decided_by) == ("deny", "mode")
            assert "ExitPlanMode" in decision.reason

    @pytest.mark.parametrize("hook", [None, HookEffects("allow", "fine", "mine")])
    async def test_neither_a_hook_nor_a_rule_writes(self, hook: Any, tmp_path: Path) -> None:
        decision = await ask_gate(PLAIN, {}, tmp_path, hook=hook, defaultMode="plan", allow=["Plain"])
        assert decision.behavior == "deny"

    async def test_it_holds_in_a_sub_agent(self, tmp_path: Path) -> None:
        session = Session(cwd=tmp_path, settings={"permissions": {"defaultMode": "plan"}})
        context = create_subagent_context(
            session.call_context("toolu_1", Cancellation()), agent_id="agent_1", agent_type="helper"
        )
        decision = await decide(WRITE, {}, {"file_path": str(tmp_path / "x")}, context)
        assert decision.behavior == "deny" and "report back" in decision.reason
        assert (await decide(READ, {}, {"file_path": str(tmp_path / "x")}, context)).behavior == "allow"

    async def test_the_plan_may_be_written(self, project: Path) -> None:
        session = Session(
            cwd=project,
            session_dir=project.parent / "session",
            settings={"permissions": {"defaultMode": "plan"}, "plansDirectory": str(project / ".claude" / "plans")},
        )
        plan = project / ".claude" / "plans" / "plan-session.md"
        assert (await session.call("Write", {"file_path": str(plan), "content": "# Plan"})).status == "ok"
        assert (await session.call("Read", {"file_path": str(plan)})).status == "ok"
        other = plan.with_name("settings.json")
        assert (await session.call("Write", {"file_path": str(other), "content": "{}"})).status == "denied"

    async def test_not_through_a_link(self, project: Path) -> None:
        plans = project / "plans"
        plans.mkdir()
        (plans / "plan-session.md").symlink_to(project / "a.txt")
        session = Session(
            cwd=project,
            session_dir=project.parent / "session",
            settings={"permissions": {"defaultMode": "plan"}, "plansDirectory": str(plans)},
        )
        input = {"file_path": str(plans / "plan-session.md"), "content": "# Plan"}
        assert (await session.decide("Write", input)).behavior == "deny"

    @pytest.mark.parametrize("behavior", ["deny", "ask"])
    async def test_rules_about_the_plan_hold(self, behavior: str, project: Path) -> None:
        plans = project / "plans"
        session = Session(
            cwd=project,
            session_dir=project.parent / "session",
            settings={
                "permissions": {"defaultMode": "plan", behavior: ["Edit(plans/**)"]},
                "plansDirectory": str(plans),
            },
        )
        decision = await session.decide("Write", {"file_path": str(plans / "plan-session.md"), "content": ""})
        assert decision.behavior == behavior

    async def test_plan_mode_that_comes_while_a_person_is_asked(self, tmp_path: Path) -> None:
        def ask(request: Any) -> bool:
            session.set_mode("plan")
            return True

        session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=ask)
        outcome = await session.call("Echo", {"text": "x"})
        assert outcome.status == "denied" and "plan mode" in outcome.text


BYPASS = {"permissions": {"defaultMode": "bypassPermissions", "deny": ["Bash(curl *)"], "ask": ["Bash(git *)"]}}


class TestBypass:
    @pytest.mark.parametrize(
        ("command", "behavior"),
        [
            ("make", "allow"),
            ("curl x", "deny"),
            ("git push", "ask"),
            ("make; git push", "ask"),
            ("rm -rf /", "ask"),
            ("rm -rf ~", "ask"),
            ("echo x > .git/config", "ask"),
        ],
    )
    async def test_rules_and_what_is_critical_hold(self, command: str, behavior: str, project: Path) -> None:
        decision = await Session(cwd=project, settings=BYPASS).decide("Bash", {"command": command})
        assert decision.behavior == behavior

    @pytest.mark.parametrize("path", [".git/config", ".claude/settings.json", ".bashrc"])
    async def test_protected_files_ask(self, path: str, project: Path) -> None:
        session = Session(cwd=project, settings=BYPASS)
        decision = await session.decide("Write", {"file_path": str(project / path), "content": ""})
        assert decision.behavior == "ask"

    def test_nobody_is_in_it_without_knowing(self, project: Path) -> None:
        assert any("bypassPermissions" in note for note in Session(cwd=project, settings=BYPASS).settings.notes)


class TestQuestionsToAPerson:
    ASKING = make_tool("Asking", requires_user_interaction=True, is_read_only=True)

    @pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", "bypassPermissions"])
    @pytest.mark.parametrize("hook", [None, HookEffects("allow")])
    async def test_no_mode_rule_or_hook_answers_them(self, mode: str, hook: Any, tmp_path: Path) -> None:
        decision = await ask_gate(self.ASKING, {}, tmp_path, hook=hook, defaultMode=mode, allow=["Asking"])
        assert (decision.behavior, decision.decided_by) == ("ask", "tool")

    async def test_a_hook_that_brings_the_answers_does(self, tmp_path: Path) -> None:
        hook = HookEffects("allow", updated_input={"answers": {}})
        assert (await ask_gate(self.ASKING, {}, tmp_path, hook=hook)).behavior == "allow"

    async def test_a_deny_rule_stops_them(self, tmp_path: Path) -> None:
        assert (await ask_gate(self.ASKING, {}, tmp_path, deny=["Asking"])).behavior == "deny"

    async def test_a_flag_that_breaks_counts_as_yes(self, tmp_path: Path) -> None:
        broken = make_tool("Asking", requires_user_interaction=lambda input: 1 / 0, is_read_only=True)
        assert (await ask_gate(broken, {}, tmp_path, allow=["Asking"])).behavior == "ask"
