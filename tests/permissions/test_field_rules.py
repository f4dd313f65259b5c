"""Rules about hosts, single fields, and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools import tool
from jupyter_agenttools.core.decision import Decision
from jupyter_agenttools.core.tool import Tool
from jupyter_agenttools.permissions.domains import domain_matches, host_of
from tests.support.gate import FETCH, ask_gate, make_bash, make_tool

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Example.ORG/a", "example.org"),
        ("https://example.org.:8443/", "example.org"),
        ("https://good.example@evil.example/", "evil.example"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://evil.example\\@good.example/", None),
        ("https://good.example\t.evil.example/", None),
        ("https://a%2eexample.org/", None),
        ("https://[::1/", None),
        ("no url", None),
    ],
)
def test_the_host_of_a_url(url: str, host: str | None) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("example.org", ["example.org"], ["www.example.org", "example.org.evil.example", "notexample.org"]),
        ("*.example.org", ["a.example.org", "a.b.example.org"], ["example.org", "aexample.org"]),
        ("api-*.example.org", ["api-1.example.org"], ["api-1.x.example.org", "api.example.org"]),
        ("a.*.org", ["a.b.org"], ["a.b.c.org", "a.org"]),
        ("*", ["anything.example"], []),
        ("BÜCHER.example", ["xn--bcher-kva.example"], []),
    ],
)
def test_domain_patterns(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [host for host in yes if not domain_matches(pattern, host)] == []
    assert [host for host in no if domain_matches(pattern, host)] == []


async def test_domain_rules(tmp_path: Path) -> None:
    async def answer(url: str, **rules: list[str]) -> str:
        return (await ask_gate(FETCH, {"url": url}, tmp_path, **rules)).behavior

    assert await answer("https://example.org/") == "ask"  # it reads, but somewhere else
    assert await answer("https://example.org/", allow=["WebFetch(domain:example.org)"]) == "allow"
    assert await answer("https://evil.example\\@example.org/", allow=["WebFetch(domain:example.org)"]) == "ask"
    assert await answer("https://evil.example\\@example.org/", deny=["WebFetch(domain:evil.example)"]) == "deny"
    assert await answer("https://a.example.org/", allow=["WebFetch"], deny=["WebFetch(domain:*.org)"]) == "deny"
    asked = await ask_gate(FETCH, {"url": "https://Example.org/x"}, tmp_path)
    assert asked.suggestions == ("WebFetch(domain:example.org)",)


@pytest.mark.parametrize("scheme", ["file:", "ftp:", "javascript:", "FTP:", "", "https+unix:", "ws:"])
async def test_only_the_web_is_allowed_by_a_rule_about_a_host(tmp_path: Path, scheme: str) -> None:
    async def asked(behavior: str) -> Decision:
        rules = {behavior: ["WebFetch(domain:example.org)"]}
        return await ask_gate(FETCH, {"url": f"{scheme}//example.org/x"}, tmp_path, **rules)

    allowed = await asked("allow")
    assert allowed.behavior == "ask" and allowed.suggestions == ()
    assert (await asked("deny")).behavior == "deny"
    assert (await asked("ask")).behavior == "ask"


async def test_rules_hold_for_tools_of_ones_own_by_the_names_that_rules_know(tmp_path: Path) -> None:
    @tool
    async def WebFetch(url: str) -> str:
        """Fetch."""
        return url

    @tool
    async def Agent(prompt: str, subagent_type: str = "") -> str:
        """Delegate."""
        return prompt

    @tool
    async def Skill(name: str) -> str:
        """Has no field that a rule about skills is about."""
        return name

    async def answer(tool: Tool, call: dict[str, object], rule: str) -> str:
        return (await ask_gate(tool, call, tmp_path, allow=[tool.name], deny=[rule])).behavior

    assert await answer(WebFetch, {"url": "https://evil.example/"}, "WebFetch(domain:evil.example)") == "deny"
    assert await answer(WebFetch, {"url": "https://good.example/"}, "WebFetch(domain:evil.example)") == "allow"
    assert await answer(Agent, {"prompt": "x", "subagent_type": "Explore"}, "Agent(Explore)") == "deny"
    assert await answer(Agent, {"prompt": "x", "subagent_type": "Explore"}, "Task(Explore)") == "deny"
    assert await answer(Agent, {"prompt": "Explore", "subagent_type": "Plan"}, "Agent(Explore)") == "allow"
    assert await answer(Skill, {"name": "anything"}, "Skill(deploy)") == "deny"


async def test_rules_about_one_field(tmp_path: Path) -> None:
    agent = make_tool("Agent")
    deploy = make_tool("mcp__ops__deploy", rule_family="mcp", is_mcp=True)

    async def answer(tool: object, call: dict[str, object], **rules: list[str]) -> str:
        return (await ask_gate(tool, call, tmp_path, **rules)).behavior  # type: ignore[arg-type]

    assert await answer(agent, {"model": "opus"}, allow=["Agent"], deny=["Agent(model:opus)"]) == "deny"
    assert await answer(agent, {"model": "sonnet"}, allow=["Agent"], deny=["Agent(model:opus)"]) == "allow"
    assert await answer(agent, {}, allow=["Agent"], deny=["Agent(model:*)"]) == "allow"
    assert await answer(agent, {"model": ["opus"]}, allow=["Agent"], deny=["Agent(model:*)"]) == "allow"
    assert await answer(deploy, {"to": "prod-1"}, allow=["mcp__ops"], ask=["mcp__ops__deploy(to:prod*)"]) == "ask"
    assert await answer(deploy, {"force": True}, allow=["mcp__ops"], deny=["mcp__ops__deploy(force:true)"]) == "deny"
    assert await answer(deploy, {"to": "prod"}, allow=["mcp__ops__deploy(to:prod)"]) == "ask"


async def test_fields_of_a_command_tool(tmp_path: Path) -> None:
    bash = make_bash()

    async def answer(call: dict[str, object], deny: str) -> str:
        return (await ask_gate(bash, call, tmp_path, allow=["Bash"], deny=[deny])).behavior

    assert await answer({"command": "ls", "run_in_background": True}, "Bash(run_in_background:true)") == "deny"
    assert await answer({"command": "ls", "timeout": 5}, "Bash(timeout:*)") == "allow"  # the program, not the field
    assert await answer({"command": "timeout 5 ls"}, "Bash(timeout:*)") == "deny"
    assert await answer({"command": "ls"}, "Bash(command:ls)") == "allow"  # primary fields have rules of their own


async def test_a_tools_own_matcher(tmp_path: Path) -> None:
    def prepare(input: dict[str, str]) -> object:
        return lambda pattern: input["subagent_type"] == pattern

    agent = make_tool("Agent", prepare_permission_matcher=prepare)
    call = {"subagent_type": "explorer"}
    assert (await ask_gate(agent, call, tmp_path, allow=["Task(explorer)"])).behavior == "allow"
    assert (await ask_gate(agent, call, tmp_path, allow=["Agent(writer)"])).behavior == "ask"


async def test_plain_text_of_a_tool_without_a_matcher(tmp_path: Path) -> None:
    skill = make_tool("Skill", primary_field="skill")
    for rule, expected in (("Skill(pdf)", "ask"), ("Skill(pdf *)", "allow"), ("Skill(pdf-tools *)", "ask")):
        assert (await ask_gate(skill, {"skill": "pdf merge"}, tmp_path, allow=[rule])).behavior == expected
