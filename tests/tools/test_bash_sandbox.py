"""The sandbox for commands: what can be done in it, who is asked, and what happens where there is none."""

from __future__ import annotations

import os
import shutil
import socketserver
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools.core.outcome import Outcome
from jupyter_agenttools.core.prompting import PermissionRequest
from jupyter_agenttools.core.sandboxing import SandboxSettings
from jupyter_agenttools.session import Session
from jupyter_agenttools.settings import load_settings
from jupyter_agenttools.shell import Protection, SandboxProfile, SandboxSupport, open_sandbox, sandboxed_environment
from jupyter_agenttools.shell.environment import looks_secret
from jupyter_agenttools.shell.sandbox_probe import probe
from jupyter_agenttools.tools.bash import sandboxing
from tests.support.sandbox import needs_sandbox
from tests.support.shell import Mark, contents

pytestmark = pytest.mark.anyio

ON: Mapping[str, Any] = {"sandbox": {"mode": "auto", "autoAllowBashIfSandboxed": True}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for words in (["init", "-q"], ["config", "user.email", "a@example.org"], ["config", "user.name", "A"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


class Asked:
    """A session whose questions are all answered with yes, and kept."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.requests: list[PermissionRequest] = []
        self.session = Session(folder, settings=settings, prompter=self._yes, session_dir=folder.parent / "session")

    def _yes(self, request: PermissionRequest) -> bool:
        self.requests.append(request)
        return True

    async def __call__(self, command: str, **fields: Any) -> Outcome:
        return await self.session.call("Bash", {"command": command, **fields})


def contents_below(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@needs_sandbox
async def test_work_in_the_project_goes_on_and_nobody_is_asked(project: Path) -> None:
    bash = Asked(project, ON)
    made = await bash("mkdir sub && echo text > sub/file && mv sub/file sub/other && cat sub/other")
    assert made.status == "ok" and made.block.text == "text"
    assert made.output.sandbox == "sandbox" and made.output.transport == "pipes"
    assert bash.requests == []
    assert (project / "sub" / "other").read_text() == "text\n"
    assert sorted(os.listdir(project)) == [".git", "sub"]  # nothing of the sandbox is left behind


@needs_sandbox
async def test_what_a_command_changed_in_the_sandbox_can_be_undone(project: Path) -> None:
    (project / "file").write_text("old")
    bash = Asked(project, ON)
    assert (await bash("echo new > file")).status == "ok"
    await bash.session.undo()
    assert (project / "file").read_text() == "old"


@needs_sandbox
@pytest.mark.parametrize(
    "command",
    [
        "touch /usr/here",
        'touch "$HOME/here"',
        "echo '[core]' >> .git/config",
        "echo x > .git/hooks/pre-commit",
        "mv .git moved",
        "mkdir .claude",
        "mkdir -p .vscode && echo x > .vscode/tasks.json",
        "echo x > .envrc",
        "echo x > .mcp.json",
        "echo x > deep/.vscode/settings.json",
        "mount -o remount,rw /",
        "umount .git",
        "unshare -Ur true",
    ],
)
async def test_what_cannot_be_done_inside(project: Path, command: str) -> None:
    (project / "deep" / ".vscode").mkdir(parents=True)
    before = contents_below(project)
    outcome = await Asked(project, ON)(command)
    assert outcome.status == "error" and outcome.output.sandbox == "sandbox"
    assert contents_below(project) == before


@needs_sandbox
async def test_what_git_itself_may_write_is_put_before_a_person(project: Path) -> None:
    before = contents_below(project)
    refusing = Session(project, settings=ON, prompter=lambda request: False, session_dir=project.parent / "refusing")
    outcome = await refusing.call("Bash", {"command": "rm -rf .git/objects"})
    assert outcome.status == "denied" and contents_below(project) == before


@needs_sandbox
async def test_a_person_can_approve_a_commit_and_hooks_stay_out_of_reach(project: Path) -> None:
    bash = Asked(project, {"sandbox": {"enabled": True}})
    made = await bash("echo x > f && git add f && git commit -qm one && git log --format=%s && echo x > .git/commondir")
    assert made.block.text == "one"
    assert made.output.sandbox == "sandbox" and made.output.transport == "pty"
    assert len(bash.requests) == 1
    assert [badge.text for badge in bash.requests[0].view.badges] == ["sandbox"]
    assert not (project / ".git" / "commondir").exists()  # by which a repository would take hooks from elsewhere
    assert (await bash("echo x > .git/hooks/post-commit")).status == "error"


@needs_sandbox
async def test_secrets_cannot_be_seen(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project / "home"
    for name in (".ssh/id", ".netrc", ".config/gh/hosts", "plain", "vault/entry"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("planted-word")
    (project / "deny.key").write_text("planted-word")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SERVICE_API_KEY", "planted-word")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/planted-word")
    sandbox = {**ON["sandbox"], "filesystem": {"denyRead": ["~/vault"]}}
    bash = Asked(project, {"sandbox": sandbox, "permissions": {"deny": ["Read(*.key)"]}})
    (project / "look.sh").write_text("env | grep -c planted; grep -rls planted-wor[d] .; ls -a")
    found = await bash("sh look.sh")
    assert bash.requests == [] and found.output.sandbox == "sandbox"
    count, *names = found.output.stdout.split()
    assert count == "0" and "deny.key" in names
    assert [name for name in names if name.startswith("./")] == ["./home/plain"]
    assert (await bash("cat ./*.k*")).status == "denied"


@needs_sandbox
async def test_files_outside_of_the_private_temporary_folder_and_the_network_are_not_there(project: Path) -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        reach = f"exec 3<>/dev/tcp/127.0.0.1/{server.server_address[1]}"
        assert (await Asked(project, ON)(reach)).status == "error"
        opened = {"sandbox": {**ON["sandbox"], "network": {"enabled": True}}}
        assert (await Asked(project, opened)(reach)).status == "ok"
    listed = await Asked(project, ON)("ls -A /run; touch /tmp/mine && ls /tmp/mine; ls /proc | grep -c '^[0-9]'")
    lines = listed.output.stdout.split()
    assert lines[0] == "/tmp/mine" and int(lines[1]) < 10
    assert contents("/tmp/mine") is None
    await Asked(project, ON)("echo x > ../outside")
    assert contents(project.parent / "outside") is None


@needs_sandbox
async def test_a_deny_rule_about_editing_holds_inside(project: Path) -> None:
    (project / "fixed.txt").write_text("old")
    settings = {**ON, "permissions": {"deny": ["Edit(fixed.txt)"]}}
    outcome = await Asked(project, settings)("name=fixed; echo new > $name.txt")
    assert outcome.status != "ok" and (project / "fixed.txt").read_text() == "old"


@needs_sandbox
async def test_deny_and_ask_rules_and_plan_mode_come_first(project: Path) -> None:
    rules = {"deny": ["Bash(rm *)"], "ask": ["Bash(mv *)"]}
    bash = Asked(project, {**ON, "permissions": rules})
    assert (await bash("rm -f x")).status == "denied"
    await bash("echo > a; mv a b")
    assert len(bash.requests) == 1
    planning = Asked(project, {**ON, "permissions": {"defaultMode": "plan"}})
    assert (await planning("touch x")).status == "denied"


@needs_sandbox
async def test_a_rule_that_asks_about_paths_asks(project: Path) -> None:
    bash = Asked(project, {**ON, "permissions": {"ask": ["Edit(config/**)"]}})
    await bash("x=config; touch $x")
    assert len(bash.requests) == 1


@needs_sandbox
async def test_nothing_is_exported_into_or_out_of_a_command_that_nobody_approved(project: Path) -> None:
    bash = Asked(project, ON)
    await bash("cd .. && export LEFT=1 && cd project && mkdir inner && cd inner")
    assert "LEFT" not in bash.session.state.shell_env
    assert bash.session.cwd == str(project / "inner")
    await bash("export KEPT=1", dangerouslyDisableSandbox=True)
    assert bash.session.state.shell_env["KEPT"] == "1"
    assert (await bash("echo [$KEPT]; true")).block.text == "[]"


@needs_sandbox
async def test_leaving_the_sandbox_always_asks(project: Path) -> None:
    settings = {**ON, "permissions": {"allow": ["Bash(*)"]}}
    bash = Asked(project, settings)
    outside = await bash("touch ../outside", dangerouslyDisableSandbox=True)
    assert outside.status == "ok" and outside.output.sandbox == "outside"
    assert len(bash.requests) == 1
    card = bash.requests[0]
    assert "outside the sandbox" in [badge.text for badge in card.view.badges]
    assert card.decision.trace[-1].outcome != "allow" and "sandbox" in card.decision.reason
    fixed = Asked(project, {"sandbox": {"enabled": True, "allowUnsandboxedCommands": False}})
    refused = await fixed("true", dangerouslyDisableSandbox=True)
    assert refused.status == "error" and "dangerouslyDisableSandbox" in refused.block.text


@needs_sandbox
async def test_git_reads_in_the_sandbox_with_the_same_care(project: Path) -> None:
    trap = project / "trap"
    trap.write_text("#!/bin/sh\ntouch ran\n")
    trap.chmod(0o755)
    await anyio.run_process(["git", "config", "core.fsmonitor", str(trap)], cwd=project)
    bash = Asked(project, ON)
    status = await bash("git status --short")
    assert status.status == "ok" and status.block.text.split() == ["??", "trap"]
    assert bash.requests == [] and not (project / "ran").exists() and status.output.sandbox == "sandbox"


@needs_sandbox
async def test_what_is_not_understood_asks_in_the_sandbox_too(project: Path) -> None:
    bash = Asked(project, ON)
    assert (await bash("touch 'open")).status == "error"
    assert len(bash.requests) == 1 and "checkSandboxAutoAllow" in [s.check for s in bash.requests[0].decision.trace]
    assert [badge.text for badge in bash.requests[0].view.badges] == ["sandbox"]


@needs_sandbox
async def test_a_redirection_does_not_leave_the_sandbox_with_an_excluded_command(project: Path) -> None:
    bash = Asked(project, {"sandbox": {**ON["sandbox"], "excludedCommands": ["touch"]}})
    for command in ("touch a; > ../outside", "touch a > ../outside", "touch a; X=$(echo > ../outside)"):
        assert (await bash(command)).output.sandbox == "sandbox"
    assert contents(project.parent / "outside") is None


@needs_sandbox
async def test_excluded_commands_run_outside_and_ask(project: Path) -> None:
    bash = Asked(project, {"sandbox": {**ON["sandbox"], "excludedCommands": ["touch", "git fetch *"]}})
    assert (await bash("touch a")).output.sandbox == "outside"
    assert len(bash.requests) == 1
    for command in ("touch b; rm -f c", "touch $(echo b)", "git commit --allow-empty -m x; touch b"):
        assert (await bash(command)).output.sandbox == "sandbox"
    assert len(bash.requests) == 1


@needs_sandbox
async def test_nothing_of_a_sandboxed_command_stays_alive(project: Path) -> None:
    mark = Mark()
    bash = Asked(project, {**ON, "env": mark.env})
    late = await bash("echo begun; (setsid sleep 60 &) ; sleep 60", timeout=1_500)
    assert "begun" in late.block.text and late.output.timed_out_after_ms == 1_500
    assert mark.wait_until(some_alive=False, within_s=1.0)
    assert sorted(os.listdir(project)) == [".git"]
    assert (await bash("exit 3")).output.exit_code == 3
    assert (await bash("kill -9 $$")).output.exit_code == 137


@needs_sandbox
async def test_a_command_in_the_sandbox_can_end_itself_when_its_time_is_up(project: Path) -> None:
    bash = Asked(project, ON)
    late = await bash("trap 'echo cleaned > said; exit 5' TERM; while :; do sleep 0.05; done", timeout=600)
    assert late.output.timed_out_after_ms == 600
    assert contents(project / "said") == b"cleaned\n"


@needs_sandbox
async def test_a_link_in_place_of_a_protected_folder_is_no_way_in(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / ".vscode").symlink_to(tmp_path / "elsewhere")
    outcome = await Asked(project, ON)("touch x")
    assert outcome.status == "error" and "symbolic link" in outcome.block.text
    assert not (project / "x").exists()


@needs_sandbox
async def test_keys_in_the_home_folder_stay_hidden_where_that_is_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text("planted-word")
    (home / ".bashrc").write_text("# mine\n")
    monkeypatch.setenv("HOME", str(home))
    bash = Asked(home, ON)
    assert "planted" not in (await bash("x=.ssh/id; cat $x; echo done")).output.stdout
    assert (await bash("x=.bashrc; echo evil >> $x")).status == "error"
    assert contents(home / ".bashrc") == b"# mine\n" and contents(home / ".ssh" / "id") == b"planted-word"


@needs_sandbox
async def test_a_working_directory_that_is_not_there_inside_is_told(project: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    bash = Asked(project, ON)
    await bash("cd ../other", dangerouslyDisableSandbox=True)
    assert bash.session.cwd == str(tmp_path / "other")
    lost = await bash("touch x")
    assert lost.status == "error" and "could not be set up" in lost.block.text and "other" in lost.block.text


@needs_sandbox
async def test_a_job_in_the_background_is_in_the_sandbox_too(project: Path) -> None:
    bash = Asked(project, ON)
    started = await bash("touch /usr/here; echo out > made; echo end", run_in_background=True)
    task = started.output.background_task_id
    ended = await bash.session.call("TaskOutput", {"task_id": task, "block": True, "timeout": 20_000})
    assert "Read-only file system" in ended.block.text and "end" in ended.block.text
    assert contents(project / "made") == b"out\n"
    assert sorted(os.listdir(project)) == [".git", "made"]


def test_places_are_held_until_nobody_needs_them(tmp_path: Path) -> None:
    protection = Protection(frozenset({".vscode"}), (".vscode", ".claude"))
    profile = SandboxProfile((str(tmp_path),), protected=protection)
    there = SandboxSupport("/usr/bin/bwrap")
    first, second = ExitStack(), ExitStack()
    first.enter_context(open_sandbox(profile, "/", there))
    words = second.enter_context(open_sandbox(profile, "/", there))
    assert words.count("--remount-ro") >= 2  # what the first has put there is as good as absent
    first.close()
    assert sorted(os.listdir(tmp_path)) == [".claude", ".vscode"]
    (tmp_path / ".vscode" / "of-a-person").write_text("")
    second.close()
    assert os.listdir(tmp_path) == [".vscode"]


async def test_a_missing_sandbox_is_told_and_where_it_is_required_nothing_runs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxing, "sandbox_support", lambda: probe(str(project)))
    bash = Asked(project, ON)
    ran = await bash("touch x")
    assert ran.output.sandbox == "unavailable" and len(bash.requests) == 1
    assert "apt-get install bubblewrap" in ran.block.text
    strict = Asked(project, {"sandbox": {"enabled": True, "failIfUnavailable": True}})
    refused = await strict("touch y")
    assert refused.status == "error" and "apt-get install bubblewrap" in refused.block.text
    assert strict.requests == [] and not (project / "y").exists()
    assert (await strict("ls")).status == "error"  # not even what only reads


def test_a_bubblewrap_that_does_not_work_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    found = probe(str(tmp_path))
    assert found.program is None and "uid map: Permission denied" in found.problem and "AppArmor" in found.problem


def test_a_bubblewrap_that_is_installed_works() -> None:
    """Where the package is and user namespaces are allowed, the sandbox has to be there."""
    allowed = subprocess.run(["unshare", "-Ur", "true"], capture_output=True, check=False).returncode == 0
    if shutil.which("bwrap") and allowed:
        assert sandboxing.sandbox_support().program is not None


def test_variables_with_keys_stay_outside() -> None:
    secret = "OPENAI_API_KEY GITHUB_TOKEN AWS_SECRET_ACCESS_KEY DB_PASSWORD PGPASSWORD MY_CREDENTIALS X_AUTH".split()
    plain = "PATH HOME KEYBOARD MONKEY LANG VIRTUAL_ENV AUTHOR PYTHONPATH TOKENIZERS_PARALLELISM AWS_REGION".split()
    plain.append("GIT_CONFIG_KEY_3")
    assert [name for name in secret if not looks_secret(name)] == []
    assert [name for name in plain if looks_secret(name)] == []
    inside = sandboxed_environment(dict.fromkeys([*secret, *plain, "SSH_AUTH_SOCK"], "x"))
    assert set(plain) <= set(inside) and not set(secret) & set(inside) and "SSH_AUTH_SOCK" not in inside


def settings_of(folder: Path, sandbox: Mapping[str, Any]) -> SandboxSettings:
    return Session(folder, settings={"sandbox": sandbox}, session_dir=folder / "s").options.sandbox


def test_settings(tmp_path: Path) -> None:
    assert settings_of(tmp_path, {}) == SandboxSettings()
    assert settings_of(tmp_path, {"enabled": True}).mode == "auto"
    assert settings_of(tmp_path, {"enabled": True, "failIfUnavailable": True}).mode == "required"
    assert settings_of(tmp_path, {"enabled": True, "mode": "off"}).mode == "off"
    read = settings_of(tmp_path, {"filesystem": {"denyRead": ["keys", "~/x"], "allowWrite": ["/data"]}})
    assert read.deny_read == (str(tmp_path / "keys"), os.path.expanduser("~/x")) and read.allow_write == ("/data",)
    assert settings_of(tmp_path, {"network": {"allowedDomains": ["example.org"]}}).network is False
    assert settings_of(tmp_path, {"network": {"allowedDomains": ["*"]}}).network is True


@pytest.mark.parametrize("wrong", [{"enabeld": True}, {"mode": "on"}, {"network": {"enable": True}}, {"enabled": 1}])
def test_wrong_settings_are_refused(tmp_path: Path, wrong: Mapping[str, Any]) -> None:
    with pytest.raises(Exception, match="sandbox"):
        settings_of(tmp_path, wrong)


def test_a_project_that_nobody_trusts_makes_the_sandbox_only_stricter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    (home / ".claude").mkdir(parents=True)
    (work / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (home / ".claude/settings.json").write_text('{"sandbox": {"mode": "auto"}}')
    (work / ".claude/settings.json").write_text(
        '{"sandbox": {"mode": "off", "autoAllowBashIfSandboxed": true, "excludedCommands": ["*"],'
        ' "network": {"enabled": true}, "filesystem": {"denyRead": ["/k"], "allowWrite": ["/"]}}}'
    )
    loaded = load_settings(str(work))
    assert loaded.sandbox == SandboxSettings(mode="auto", deny_read=("/k",))
    assert any("widens the sandbox" in note for note in loaded.notes)


@needs_sandbox
async def test_a_command_that_prints_what_bubblewrap_might_say_is_told_as_it_was(project: Path) -> None:
    call = await Asked(project, ON)("touch made; echo 'bwrap: not really'; exit 1")
    assert (project / "made").exists()
    assert call.block.text == "Exit code 1\nbwrap: not really"
