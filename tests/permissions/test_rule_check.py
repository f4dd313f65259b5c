"""Rules that have no effect are pointed out, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.permissions.rule_check import Finding
from jupyter_agenttools.session.policy import check_policy

NAMES = {"deny", "ask", "allow"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (tmp_path / "else").mkdir()
    (folder / "link").symlink_to(tmp_path / "else")
    return folder


def findings(project: Path, **permissions: Any) -> dict[str, Finding]:
    """What a check says, but for which rules are broad."""
    found = check_policy(Session(cwd=project, settings={"permissions": permissions}))
    return {f"{each.placed.rule.behavior} {each.placed.rule.text}": each for each in found if each.kind != "broad"}


def only(project: Path, behavior: str, rule: str) -> Finding | None:
    return findings(project, **{behavior: [rule]}).get(f"{behavior} {rule}")


@pytest.mark.parametrize("behavior", sorted(NAMES))
@pytest.mark.parametrize(
    ("rule", "hint"), [("Raed", "Read"), ("bash", "Bash"), ("Bsah(rm *)", "Bash"), ("WebSerch", "WebSearch")]
)
def test_a_tool_that_does_not_exist(behavior: str, rule: str, hint: str, project: Path) -> None:
    found = only(project, behavior, rule)
    assert found is not None and found.kind == "unknown-tool" and f"did you mean {hint}?" in found.text


@pytest.mark.parametrize(
    ("behavior", "rule", "kind", "said"),
    [
        ("allow", "Write(src/**)", "ignored", "Edit(src/**)"),
        ("allow", "NotebookEdit(a.ipynb)", "ignored", "Edit(a.ipynb)"),
        ("allow", "Grep(src/**)", "ignored", "Read(src/**)"),
        ("deny", "Bash(command:rm *)", "never-matches", "Bash(rm *)"),
        ("ask", "Edit(file_path:*.py)", "never-matches", "Edit(*.py)"),
        ("allow", "Bash(run_in_background:true)", "never-matches", "deny and ask only"),
        ("ask", "Config(seting:x)", "never-matches", "did you mean setting?"),
        ("deny", "WebFetch(example.org)", "never-matches", "domain:example.org"),
        ("allow", "WebSearch(cats)", "never-matches", "write WebSearch"),
        ("allow", "mcp__db__query(x)", "never-matches", "write mcp__db__query"),
        ("allow", "Bash(timeout *)", "never-matches", "taken off"),
        ("allow", "Bash(xargs rm *)", "never-matches", "taken off"),
        ("allow", "Bash(sudo *)", "never-matches", "runs another program"),
        ("allow", "Bash(watch ls *)", "never-matches", "runs another program"),
        ("allow", "Bash(cd x && npm *)", "never-matches", "each of them"),
        ("deny", "Bash(git:* push)", "never-matches", "at the very end"),
        ("deny", "Nope*", "unknown-tool", "Nope*"),
        ("allow", "Edit(/etc/hosts)", "no-such-path", "Edit(//etc/hosts)"),
        ("deny", "Read(/etc/**)", "no-such-path", "Read(//etc/**)"),
        ("allow", "Edit(missing/**)", "no-such-path", "missing"),
        ("allow", "Read(~/missing/x)", "no-such-path", "missing"),
        ("allow", "Edit(link/**)", "no-such-path", "else"),
    ],
)
def test_what_has_no_effect(behavior: str, rule: str, kind: str, said: str, project: Path) -> None:
    found = only(project, behavior, rule)
    assert found is not None and (found.kind, said in found.text) == (kind, True)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (("deny", "Bash"), ("allow", "Bash(git *)")),
        (("deny", "Bash(git *)"), ("allow", "Bash(git push *)")),
        (("deny", "Bash(git *)"), ("ask", "Bash(git)")),
        (("deny", "Bash(*push*)"), ("allow", "Bash(git push origin)")),
        (("ask", "Bash(git:*)"), ("allow", "Bash(git status)")),
        (("allow", "Bash"), ("allow", "Bash(ls *)")),
        (("allow", "Bash(git *)"), ("allow", "Bash(git status)")),
        (("deny", "Bash(rm *)"), ("deny", "Bash(rm -rf *)")),
        (("deny", "Edit"), ("allow", "Edit(src/**)")),
        (("deny", "Edit(src/**)"), ("allow", "Edit(src/*.py)")),
        (("deny", "Read(src/**)"), ("allow", "Edit(src/a.py)")),
        (("deny", "Read(//**)"), ("allow", "Read(~/x)")),
        (("deny", "Read(.env*)"), ("ask", "Read(.env)")),
        (("deny", "Read(**/*.pem)"), ("allow", "Read(./key.pem)")),
        (("deny", "*"), ("allow", "Bash(ls)")),
        (("deny", "mcp__*"), ("allow", "mcp__db__query")),
        (("deny", "mcp__db"), ("allow", "mcp__db__*")),
        (("allow", "mcp__db__*"), ("allow", "mcp__db__query")),
        (("deny", "WebFetch(domain:*.example.org)"), ("allow", "WebFetch(domain:a.example.org)")),
        (("deny", "WebFetch"), ("allow", "WebFetch(domain:a.org)")),
        (("deny", "Agent"), ("allow", "Task(reviewer)")),
        (("deny", "Skill(db *)"), ("allow", "Skill(db drop)")),
        (("deny", "Read"), ("allow", "Grep")),
    ],
)
def test_a_rule_in_the_shadow_of_another(wide: Any, narrow: Any, project: Path) -> None:
    rules: dict[str, list[str]] = {}
    for behavior, rule in (narrow, wide):
        rules.setdefault(behavior, []).append(rule)
    found = findings(project, **rules)
    assert set(found) == {" ".join(narrow)}
    finding = found[" ".join(narrow)]
    assert finding.kind == "shadowed" and finding.by is not None
    assert (finding.by.rule.behavior, finding.by.rule.text) == wide


@pytest.mark.parametrize(
    "permissions",
    [
        {"allow": ["Bash(git *)"], "deny": ["Bash(git push *)"], "ask": ["Bash(git commit *)"]},
        {"allow": ["Bash(gitk *)"], "deny": ["Bash(git *)"]},
        {"allow": ["Bash(ls *)"], "deny": ["Bash(ls)"]},
        {"allow": ["Bash(find *)", r"Bash(find . -exec ls {} \\;)", "Bash(find . -delete)"]},
        {"allow": ["Bash(timeout 5 ls)", "Bash(npm run test:*)", "Bash(a && b)", "Bash(sudo id)"]},
        {"allow": ["Read(//usr/**)", "Read(~/**)", "Edit(src/*.txt)", "Edit(*.py)", "Edit(src/new.md)"]},
        {"allow": ["Edit(src/**)"], "deny": ["Edit(src/*.lock)", "Edit(**/*.pem)"], "ask": ["Edit(src/a.py)"]},
        {"allow": ["Read(a.py)"], "deny": ["Edit(a.py)"]},
        {"allow": ["Edit(src/**)"], "deny": ["Write"]},
        {"deny": ["Read(.env)", "Read(.env.*)", "Read(./secrets/**)", "Read(~/.ssh/**)", "Edit(//etc/**)"]},
        {"deny": ["Agent(model:opus)", "Bash(run_in_background:true)", "mcp__db__query(limit:0)", "Agent(x)"]},
        {
            "allow": ["mcp__db", "mcp__web__*", "Skill(a *)", "Agent(reviewer)", "Cd(src)"],
            "deny": ["mcp__*__delete", "*__x"],
        },
        {"allow": ["WebFetch(domain:example.org)"], "deny": ["WebFetch(domain:*.example.org)"]},
        {"ask": ["Bash"], "deny": ["Bash(rm *)"]},
        {"allow": ["Bash"], "ask": ["Bash(git push *)"]},
        {"allow": ["Task", "LSP", "REPL", "KillShell", "TodoWrite"]},
    ],
)
def test_nothing_is_said_of_rules_that_may_have_an_effect(permissions: Any, project: Path) -> None:
    assert findings(project, **permissions) == {}


def test_the_same_rule_in_two_places_is_no_fault(project: Path, tmp_path: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"allow": ["Bash(ls *)"]}})
    session.modify_state(
        lambda state: type(state)(
            state.permission.with_rule("allow", "userSettings", "Bash(ls *)"), state.cwd, state.shell_env
        )
    )
    assert check_policy(session) == ()


def test_a_link_whose_place_has_a_rule_of_its_own(project: Path, tmp_path: Path) -> None:
    assert findings(project, allow=["Edit(link/**)", f"Edit(/{tmp_path / 'else'}/**)"]) == {}
