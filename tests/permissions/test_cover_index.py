"""Among many rules those that cover another one are found without comparing all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.core.context import RuleBehavior, RuleSource
from jupyter_agenttools.core.errors import RuleSyntaxError
from jupyter_agenttools.permissions.cover_index import CoverIndex
from jupyter_agenttools.permissions.rule_cover import Ground, covers_rule
from jupyter_agenttools.permissions.rules import PermissionRule, make_rule
from jupyter_agenttools.session.policy import check_policy
from tests.support.gate import BASH, FETCH, GREP, PLAIN, READ, WRITE, make_tool

MCP = make_tool("mcp__db__query", rule_family="mcp", mcp_info={"serverName": "db", "toolName": "query"})
TOOLS = (BASH, FETCH, GREP, PLAIN, READ, WRITE, MCP)
GROUND = Ground(TOOLS, "/project", {"session": "/project", "userSettings": "/home/me/.claude"})

WORDS = ("git", "git *", "git:*", "* push", "git push:*", "*", "x*", "npm run *:dev", "sudo *", "git * origin")
PATHS = ("src/**", "/src/**", "./src/a.py", ".env", "**/*.pem", "//etc/**", "~/**", "//**", "*", "**", "sec/**", "../a",
         "[ab].txt", "src/*/x", "*.py", "a*b", "docs/**/x")  # fmt: skip
HOSTS = ("example.org", "*.example.org", "a.example.org", "*", "*.org", "a.*.org", "Example.ORG", "bücher.example")
WHOLE = ("mcp__db", "mcp__db__*", "mcp__db__query", "mcp__*", "mcp__a__b", "mcp__a__b__c", "Bash", "Read", "Grep",
         "*", "B*", "Web*", "Task", "Agent", "Nope", "Edit", "Write", "Gr*")  # fmt: skip

commands = st.tuples(st.sampled_from(("Bash", "PowerShell")), st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))
texts = st.one_of(
    commands.map(lambda made: f"{made[0]}({' '.join(made[1])})"),
    st.tuples(st.sampled_from(("Read", "Edit", "Grep")), st.sampled_from(PATHS)).map(
        lambda made: "{}({})".format(*made)
    ),
    st.sampled_from(HOSTS).map("WebFetch(domain:{})".format),
    st.sampled_from(WHOLE),
    st.sampled_from(("Agent(x)", "Task(x)", "Agent(*x)", "Agent(model:opus)", "Skill(a *)", "Skill(a b)", "Skill(a)")),
)


def rules_of(behavior: RuleBehavior) -> st.SearchStrategy[PermissionRule]:
    def made(text: str, source: RuleSource) -> PermissionRule:
        try:
            return make_rule(text, source, behavior)
        except RuleSyntaxError:  # a name with stars, which an allow rule may not have
            return make_rule("Bash", source, behavior)

    return st.builds(made, texts, st.sampled_from(("session", "userSettings")))


@given(st.data(), st.sampled_from(("deny", "ask", "allow")), st.sampled_from(("deny", "ask", "allow")))
def test_every_rule_that_covers_another_one_is_found(data: st.DataObject, wide: str, narrow: str) -> None:
    rules = data.draw(st.lists(rules_of(wide), min_size=1, max_size=12))
    index = CoverIndex(rules, GROUND)
    rule = data.draw(rules_of(narrow))
    found = index.candidates(rule)
    assert found == sorted(set(found))
    assert {at for at, other in enumerate(rules) if covers_rule(other, rule, GROUND)} <= set(found)


KINDS = {
    "commands": ("Bash(git sub{}:*)", "Bash(git *)"),
    "commands with the same beginning": ("Bash(git * x{})", "Bash(git * *)"),
    "paths": ("Edit(./part{}/a.txt)", "Edit(**)"),
    "hosts": ("WebFetch(domain:*.h{}.org)", "WebFetch(domain:*.org)"),
    "tools of servers": ("mcp__s{}__go", "mcp__*"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_few_of_many_rules_are_looked_at(kind: str) -> None:
    many, wide = KINDS[kind]
    rules = [make_rule(many.format(i), "session", "deny") for i in range(500)] + [make_rule(wide, "session", "deny")]
    index = CoverIndex(rules, GROUND)
    found = [index.candidates(rule) for rule in rules[:-1]]
    assert all(at in each and 500 in each for at, each in enumerate(found))
    assert sum(map(len, found)) < 4 * len(rules)


def test_a_check_of_many_rules_compares_few_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {
        "deny": [f"Bash(prog{i} *)" for i in range(200)] + [f"Read(./part{i}/secret)" for i in range(200)],
        "allow": [f"Bash(tool{i} *)" for i in range(200)] + ["Bash(prog7 x)", "Read(part9/secret)"],
    }
    (tmp_path / "part9").mkdir()
    compared = []

    def counted(wide: PermissionRule, narrow: PermissionRule, ground: Ground) -> bool:
        compared.append((wide, narrow))
        return covers_rule(wide, narrow, ground)

    monkeypatch.setattr("jupyter_agenttools.permissions.rule_check.covers_rule", counted)
    found = check_policy(Session(cwd=tmp_path, settings={"permissions": rules}))
    said = {finding.placed.rule.text: finding.by.rule.text for finding in found if finding.by is not None}
    assert said == {"Bash(prog7 x)": "Bash(prog7 *)", "Read(part9/secret)": "Read(./part9/secret)"}
    assert len(compared) < 3 * 602


def test_a_path_that_cannot_be_read_hides_nothing_from_the_others() -> None:
    rules = [PermissionRule("Read", "a/../b", "session", "deny"), make_rule("Read(src/**)", "session", "deny")]
    assert CoverIndex(rules, GROUND).candidates(make_rule("Read(src/a)", "session", "allow")) == [1]
