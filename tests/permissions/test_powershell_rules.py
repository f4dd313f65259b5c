"""Rules about PowerShell commands, read without PowerShell."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.permissions.powershell import powershell_coverage, powershell_fires, read_powershell
from jupyter_agenttools.permissions.rules import make_rule
from jupyter_agenttools.session import Session


def covered(command: str, *specifiers: str) -> bool:
    rules = tuple((text, make_rule(f"PowerShell({text})", "session", "allow")) for text in specifiers)
    return bool(powershell_coverage(command, rules)[0])


@pytest.mark.parametrize(
    "command",
    [
        "Remove-Item x",
        "remove-item x -Force",
        "rm x",
        "RM x",
        "del x; Get-Date",
        "Get-ChildItem | ri",
        "Get-Date && erase x",
        "Microsoft.PowerShell.Management\\Remove-Item x",
        "& Remove-Item x",
        "& 'Remove-Item' x",
        "&('Remove-Item') x",
        "Re`move-Item x",
        "if ($true) { rmdir x }",
        "Get-ChildItem | ForEach-Object { Remove-Item $_ }",
        "Get-ChildItem | % { ri $_ }",
        "iex 'rm x'",
        'Invoke-Expression "Remove-Item x"',
        "& ('Remove' + '-Item') x",
        "$x = Remove-Item x",
        "Start-Job { rm x }",
        "pwsh -c 'rm x'",
        "echo $(rm x)",
        'echo "$(rm x)"',
        "Get-Date\nrm x",
        "[void](rm x)",
        "Get-Date; # why\nrm x",
        "powershell -EncodedCommand cgBtACAAeAA=",
        "pwsh -NoProfile -enc 'cgBtACAAeAA='",
        "<# a #> Remove-Item x",
        "& \u2018Remove-Item\u2019 x",
        "rm.exe x",
        "env rm x",
        "sudo -u a rm x",
        "cmd /c 'del x'",
        "Get-ChildItem | Remove-Item",
        "wsl rm x",
    ],
)
def test_a_denied_program_is_found(command: str) -> None:
    assert powershell_fires("Remove-Item *", command)
    assert powershell_fires("rm:*", command)


@pytest.mark.parametrize("command", ["Get-Item rm", "echo 'rm x'", "git rm x", "Get-Content remove-item.txt", ""])
def test_a_denied_program_is_not_seen_where_it_is_not_run(command: str) -> None:
    assert not powershell_fires("Remove-Item x", command)


@pytest.mark.parametrize(
    "command",
    ["git status", "GIT status -s", "git.exe status", "git status; git status", "git status | Select-Object -First 3"],
)
def test_covered(command: str) -> None:
    assert covered(command, "git status *", "select *")


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git statusx",
        "./git status",
        "tools\\git status",
        "git status; rm x",
        "git status | rm",
        "git status > file",
        "git status $(rm x)",
        'git status "$(rm x)"',
        "git status `\nrm x",
        "git status & rm x",
        "git status {rm x}",
        "git status @args",
        "git status \u201c; rm x\u201d",
        "$x = git status",
        "git status 'a'b",
        "",
    ],
)
def test_not_covered(command: str) -> None:
    assert not covered(command, "git status *")


@pytest.mark.parametrize(
    "command",
    ["git push", "GIT -C . push", "git.exe --no-pager push", "git 'push'", "Start-Process git -ArgumentList push",
     "& git -c a=b push", "git.cmd push", "timeout 5 git push", "gi`t pu`sh x"],
)  # fmt: skip
def test_a_denied_sub_command_is_found(command: str) -> None:
    assert powershell_fires("git push *", command)
    assert not powershell_fires("git push *", command.replace("push", "pull").replace("pu`sh", "pull"))


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git branch -d *", "git branch -D x"),
        ("sudo *", "sudo rm x"),
        ("env *", "env rm x"),
        ("find *", "find . -delete"),
        ("git *", "git -c core.pager=x log"),
        ("Set-Item *", "Set-Item alias:git rm"),
        ("Import-Module *", "ipmo ./x.psm1"),
        ("cmd *", "cmd /c del x"),
        ("npm *", "./npm.cmd test"),
    ],
)
def test_not_smuggled_below_an_allow_rule(rule: str, command: str) -> None:
    assert not covered(command, rule)


def test_words_of_cmdlets_are_compared_in_any_case() -> None:
    assert covered("get-childitem -RECURSE src", "Get-ChildItem -Recurse *")
    assert covered("git branch -d x", "git branch -d *")


def test_what_runs_text_has_to_be_spelt_out() -> None:
    assert not covered("iex 'git status'", "Invoke-Expression *")
    assert not covered("pwsh -c x", "pwsh *")
    script = "foreach ($f in 1..3) { git status }"
    assert covered(script, script) and not covered(script + "; rm x", script)


@given(st.text(max_size=60), st.sampled_from(["git status", "Get-Date"]))
def test_a_tail_of_any_kind_is_read_or_not_covered(tail: str, head: str) -> None:
    command = f"{head} {tail}"
    parsed = read_powershell(command)
    if covered(command, "git status *", "get-date *"):
        assert parsed.is_simple and not set("$(){}@&<>`") & set(tail.replace("&&", ""))
    powershell_fires("rm *", command)


@pytest.mark.anyio
async def test_in_a_session_without_powershell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    session = Session(tmp_path, settings={"permissions": {"allow": ["PowerShell"]}}, session_dir=tmp_path / "s")
    assert "PowerShell" not in [tool.name for tool in session.tools]
    outcome = await session.call("PowerShell", {"command": "Get-Date"})
    assert outcome.status == "error" and "not installed" in outcome.block.text


@pytest.mark.anyio
async def test_decisions_in_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pwsh").write_text("#!/bin/sh\nexit 9\n")
    (tmp_path / "pwsh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    rules = {"allow": ["PowerShell(Get-Date *)"], "deny": ["PowerShell(Remove-Item *)", "Read(*.key)"]}
    session = Session(tmp_path, settings={"permissions": rules}, session_dir=tmp_path / "s")
    assert "PowerShell" in [tool.name for tool in session.tools]
    for command, behavior in {
        "get-date": "allow",
        "Get-Date; rm x": "deny",
        "Get-Date; $x": "ask",
        "Get-Process": "ask",
        "cat a.key": "deny",
    }.items():
        asked = Session(tmp_path, settings={"permissions": rules}, prompter=lambda request: False)
        decision = await asked.decide("PowerShell", {"command": command})
        assert decision.behavior == behavior, command
    ran = await session.call("PowerShell", {"command": "Get-Date"})
    assert ran.output.exit_code == 9
