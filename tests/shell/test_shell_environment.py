"""Which variables a command gets, and that a repository cannot make hardened git run anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jupyter_agenttools.shell import approved_environment, hardened_environment, system_path
from tests.support.shell import Runner, contents

TRICKS = {
    "BASH_ENV": "/evil",
    "ENV": "/evil",
    "PS4": "$(evil)",
    "SHELLOPTS": "xtrace",
    "PROMPT_COMMAND": "evil",
    "BASH_FUNC_ls%%": "() { evil; }",
    "CDPATH": "/evil",
    "GLOBIGNORE": "*",
}


def test_an_approved_command_gets_the_kernels_environment_without_tricks_on_the_shell() -> None:
    kernel = {"HOME": "/h", "PATH": "/p", "FORCE_COLOR": "1", "MPLBACKEND": "module://x", "PAGER": "less", **TRICKS}
    env = approved_environment(kernel, {}, {}, ())
    assert env == {"HOME": "/h", "PATH": "/p", "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat"}


def test_later_sources_win_but_for_the_tricks() -> None:
    kernel, settings, exported = {"A": "kernel", "B": "kernel"}, {"B": "set", "C": "set"}, {"C": "exported", **TRICKS}
    env = approved_environment(kernel, settings, exported, "A")
    assert {name: env.get(name) for name in "ABC"} == {"A": None, "B": "set", "C": "exported"}
    assert not TRICKS.keys() & env.keys()
    assert approved_environment({"A": "kernel"}, {}, {"A": "again"}, ("A",))["A"] == "again"


def test_a_hardened_command_gets_only_what_is_on_the_list() -> None:
    evil = {"PATH": "/evil", "LD_PRELOAD": "/evil.so", "RIPGREP_CONFIG_PATH": "/evil", **TRICKS}
    env = hardened_environment({"HOME": "/h", "LC_ALL": "C", **evil}, "/", "ls")
    assert env == {
        "HOME": "/h", "LC_ALL": "C", "PATH": system_path(), "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat",
        "GOTOOLCHAIN": "local", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1",
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1", "npm_config_logs_max": "0",
        "npm_config_update_notifier": "false",
    }  # fmt: skip


def test_the_system_path_holds_folders_that_only_root_writes() -> None:
    for folder in system_path().split(os.pathsep):
        status = os.stat(folder)
        assert status.st_uid == 0 and not status.st_mode & 0o022


@pytest.mark.parametrize(
    ("command", "guarded"),
    [("git status", True), ("g''it status", True), ("g\\it log", True), ("$'\\x67it' log", True), ("ls -l", False)],
)
def test_git_is_guarded_however_it_is_spelt(tmp_path: Path, command: str, guarded: bool) -> None:
    assert ("GIT_CONFIG_COUNT" in hardened_environment(os.environ, str(tmp_path), command)) is guarded


@pytest.fixture
def traps(tmp_path: Path) -> Path:
    """A repository in which every setting that names a program names one that leaves a note, in ``work``."""
    note, work = tmp_path / "note", tmp_path / "work"
    note.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/ran\ncat\n')
    note.chmod(0o755)
    script = f"""
    set -e
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
    git init -q {work}; cd {work}
    printf '*.txt diff=conv\\n*.ext diff=ext\\n*.flt filter=flt\\n*.prc filter=prc\\n' > .gitattributes
    for kind in txt ext flt prc; do echo old > a.$kind; done
    git init -q nested; cd nested
    echo '*.flt filter=inner' > .gitattributes; echo old > b.flt; echo old > b
    git add -A; git commit -qm inner; cd ..
    printf '[submodule "chosen"]\\n path = nested\\n url = ./nested\\n ignore = none\\n' > .gitmodules
    git add -A 2>/dev/null; git commit -qm outer
    for kind in txt ext flt prc; do echo new > a.$kind; done
    echo new > nested/b; touch nested/b.flt
    for key in core.fsmonitor core.pager core.alternateRefsCommand gpg.program diff.conv.textconv diff.ext.command \\
               filter.flt.clean filter.flt.smudge; do git config $key "{note} $key"; done
    printf '[filter "prc"]\\n process = {note} process\\n required = true\\n' > .git/more
    git config include.path more
    git config log.showSignature true; git config diff.submodule diff; git config status.submoduleSummary true
    git -C nested config core.fsmonitor "{note} nested.fsmonitor"
    git -C nested config filter.inner.clean "{note} nested.clean"
    cp {note} .git/hooks/post-index-change
    rm -f {tmp_path}/ran
    """
    subprocess.run(["bash", "-c", script], check=True)
    return tmp_path / "ran"


READERS = (
    "git status",
    "git diff --stat",
    "git log -p",
    "git show",
    "git blame a.txt",
    "git log --format=%G?",
    "git grep o",
)


@pytest.mark.anyio
async def test_reading_git_runs_nothing_that_a_repository_names(sh: Runner, traps: Path) -> None:
    bare = await sh("; ".join(READERS), env={"PATH": "/usr/bin:/bin"})
    assert contents(traps), f"the traps do not work: {bare.err}"
    os.unlink(traps)
    env = hardened_environment(os.environ, str(traps.parent / "work"), "git status")
    for command in READERS:
        ran = await sh(command, env=env)
        assert ran.exit.status == 0, f"{command}: {ran.err}"
        assert contents(traps) is None, command


@pytest.mark.anyio
async def test_a_converter_of_a_repository_leaves_no_notes(sh: Runner, traps: Path) -> None:
    await sh("git config diff.conv.cachetextconv true")
    await sh("git log -p", env=hardened_environment(os.environ, str(traps.parent / "work"), "git log -p"))
    assert (await sh("git for-each-ref refs/notes")).out == ""


@pytest.mark.anyio
async def test_an_external_diff_of_a_repository_is_an_error_and_not_run(sh: Runner, traps: Path) -> None:
    await sh(f"git config diff.external {traps.parent}/note")
    ran = await sh("git diff", env=hardened_environment(os.environ, str(traps.parent / "work"), "git diff"))
    assert ran.exit.status != 0
    assert contents(traps) is None


@pytest.mark.anyio
async def test_hardened_git_still_tells_what_changed(sh: Runner, traps: Path) -> None:
    env = hardened_environment(os.environ, str(traps.parent / "work"), "git status")
    assert "a.txt" in (await sh("git status --short", env=env)).out
    assert "+new" in (await sh("git diff -- a.txt", env=env)).out
