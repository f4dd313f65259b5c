"""Words of git that write or run something: behind `--`, abbreviated, or in a sub-command of their own."""

import subprocess

import pytest

from jupyter_agenttools.permissions.command.matching import compile_command_pattern, covers
from jupyter_agenttools.permissions.command.parse import parse_command
from jupyter_agenttools.permissions.command.read_only import classify_read_only


@pytest.mark.parametrize(
    "command",
    [
        "git branch -- x",
        "git branch -v -- x HEAD",
        "git tag -- x",
        "git tag -i -- x",
        "git remote -- add x y",
        "git remote show -- origin",
        "git symbolic-ref -- HEAD refs/heads/x",
        "git symbolic-ref -q -- HEAD refs/heads/x",
    ],
)
def test_words_behind_dashes_ask(command, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert not classify_read_only(command, cwd=str(tmp_path), roots=[str(tmp_path)]).ok


@pytest.mark.parametrize("command", ["git branch --list -- x", "git tag -l -- x", "git symbolic-ref -- HEAD"])
def test_words_behind_dashes_that_only_list(command, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert classify_read_only(command, cwd=str(tmp_path), roots=[str(tmp_path)]).ok


def covered(rule: str, text: str) -> bool:
    return covers(compile_command_pattern(rule), parse_command(text).commands[0])


@pytest.mark.parametrize(
    "text",
    [
        "git clone --u=./tools/fmt.sh . sub/x",
        "git clone -qu ./tools/fmt.sh . sub/x",
        "git clone --co=core.pager=x . y",
        "git ls-remote --u=x .",
        "git push --e=x . main",
        "git fetch-pack --exec=x .",
        "git send-pack --receive-pack=x .",
        "git remote-ext x 'touch made'",
        "git difftool -yx 'touch made;:' HEAD~1",
        "git config x.y '!touch made'",
        "git config --rename-section x alias",
        "git config url.ext::.insteadOf x:",
        "git config include.path ../x",
        "git init --t=x",
        "git credential-store get",
        "git -c",
    ],
)
def test_a_rule_for_git_is_none_for_the_programs_that_git_starts(text: str) -> None:
    assert not covered("git *", text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("git *", "git ls-remote --exit-code origin"),
        ("git *", "git clone --depth 1 . x"),
        ("git *", "git push --force origin main"),
        ("git *", "git commit -m 'config things'"),
        ("git config *", "git config user.name me"),
        ("git config alias.*", "git config alias.s status"),
    ],
)
def test_what_a_rule_for_git_is_about(rule: str, text: str) -> None:
    assert covered(rule, text)
