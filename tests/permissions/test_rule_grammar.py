"""The text of rules: what reads as what, and what is said about a rule that does not read."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.errors import RuleSyntaxError
from jupyter_agenttools.permissions import ParsedRule, format_rule, parse_rule
from jupyter_agenttools.permissions.names import name_matches
from jupyter_agenttools.permissions.patterns import compile_wildcard, escape_wildcards
from jupyter_agenttools.permissions.rules import make_rule
from tests.support.gate import make_tool


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("Bash", ParsedRule("Bash")),
        ("Bash(*)", ParsedRule("Bash")),
        ("  Read  ", ParsedRule("Read")),
        ("Bash(git log *)", ParsedRule("Bash", "git log *")),
        ("Bash(echo (a))", ParsedRule("Bash", "echo (a)")),
        (r"Bash(echo \(a\))", ParsedRule("Bash", "echo (a)")),
        (r"Bash(grep '\.py$' *)", ParsedRule("Bash", r"grep '\.py$' *")),
        (r"Bash(printf a\\)", ParsedRule("Bash", "printf a\\")),
        ("mcp__files__read", ParsedRule("mcp__files__read")),
        ("mcp__*", ParsedRule("mcp__*")),
        ("WebFetch(domain:example.org)", ParsedRule("WebFetch", "domain:example.org")),
        ("Read(//etc/**)", ParsedRule("Read", "//etc/**")),
    ],
)
def test_a_rule_reads_as(text: str, parsed: ParsedRule) -> None:
    assert parse_rule(text) == parsed


@pytest.mark.parametrize(
    ("text", "position"),
    [("", 1), ("(git)", 1), ("Bash (git)", 5), ("Bash(git", 5), (r"Bash(git\)", 5), ("Bash()", 5), ("Bash(  )", 5)],
)
def test_a_broken_rule_names_its_position(text: str, position: int) -> None:
    with pytest.raises(RuleSyntaxError, match=f"position {position}:"):
        parse_rule(text)


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(RuleSyntaxError, match="int"):
        parse_rule.__wrapped__(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["*", "mcp__*", "mcp__*__read", "Ba*"])
def test_allow_rules_name_their_tool(name: str) -> None:
    with pytest.raises(RuleSyntaxError):
        make_rule(name, "session", "allow")
    assert make_rule(name, "session", "deny").tool_name == name


def test_an_allow_glob_may_follow_a_literal_server() -> None:
    assert make_rule("mcp__files__*", "session", "allow").specifier is None


def test_format_escapes_what_parse_would_misread() -> None:
    assert format_rule(ParsedRule("Bash", r"echo (\)")) == r"Bash(echo \(\\\))"


class TestNames:
    @pytest.mark.parametrize("rule", ["mcp__files", "mcp__files__*", "mcp__files__read", "mcp__files__re*"])
    def test_a_server_rule_is_about_its_tools(self, rule: str) -> None:
        ours, other = make_tool("mcp__files__read"), make_tool("mcp__filesystem__read")
        assert name_matches(rule, ours, "allow")
        assert not name_matches(rule, other, "allow")

    def test_the_rights_of_one_server_do_not_reach_another_with_a_longer_name(self) -> None:
        info = {"serverName": "a__b", "toolName": "c"}
        tool = make_tool("mcp__a__b__c", is_mcp=True, mcp_info=info, rule_family="mcp")
        assert not name_matches("mcp__a", tool, "allow")
        assert name_matches("mcp__a", tool, "deny")
        assert name_matches("mcp__a__b", tool, "allow")

    def test_old_names_and_aliases(self) -> None:
        assert name_matches("Task", make_tool("Agent"), "allow")
        assert name_matches("KillShell", make_tool("TaskStop", aliases=("KillShell",)), "deny")

    def test_globs_deny_by_name(self) -> None:
        assert name_matches("*", make_tool("Anything"), "deny")
        assert not name_matches("mcp__*", make_tool("Anything"), "deny")


class TestWildcards:
    @pytest.mark.parametrize(
        ("pattern", "yes", "no"),
        [
            ("ls *", ["ls", "ls -la", "ls a b"], ["lsof", "ls-remote", "als"]),
            ("ls:*", ["ls", "ls -la"], ["lsof"]),
            ("ls*", ["ls", "lsof", "ls -la"], ["als"]),
            ("git * main", ["git push main", "git a b main"], ["git push main2", "git main"]),
            ("* --help", ["ls --help", "a b --help"], ["--help"]),
            ("grep * /etc/*", ["grep root /etc/passwd", "grep -r x /etc/ssh"], ["grep root ./a"]),
            ("a:b *", ["a:b", "a:b c"], ["a", "a b"]),
            (r"echo \*", ["echo *"], ["echo x", r"echo \*"]),
            (r"echo \\*", ["echo \\", "echo \\x"], ["echo *"]),
            (r"grep '\.py' x", [r"grep '\.py' x"], ["grep '.py' x"]),
        ],
    )
    def test_command_patterns(self, pattern: str, yes: list[str], no: list[str]) -> None:
        wildcard = compile_wildcard(pattern, word_boundary=True)
        assert [text for text in yes if not wildcard.matches(text)] == []
        assert [text for text in no if wildcard.matches(text)] == []

    @pytest.mark.parametrize("text", ["a*b", "a\\*", "a\\\\*b*", "x *", "git:*", "\\"])
    def test_escaped_text_matches_itself_alone(self, text: str) -> None:
        wildcard = compile_wildcard(escape_wildcards(text), word_boundary=True)
        assert wildcard.exact
        assert wildcard.matches(text)
        assert not wildcard.matches(text + "x")
