"""The gate: the order of its checks, what each mode does, and that nothing widens by accident."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core import HookEffects, PermissionResult, ToolPermissionContext, ToolUseContext
from jupyter_agenttools.permissions import decide, deny_rule_for_tool, explain, filter_denied
from jupyter_agenttools.permissions.table import STEPS, table_of
from tests.support.gate import (
    BASH,
    FETCH,
    GREP,
    LOOK,
    PLAIN,
    READ,
    WRITE,
    ask_gate,
    context_of,
    make_bash,
    make_tool,
    permission_of,
)

pytestmark = pytest.mark.anyio
RM = {"command": "rm x"}


def opinion(*args: Any, **fields: Any) -> Any:
    async def check(input: Any, context: ToolUseContext) -> PermissionResult:
        return PermissionResult(*args, **fields)

    return check


async def broken(input: Any, context: ToolUseContext) -> PermissionResult:
    raise ValueError("no idea")


class TestOrder:
    async def test_deny_beats_everything(self, tmp_path: Path) -> None:
        bash = make_bash(check_permissions=opinion("allow"))
        rules = {"allow": ["Bash(rm *)"], "ask": ["Bash(rm *)"], "deny": ["Bash(rm *)"], "defaultMode": "acceptEdits"}
        decision = await ask_gate(bash, RM, tmp_path, hook=HookEffects("allow"), **rules)
        assert (decision.behavior, decision.rule, decision.decided_by) == ("deny", "Bash(rm *)", "rule")

    async def test_ask_beats_allow_and_a_hook(self, tmp_path: Path) -> None:
        rules = {"allow": ["Bash(rm *)"], "ask": ["Bash(rm x)"]}
        decision = await ask_gate(BASH, RM, tmp_path, hook=HookEffects("allow"), **rules)
        assert (decision.behavior, decision.rule) == ("ask", "Bash(rm x)")

    async def test_a_hooks_allow_counts_when_nothing_is_against_it(self, tmp_path: Path) -> None:
        hook = HookEffects("allow", "fine", "mine")
        assert (await ask_gate(PLAIN, {}, tmp_path, hook=hook)).decided_by == "hook"
        asks = make_tool("Plain", check_permissions=opinion("ask", "let me see"))
        assert (await ask_gate(asks, {}, tmp_path, hook=hook)).reason == "let me see"

    @pytest.mark.parametrize(("said", "expected"), [("deny", "deny"), ("ask", "ask"), ("defer", "ask")])
    async def test_a_hook_may_tighten(self, said: Any, expected: str, tmp_path: Path) -> None:
        decision = await ask_gate(PLAIN, {}, tmp_path, hook=HookEffects(said, "hm", "mine"), allow=["Plain"])
        assert (decision.behavior, decision.decided_by) == (expected, "hook")
        assert "mine" in decision.reason

    async def test_the_tools_own_check(self, tmp_path: Path) -> None:
        async def answer(**definition: Any) -> str:
            return (await ask_gate(make_tool("Plain", **definition), {}, tmp_path, allow=["Plain"])).behavior

        assert await answer(check_permissions=opinion("deny")) == "deny"
        assert await answer(check_permissions=opinion("ask")) == "ask"
        assert await answer(check_permissions=opinion("passthrough")) == "allow"
        assert await answer(check_permissions=opinion("allow", updated_input={"x": 1})) == "ask"

    async def test_hardened_passes_through(self, tmp_path: Path) -> None:
        bash = make_bash(check_permissions=opinion("allow", hardened=True))
        assert (await ask_gate(bash, {"command": "ls"}, tmp_path)).hardened
        assert not (await ask_gate(BASH, {"command": "ls"}, tmp_path, allow=["Bash(ls *)"])).hardened

    async def test_nothing_known_is_asked(self, tmp_path: Path) -> None:
        decision = await ask_gate(PLAIN, {}, tmp_path)
        assert (decision.behavior, decision.reason) == ("ask", "no rule allows it; Plain would")
        assert decision.suggestions == ("Plain",)

    async def test_the_trace_is_whole(self, tmp_path: Path) -> None:
        for rules in ({}, {"allow": ["Plain"]}, {"deny": ["Plain"]}, {"ask": ["Plain"]}, {"defaultMode": "dontAsk"}):
            decision = await ask_gate(PLAIN, {}, tmp_path, **rules)
            assert [step.check for step in decision.trace] == list(STEPS)
            deciding = [step for step in decision.trace if step.outcome in ("allow", "ask", "deny")]
            assert deciding[-1].outcome == decision.behavior
            text = explain(decision)
            assert all(check in text for check in STEPS)
            assert text.startswith(decision.behavior)

    async def test_sources_are_named(self, tmp_path: Path) -> None:
        permission = ToolPermissionContext(always_deny_rules={"projectSettings": ("Bash(rm:*)",)})
        decision = await ask_gate(BASH, RM, tmp_path, permission=permission)
        assert decision.reason == "denied by the rule Bash(rm:*) [projectSettings]"
        assert decision.trace[0].rule == "Bash(rm:*) [projectSettings]"


class TestReading:
    async def test_inside_the_working_directories(self, tmp_path: Path) -> None:
        inside, outside = {"file_path": f"{tmp_path}/p/a"}, {"file_path": f"{tmp_path}/b"}
        cwd = tmp_path / "p"
        assert (await ask_gate(READ, inside, cwd)).behavior == "allow"
        assert (await ask_gate(READ, outside, cwd)).behavior == "ask"
        assert (await ask_gate(READ, outside, cwd, additionalDirectories=[str(tmp_path)])).behavior == "allow"
        assert (await ask_gate(READ, {"file_path": f"{cwd}/../b"}, cwd)).behavior == "ask"
        assert (await ask_gate(READ, {"file_path": f"{tmp_path}/p2/a"}, cwd)).behavior == "ask"

    async def test_a_link_leads_out(self, tmp_path: Path) -> None:
        cwd = tmp_path / "p"
        cwd.mkdir()
        (cwd / "out").symlink_to(tmp_path)
        assert (await ask_gate(READ, {"file_path": f"{cwd}/out/a"}, cwd)).behavior == "ask"

    async def test_moving_the_shell_does_not_move_the_rights(self, tmp_path: Path) -> None:
        permission = permission_of(tmp_path / "p", deny=["Read(./secret)"])
        context = context_of(permission, tmp_path)
        elsewhere, secret = {"file_path": f"{tmp_path}/x"}, {"file_path": f"{tmp_path}/p/secret"}
        assert (await decide(READ, elsewhere, elsewhere, context)).behavior == "ask"
        assert (await decide(READ, secret, secret, context)).behavior == "deny"

    async def test_without_a_path(self, tmp_path: Path) -> None:
        assert (await ask_gate(LOOK, {}, tmp_path)).behavior == "allow"
        assert (await ask_gate(GREP, {}, tmp_path)).behavior == "allow"

    async def test_what_leaves_the_machine_is_not_just_reading(self, tmp_path: Path) -> None:
        remote = make_tool("mcp__a__b", rule_family="mcp", is_mcp=True, is_read_only=True)
        assert (await ask_gate(FETCH, {"url": "https://x.example"}, tmp_path)).behavior == "ask"
        assert (await ask_gate(remote, {}, tmp_path)).behavior == "ask"
        assert (await ask_gate(make_bash(is_read_only=True), {"command": "ls"}, tmp_path)).behavior == "ask"

    async def test_a_broken_flag_is_no(self, tmp_path: Path) -> None:
        def flag(input: Any) -> bool:
            raise KeyError("x")

        assert (await ask_gate(make_tool("Look", is_read_only=flag), {}, tmp_path)).behavior == "ask"


class TestModes:
    async def test_plan_only_reads(self, tmp_path: Path) -> None:
        rules: dict[str, Any] = {"defaultMode": "plan", "allow": ["Write", "Plain", "Edit"], "ask": ["Plain"]}
        for tool, call in ((WRITE, {"file_path": f"{tmp_path}/a"}), (PLAIN, {})):
            decision = await ask_gate(tool, call, tmp_path, hook=HookEffects("allow"), **rules)
            assert decision.behavior == "deny"
            assert "plan mode" in decision.reason
        assert (await ask_gate(PLAIN, {}, tmp_path, defaultMode="plan", allow=["Plain"])).behavior == "deny"
        assert (await ask_gate(READ, {"file_path": f"{tmp_path}/a"}, tmp_path, **rules)).behavior == "allow"

    async def test_accept_edits(self, tmp_path: Path) -> None:
        async def answer(path: str, tool: Any = WRITE) -> str:
            return (await ask_gate(tool, {"file_path": path}, tmp_path / "p", defaultMode="acceptEdits")).behavior

        cwd = tmp_path / "p"
        cwd.mkdir()
        (cwd / "out").symlink_to(tmp_path)
        assert await answer(f"{cwd}/a") == "allow"
        assert await answer(f"{tmp_path}/a") == "ask"
        assert await answer(f"{cwd}/out/a") == "ask"
        for name in (".git/config", ".GIT/hooks/x", ".claude/settings.json", ".bashrc", "a/.vscode/x", ".mcp.json"):
            assert await answer(f"{cwd}/{name}") == "ask"
        assert await answer(f"{cwd}/.gitignore") == "allow"
        assert await answer("", make_tool("Odd", rule_family="edit")) == "ask"

    async def test_bypass(self, tmp_path: Path) -> None:
        mode = {"defaultMode": "bypassPermissions"}
        assert (await ask_gate(PLAIN, {}, tmp_path, **mode)).behavior == "allow"
        assert (await ask_gate(BASH, {"command": "echo $(date) > x"}, tmp_path, **mode)).behavior == "allow"
        assert (await ask_gate(WRITE, {"file_path": "/opt-x/a"}, tmp_path, **mode)).behavior == "allow"
        assert (await ask_gate(PLAIN, {}, tmp_path, deny=["Plain"], **mode)).behavior == "deny"
        assert (await ask_gate(PLAIN, {}, tmp_path, ask=["Plain"], **mode)).behavior == "ask"
        assert (await ask_gate(WRITE, {"file_path": f"{tmp_path}/.git/config"}, tmp_path, **mode)).behavior == "ask"
        hooks = {"command": "echo x > .git/hooks/pre-commit"}
        assert (await ask_gate(BASH, hooks, tmp_path, **mode)).behavior == "ask"

    async def test_bypass_has_to_be_available(self, tmp_path: Path) -> None:
        permission = ToolPermissionContext(mode="bypassPermissions")
        assert (await ask_gate(PLAIN, {}, tmp_path, permission=permission)).behavior == "ask"
        disabled = {"defaultMode": "bypassPermissions", "disableBypassPermissionsMode": "disable"}
        assert (await ask_gate(PLAIN, {}, tmp_path, **disabled)).behavior == "ask"

    @pytest.mark.parametrize(
        "command",
        ["rm -rf /", "rm -rf /*", "rm -rf ~", "rm -rf ~/ $(true)", "sudo rm -r -- /usr", "rm -rf ..", "rm -rf ../*",
         "bash -c 'rm -rf /'", "find / -delete", "chmod -R 777 /etc", "rm -rf $HOME", "cd x; rm -rf \"$HOME\"/"],
    )  # fmt: skip
    async def test_critical_removals_always_ask(self, command: str, tmp_path: Path) -> None:
        call = {"command": command}
        mode = {"defaultMode": "bypassPermissions", "allow": ["Bash"]}
        decision = await ask_gate(BASH, call, tmp_path, hook=HookEffects("allow"), **mode)
        assert decision.behavior == "ask", decision

    @pytest.mark.parametrize(
        "command", ["rm -rf build", "rm -rf ./*", "rm *.pyc", "rm -rf /tmp/x", "ls /", "echo rm /"]
    )
    async def test_other_removals_follow_the_rules(self, command: str, tmp_path: Path) -> None:
        decision = await ask_gate(BASH, {"command": command}, tmp_path, allow=["Bash"])
        assert decision.behavior == "allow", decision

    async def test_dont_ask(self, tmp_path: Path) -> None:
        decision = await ask_gate(PLAIN, {}, tmp_path, defaultMode="dontAsk")
        assert decision.behavior == "deny"
        assert "dontAsk" in decision.reason and "Plain would" in decision.reason
        assert (await ask_gate(PLAIN, {}, tmp_path, defaultMode="dontAsk", allow=["Plain"])).behavior == "allow"

    async def test_nobody_can_be_asked(self, tmp_path: Path) -> None:
        permission = replace(permission_of(tmp_path), should_avoid_permission_prompts=True)
        decision = await ask_gate(BASH, {"command": "python x.py"}, tmp_path, permission=permission)
        assert decision.behavior == "deny"
        assert "Bash(python x.py) would" in decision.reason


class TestProtected:
    async def test_a_broad_rule_does_not_reach_protected_files(self, tmp_path: Path) -> None:
        call = {"file_path": f"{tmp_path}/.git/config"}
        for rule in ("Edit", "Edit(./**)", "Edit(**/config)"):
            assert (await ask_gate(WRITE, call, tmp_path, allow=[rule])).behavior == "ask"
        for rule in ("Edit(.git/config)", "Edit(./.git/**)"):
            assert (await ask_gate(WRITE, call, tmp_path, allow=[rule])).behavior == "allow"

    async def test_through_a_link(self, tmp_path: Path) -> None:
        (tmp_path / ".git").mkdir()
        (tmp_path / "innocent").symlink_to(".git")
        call = {"file_path": f"{tmp_path}/innocent/config"}
        assert (await ask_gate(WRITE, call, tmp_path, allow=["Edit"])).behavior == "ask"

    async def test_a_session_in_a_folder_of_that_name(self, tmp_path: Path) -> None:
        cwd = tmp_path / ".claude" / "worktrees" / "a"
        mode = {"defaultMode": "acceptEdits"}
        assert (await ask_gate(WRITE, {"file_path": f"{cwd}/x"}, cwd, **mode)).behavior == "allow"
        assert (await ask_gate(WRITE, {"file_path": f"{cwd}/.git/x"}, cwd, **mode)).behavior == "ask"

    async def test_our_own_records(self, tmp_path: Path, agenttools_home: Path) -> None:
        call = {"file_path": str(agenttools_home / "trust.json")}
        assert (await ask_gate(WRITE, call, tmp_path, allow=["Edit"])).behavior == "ask"

    async def test_the_suggestion_is_enough(self, tmp_path: Path) -> None:
        call = {"file_path": f"{tmp_path}/.git/config"}
        (rule,) = (await ask_gate(WRITE, call, tmp_path)).suggestions
        assert (await ask_gate(WRITE, call, tmp_path, allow=[rule])).behavior == "allow"


class TestFaults:
    async def test_a_tools_check_that_fails_asks(self, tmp_path: Path) -> None:
        tool = make_tool("Plain", check_permissions=broken)
        decision = await ask_gate(tool, {}, tmp_path, hook=HookEffects("allow"), allow=["Plain"])
        assert decision.behavior == "ask"
        assert "ValueError: no idea" in decision.trace[list(STEPS).index("tool")].detail
        permission = replace(permission_of(tmp_path), should_avoid_permission_prompts=True)
        assert (await ask_gate(tool, {}, tmp_path, permission=permission)).behavior == "deny"

    async def test_a_check_that_answers_nonsense_asks(self, tmp_path: Path) -> None:
        async def check(input: Any, context: ToolUseContext) -> Any:
            return True

        assert (
            await ask_gate(make_tool("Plain", check_permissions=check), {}, tmp_path, allow=["Plain"])
        ).behavior == "ask"

    async def test_a_path_that_cannot_be_looked_at_asks(self, tmp_path: Path) -> None:
        decision = await ask_gate(READ, {"file_path": f"{tmp_path}/a\0b"}, tmp_path, allow=["Read(**)"])
        assert decision.behavior == "ask"

    async def test_a_fault_in_one_rule_does_not_hide_another(self, tmp_path: Path) -> None:
        def prepare(input: Any) -> Any:
            raise RuntimeError("broken matcher")

        tool = make_tool("Plain", prepare_permission_matcher=prepare)
        assert (await ask_gate(tool, {"a": "b"}, tmp_path, deny=["Plain(x)", "Plain(a:b)"])).behavior == "deny"
        assert (await ask_gate(tool, {}, tmp_path, allow=["Plain"], deny=["Plain(x)"])).behavior == "ask"

    @pytest.mark.parametrize("behavior", ["deny", "ask"])
    async def test_a_rule_that_cannot_be_read_makes_everything_ask(self, behavior: str, tmp_path: Path) -> None:
        rules = {f"always_{behavior}_rules": {"session": ("Bash(rm",)}, "always_allow_rules": {"session": ("Plain",)}}
        permission = ToolPermissionContext(**rules)  # type: ignore[arg-type]
        decision = await ask_gate(PLAIN, {}, tmp_path, permission=permission)
        assert decision.behavior == "ask"
        assert "Bash(rm" in decision.reason

    async def test_an_allow_rule_that_cannot_be_read_allows_nothing(self, tmp_path: Path) -> None:
        permission = ToolPermissionContext(always_allow_rules={"session": ("*", "Pla*", "Plain(")})
        assert (await ask_gate(PLAIN, {}, tmp_path, permission=permission)).behavior == "ask"


class TestCommands:
    async def test_a_compound_command_names_the_missing_part(self, tmp_path: Path) -> None:
        decision = await ask_gate(BASH, {"command": "npm test && npm publish"}, tmp_path, allow=["Bash(npm test *)"])
        assert decision.behavior == "ask"
        assert "`npm publish`" in decision.reason

    async def test_reading_parts_need_no_rule_beside_a_rule(self, tmp_path: Path) -> None:
        async def answer(command: str, **state: Any) -> str:
            context = context_of(permission_of(tmp_path, allow=["Bash(pytest *)", "Bash(cd *)"]), tmp_path, **state)
            return (await decide(BASH, {"command": command}, {"command": command}, context)).behavior

        assert await answer("pytest -q 2>&1 | tail -5") == "allow"
        assert await answer("pytest -q | tee out") == "ask"
        assert await answer("pytest -q; cat ../secret") == "ask"
        assert await answer("cd .. && cat x") == "ask"
        assert await answer("pytest -q | tail -5", shell_env={"PATH": "./tools"}) == "ask"

    async def test_read_rules_hold_for_commands(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("S=1")
        (tmp_path / "link").symlink_to(".env")
        bash = make_bash(check_permissions=opinion("allow", hardened=True))

        async def answer(command: str) -> str:
            rules: dict[str, Any] = {"deny": ["Read(.env)"], "allow": ["Bash"]}
            return (await ask_gate(bash, {"command": command}, tmp_path, **rules)).behavior

        for command in ("cat .env", "cat link", "head ./.env | wc", "python x.py --file=.env", "cat $(echo .env)"):
            assert await answer(command) == "deny", command
        for command in ("grep -r S .", "find . -name x", "cat *"):
            assert await answer(command) != "allow", command
        for command in ("grep .env notes.txt", "cat notes.txt", "echo .env"):
            assert await answer(command) == "allow", command

    async def test_edit_rules_deny_what_writes_there_and_make_doubtful_commands_ask(self, tmp_path: Path) -> None:
        async def answer(command: str) -> str:
            rules: dict[str, Any] = {"deny": ["Edit(//etc/**)"], "allow": ["Bash"]}
            return (await ask_gate(BASH, {"command": command}, tmp_path, **rules)).behavior

        for command in ("cp x /etc/hosts", "echo x > /etc/hosts", "dd of=/etc/hosts"):
            assert await answer(command) == "deny", command
        for command in ("cp /etc/hosts x", "xargs cp x /etc/hosts", "mytool /etc/hosts"):
            assert await answer(command) == "ask", command
        for command in ("cat /etc/hosts", "cp x y"):
            assert await answer(command) == "allow", command

    async def test_another_shell_is_compared_as_text(self, tmp_path: Path) -> None:
        shell = make_tool("PowerShell", rule_family="command", primary_field="command")

        async def answer(command: str, **rules: list[str]) -> str:
            return (await ask_gate(shell, {"command": command}, tmp_path, **rules)).behavior

        assert await answer("Get-Date", allow=["PowerShell(Get-Date)"]) == "allow"
        assert await answer("Get-Date; rm x", allow=["PowerShell(Get-Date *)"]) == "ask"
        assert await answer("ls; REMOVE-ITEM x", deny=["PowerShell(Remove-Item *)"]) == "deny"

    async def test_monitor_uses_bash_rules(self, tmp_path: Path) -> None:
        monitor = make_tool("Monitor", rule_family="command", rule_names=("Bash",), primary_field="command")
        assert (await ask_gate(monitor, RM, tmp_path, deny=["Bash(rm *)"])).behavior == "deny"
        assert (await ask_gate(monitor, {}, tmp_path, allow=["Bash(ls *)"])).suggestions == ("Monitor",)


class TestPool:
    def test_tools_denied_outright_vanish(self, tmp_path: Path) -> None:
        mcp = make_tool("mcp__a__b", rule_family="mcp", is_mcp=True)
        tools = (BASH, READ, GREP, WRITE, mcp, PLAIN)
        permission = permission_of(tmp_path, deny=["Bash(*)", "mcp__a", "Edit", "Read(.env)"])
        assert filter_denied(tools, permission) == (READ, GREP, PLAIN)
        assert deny_rule_for_tool(BASH, permission) == "Bash [session]"
        assert deny_rule_for_tool(READ, permission) is None
        assert filter_denied(tools, permission_of(tmp_path, deny=["*"])) == ()


class TestTables:
    async def test_a_context_is_compiled_once_and_forgotten_with_it(self, tmp_path: Path) -> None:
        permission = permission_of(tmp_path, allow=["Plain", "Bash(ls *)"], deny=["Read(.env)", "Bash(rm *)"])
        table = table_of(permission)
        for tool, call in ((PLAIN, {}), (BASH, RM), (READ, {"file_path": "a"})):
            await ask_gate(tool, call, tmp_path, permission=permission)
        assert table_of(permission) is table
        gone = weakref.ref(permission)
        del permission
        gc.collect()
        assert gone() is None

    async def test_an_answer_that_no_input_changes_is_the_same_object(self, tmp_path: Path) -> None:
        permission = permission_of(tmp_path, allow=["Plain"])
        first = await ask_gate(PLAIN, {"a": 1}, tmp_path, permission=permission)
        assert await ask_gate(PLAIN, {"a": 2}, tmp_path, permission=permission) is first

    async def test_an_answer_that_only_the_read_only_flag_changes_is_remembered_by_it(self, tmp_path: Path) -> None:
        tool = make_tool("Sql", is_read_only=lambda input: input["q"].startswith("select"))
        permission = permission_of(tmp_path, allow=["Plain"])

        async def answer(q: str, hook: HookEffects | None = None) -> Any:
            return await ask_gate(tool, {"q": q}, tmp_path, permission=permission, hook=hook)

        reads, writes = await answer("select 1"), await answer("drop t")
        assert (reads.behavior, writes.behavior) == ("allow", "ask")
        assert await answer("select 2") is reads
        assert await answer("drop u") is writes
        assert (await answer("select 2", HookEffects("deny"))).behavior == "deny"
        assert (await answer("drop t", HookEffects("allow"))).behavior == "allow"
        assert await answer("drop t") is writes
