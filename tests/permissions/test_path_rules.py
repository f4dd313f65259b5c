"""Rules about paths: anchors, wildcards, links, and how reading and editing rules reach each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.core import ToolPermissionContext
from jupyter_agenttools.core.errors import RuleSyntaxError
from jupyter_agenttools.permissions import matching_rule_for_path, parse_rule, path_filter
from jupyter_agenttools.permissions.paths import compile_path_pattern, escape_path, path_forms
from tests.support.gate import GREP, READ, WRITE, ask_gate, permission_of

pytestmark = pytest.mark.anyio
CWD, SOURCE = "/work-x/proj", "/work-x/settings"


def allows(specifier: str, path: str) -> bool:
    return compile_path_pattern(specifier, "allow").matches(path_forms(path, CWD), source_root=SOURCE, cwd=CWD)


def denies(specifier: str, path: str) -> bool:
    return compile_path_pattern(specifier, "deny").matches(path_forms(path, CWD), source_root=SOURCE, cwd=CWD)


@pytest.mark.parametrize(
    ("specifier", "inside", "outside"),
    [
        ("//opt-x/**", ["/opt-x/a", "/opt-x/a/b"], ["/opt-xy/a", f"{CWD}/opt-x/a"]),
        ("//opt-x/*.md", ["/opt-x/a.md"], ["/opt-x/b/a.md", "/opt-x/a.mdx"]),
        ("/src/**", [f"{SOURCE}/src/a/b.py"], [f"{CWD}/src/a", f"{SOURCE}/a/src/b"]),
        ("/notes.txt", [f"{SOURCE}/notes.txt"], [f"{SOURCE}/a/notes.txt"]),
        ("./src/*.py", [f"{CWD}/src/a.py"], [f"{CWD}/src/b/a.py", f"{CWD}/x/src/a.py"]),
        ("src/*.py", [f"{CWD}/src/a.py", "src/a.py"], [f"{CWD}/x/src/a.py"]),
        ("src/**/test_?.py", [f"{CWD}/src/test_a.py", f"{CWD}/src/b/c/test_a.py"], [f"{CWD}/src/test_ab.py"]),
        ("src/**", [f"{CWD}/src/a", f"{CWD}/src/b/c"], [f"{CWD}/x/src/a", f"{CWD}/srcx/a"]),
        ("*.py", [f"{CWD}/a.py", f"{CWD}/b/c.py"], [f"{CWD}/a.pyc", "/other-x/a.py"]),
        ("docs", [f"{CWD}/docs", f"{CWD}/docs/a", f"{CWD}/b/docs/c"], [f"{CWD}/docs2"]),
        ("**/x.txt", [f"{CWD}/x.txt", f"{CWD}/a/b/x.txt"], [f"{CWD}/ax.txt"]),
        ("**", [f"{CWD}/a/b"], ["/other-x/a"]),
        ("./**", [f"{CWD}/a/b", CWD], ["/other-x/a", "/work-x/a"]),
        (".", [CWD, f"{CWD}/a"], ["/work-x"]),
        ("../lib/**", ["/work-x/lib/a"], [f"{CWD}/lib/a"]),
        ("[ab].txt", [f"{CWD}/a.txt"], [f"{CWD}/c.txt", f"{CWD}/[ab].txt"]),
        ("[!ab].txt", [f"{CWD}/c.txt"], [f"{CWD}/a.txt"]),
        (r"a\*b\ c.txt", [f"{CWD}/a*b c.txt"], [f"{CWD}/axb c.txt"]),
        ("a.b", [f"{CWD}/a.b"], [f"{CWD}/axb"]),
    ],
)
def test_anchors_and_wildcards(specifier: str, inside: list[str], outside: list[str]) -> None:
    assert [path for path in inside if not allows(specifier, path)] == []
    assert [path for path in outside if allows(specifier, path)] == []


@pytest.mark.parametrize(
    ("specifier", "hit"),
    [
        (".env", [f"{CWD}/.env", f"{CWD}/a/.env", "/other-x/.env", f"{CWD}/.env/x"]),
        ("**/.env", [f"{CWD}/.env", "/other-x/b/.env"]),
        ("secrets/**", [f"{CWD}/secrets/a", f"{CWD}/b/secrets/a", f"{CWD}/secrets", "/other-x/secrets/k"]),
        ("//etc/**", ["/etc/passwd", "/etc", "/etc/a\nb/c"]),
        ("./a/**", [f"{CWD}/a", f"{CWD}/a/../a/b"]),
        (".env", [f"{CWD}/a\nb/.env"]),
    ],
)
def test_deny_rules_reach_further(specifier: str, hit: list[str]) -> None:
    assert [path for path in hit if not denies(specifier, path)] == []


def test_a_deny_rule_keeps_to_its_names() -> None:
    assert not denies(".env", f"{CWD}/.envrc")
    assert not denies("./secrets/**", f"{CWD}/b/secrets/a")
    assert not denies("a/b/**", f"{CWD}/x/a/b/c")


def test_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home-x/me")
    assert denies("~/notes/*.md", "/home-x/me/notes/a.md")
    assert denies("~", "/home-x/me/.bashrc")
    assert not denies("~/notes/*.md", "/home-x/you/notes/a.md")


@pytest.mark.parametrize("specifier", ["!x", "a/../b", "[b-a]", "[[:alpha:]]x"])
def test_patterns_without_a_clear_meaning_are_refused(specifier: str) -> None:
    with pytest.raises(RuleSyntaxError):
        compile_path_pattern(specifier, "deny")


@pytest.mark.parametrize("path", ["/a b/c", "/a*b/[c]", "/x#!y", "/back\\slash", "/trailing "])
def test_an_escaped_path_means_itself(path: str) -> None:
    assert allows(escape_path(path), path)
    assert not allows(escape_path(path), path + "x")


class TestLinks:
    async def test_deny_wins_on_either_way_to_write_a_path(self, tmp_path: Path) -> None:
        (tmp_path / "x").mkdir()
        (tmp_path / "p").symlink_to("/etc/passwd")
        rules = {"deny": ["Read(//etc/**)"], "allow": ["Read(./**)"]}
        for path in ("p", "x/../p"):
            decision = await ask_gate(READ, {"file_path": f"{tmp_path}/{path}"}, tmp_path, **rules)
            assert decision.behavior == "deny"
            assert decision.rule == "Read(//etc/**)"

    async def test_a_deny_rule_on_the_link_itself(self, tmp_path: Path) -> None:
        (tmp_path / "real.txt").write_text("")
        (tmp_path / "link.txt").symlink_to("real.txt")
        decision = await ask_gate(READ, {"file_path": f"{tmp_path}/link.txt"}, tmp_path, deny=["Read(link.txt)"])
        assert decision.behavior == "deny"

    async def test_allow_needs_both(self, tmp_path: Path) -> None:
        (tmp_path / "p").symlink_to("/etc/passwd")
        decision = await ask_gate(READ, {"file_path": f"{tmp_path}/p"}, tmp_path, allow=["Read(./**)"])
        assert decision.behavior == "ask"

    async def test_a_linked_working_directory(self, tmp_path: Path) -> None:
        real, alias = tmp_path / "real", tmp_path / "alias"
        real.mkdir()
        alias.symlink_to(real)
        for rules in ({"allow": ["Edit(./a.txt)"]}, {"allow": ["Edit(/a.txt)"]}):
            assert (await ask_gate(WRITE, {"file_path": f"{alias}/a.txt"}, alias, **rules)).behavior == "allow"
        denied = await ask_gate(WRITE, {"file_path": f"{real}/a.txt"}, alias, deny=["Edit(./a.txt)"])
        assert denied.behavior == "deny"


class TestFamilies:
    async def test_edit_rules_cover_every_editor(self, tmp_path: Path) -> None:
        call = {"file_path": f"{tmp_path}/a.py"}
        assert (await ask_gate(WRITE, call, tmp_path, allow=["Edit(*.py)"])).behavior == "allow"
        assert (await ask_gate(WRITE, call, tmp_path, deny=["Edit(*.py)"])).behavior == "deny"
        assert (await ask_gate(WRITE, call, tmp_path, allow=["Edit"])).behavior == "allow"

    async def test_read_deny_covers_searches_and_blocks_edits(self, tmp_path: Path) -> None:
        (tmp_path / "secrets").mkdir()
        rules = {"deny": ["Read(secrets/**)"]}
        assert (await ask_gate(GREP, {"path": f"{tmp_path}/secrets"}, tmp_path, **rules)).behavior == "deny"
        assert (await ask_gate(GREP, {}, tmp_path, **rules)).behavior == "allow"
        edit = {"file_path": f"{tmp_path}/secrets/a"}
        assert (await ask_gate(WRITE, edit, tmp_path, allow=["Edit"], **rules)).behavior == "deny"

    async def test_edit_allow_implies_read(self, tmp_path: Path) -> None:
        other = tmp_path / "other"
        call = {"file_path": str(other / "a")}
        inside = tmp_path / "proj"
        inside.mkdir()
        assert (await ask_gate(READ, call, inside)).behavior == "ask"
        assert (await ask_gate(READ, call, inside, allow=[f"Edit(/{other}/**)"])).behavior == "allow"
        assert (await ask_gate(WRITE, call, inside, allow=[f"Read(/{other}/**)"])).behavior == "ask"

    async def test_an_allow_path_for_write_has_no_effect_but_a_deny_holds(self, tmp_path: Path) -> None:
        call = {"file_path": f"{tmp_path}/a"}
        assert (await ask_gate(WRITE, call, tmp_path, allow=["Write(a)"])).behavior == "ask"
        assert (await ask_gate(WRITE, call, tmp_path, allow=["Edit"], deny=["Write(a)"])).behavior == "deny"


class TestLookup:
    def permission(self, cwd: Path) -> ToolPermissionContext:
        return permission_of(cwd, deny=["Read(.env)"], ask=["Read(*.key)"], allow=["Edit(src/**)"])

    def test_the_rule_is_named(self, tmp_path: Path) -> None:
        permission = self.permission(tmp_path)

        def find(path: str, access: str, behavior: str) -> str | None:
            return matching_rule_for_path(
                path, permission, cwd=str(tmp_path), access=access, behavior=behavior  # type: ignore[arg-type]
            )  # fmt: skip

        assert find("a/.env", "read", "deny") == "Read(.env) [session]"
        assert find("a/.env", "edit", "deny") == "Read(.env) [session]"
        assert find("src/a", "read", "allow") == "Edit(src/**) [session]"
        assert find("src/a", "edit", "allow") == "Edit(src/**) [session]"
        assert find("a/b", "read", "deny") is None

    def test_the_filter_keeps_guarded_paths_out_of_searches(self, tmp_path: Path) -> None:
        is_kept = path_filter(self.permission(tmp_path), cwd=str(tmp_path))
        assert is_kept is not None
        assert [p for p in ("a.txt", "b/.env", "c/d.key") if not is_kept(p)] == ["a.txt"]
        assert path_filter(permission_of(tmp_path), cwd=str(tmp_path)) is None


async def test_suggestions_for_paths_allow_the_call(tmp_path: Path) -> None:
    project = tmp_path / "proj"
    project.mkdir()
    for name in ("a b.txt", "we[ir]d*.txt", "#!(x)\\.txt"):
        call = {"file_path": str(tmp_path / name)}
        asked = await ask_gate(WRITE, call, project)
        (rule,) = asked.suggestions
        assert parse_rule(rule).tool_name == "Edit"
        assert (await ask_gate(WRITE, call, project, allow=[rule])).behavior == "allow"
        other = {"file_path": str(tmp_path / "other.txt")}
        assert (await ask_gate(WRITE, other, project, allow=[rule])).behavior == "ask"
