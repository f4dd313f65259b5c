"""Which tools there are, and in which order a model sees them."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core import ToolOptions, ToolPermissionContext
from jupyter_agenttools.registry import assemble_tool_pool, get_all_base_tools, get_tools
from tests.support.tools import echo_tool

DEFAULT = ToolPermissionContext()


def names(tools) -> list[str]:
    return [tool.name for tool in tools]


def denying(*rules: str) -> ToolPermissionContext:
    return ToolPermissionContext(always_deny_rules={"session": rules})


def test_base_tools_have_their_own_names_and_aliases() -> None:
    every = [name for tool in get_all_base_tools() for name in (tool.name, *tool.aliases)]
    assert len(set(every)) == len(every)


def test_built_ins_stay_one_sorted_prefix_whatever_joins() -> None:
    built_in = names(assemble_tool_pool(DEFAULT))
    assert built_in == sorted(built_in)
    mcp = [echo_tool("mcp__z__b"), echo_tool("mcp__a__b"), echo_tool("mcp__z__b")]
    pool = names(assemble_tool_pool(DEFAULT, mcp))
    assert pool == [*built_in, "mcp__a__b", "mcp__z__b"]


def test_a_built_in_name_wins() -> None:
    stranger = echo_tool("Bash")
    assert stranger not in assemble_tool_pool(DEFAULT, [stranger])


@pytest.mark.parametrize(("rule", "gone"), [("Bash", {"Bash", "Monitor"}), ("Bash(rm *)", set()), ("*", None)])
def test_what_is_denied_outright_is_not_shown(rule: str, gone: set[str] | None) -> None:
    left = set(names(get_tools(denying(rule))))
    usual = {tool.name for tool in get_all_base_tools() if tool.is_enabled(ToolOptions())}
    assert left == (set() if gone is None else usual - gone)


def test_a_rule_about_a_server_means_all_its_tools() -> None:
    mcp = [
        echo_tool("mcp__db__read", is_mcp=True, mcp_info={"serverName": "db", "toolName": "read"}),
        echo_tool("mcp__web__get", is_mcp=True, mcp_info={"serverName": "web", "toolName": "get"}),
    ]
    pool = names(assemble_tool_pool(denying("mcp__db"), mcp))
    assert "mcp__web__get" in pool and "mcp__db__read" not in pool


@pytest.mark.parametrize(("value", "simple"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_simple_mode_has_only_the_simplest(monkeypatch, value: str, simple: bool) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", value)
    assert (names(get_tools(DEFAULT)) == ["Bash", "Edit", "Read"]) is simple


def test_a_tool_can_veto_itself(monkeypatch) -> None:
    shy = echo_tool("Shy", is_enabled=lambda options: False)
    monkeypatch.setattr("jupyter_agenttools.registry.pool.get_all_base_tools", lambda: (shy,))
    assert get_tools(DEFAULT) == ()
