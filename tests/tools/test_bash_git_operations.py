"""What a command did with git is noticed, from real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.tools.bash import bash_tool
from jupyter_agenttools.tools.bash.git_operations import GitOperation, notice_git_operations
from tests.support.bash_session import BashSession

pytestmark = pytest.mark.anyio

SETUP = "git init -q -b main . && git config user.email a@example.org && git config user.name A && "


async def test_a_day_with_git(tmp_path: Path) -> None:
    bash = BashSession(tmp_path)

    async def kinds(command: str) -> list[str]:
        return [operation.kind for operation in (await bash(command)).output.git_operation]

    made = await bash(SETUP + "echo 1 > f && git add f && git commit -m \"$(cat <<'EOF'\none; two\nEOF\n)\"")
    (commit,) = made.output.git_operation
    assert commit.kind == "commit" and commit.detail.endswith("on main (root-commit)")
    assert f"git: {commit.words}" in [b.text for b in bash_tool.render_result(made.output, "condensed").badges]
    assert await kinds("git status && git log --oneline && git diff && git branch && git stash list") == []
    assert (await bash("git checkout -b side")).output.git_operation == (GitOperation("checkout", "side"),)
    assert await kinds("echo 2 >> f; git commit -qam two; git switch main") == ["commit", "checkout"]
    assert (await bash("git merge side")).output.git_operation == (GitOperation("merge", "side"),)
    assert await kinds("git init -q --bare ../remote && git remote add origin ../remote") == []
    pushed = (await bash("git push -u origin main 2>&1")).output.git_operation
    assert [p.kind for p in pushed] == ["push"] and pushed[0].detail.startswith("main to ")
    assert await kinds("git commit -m nothing") == []
    assert await kinds("git push --dry-run") == []
    assert await kinds("git push nowhere main") == []
    assert await kinds("git checkout side; echo 3 > f; git commit -qam three; git rebase main") == [
        "checkout", "commit", "rebase",
    ]  # fmt: skip
    await bash("git switch -q main; echo 4 > f; git commit -qam four")
    conflict = (await bash("git merge side")).output.git_operation
    assert conflict == (GitOperation("merge", "with conflicts"),)
    assert await kinds("git merge --abort; git tag v1; git stash") in (
        ["tag"],
        ["merge", "tag"],
        ["merge", "tag", "stash"],
    )


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("gh pr create --fill", "https://github.com/o/r/pull/7\n",
         (GitOperation("pull-request", "https://github.com/o/r/pull/7"),)),
        ("gh pr create", "aborted", ()),
        ("gh pr list", "https://github.com/o/r/pull/7", ()),
        ("git -C x -c a=b push", "To https://user:word@host/r.git\n   1234567..89abcde  main -> main\n",
         (GitOperation("push", "main to https://host/r.git"),)),
        ("git push", "To host\n ! [rejected]        main -> main (fetch first)\nerror: failed to push", ()),
        ("git push", "To host\n * [new branch]      x -> x\n", (GitOperation("push", "x to host"),)),
        ("echo git commit", "", ()),
        ("digit push", "", ()),
        ("echo 'git push'", "", ()),
        ("git", "usage", ()),
        ("gh", "usage", ()),
        ("git cherry-pick abc", "[main 1234567] x", (GitOperation("cherry-pick", "1234567 on main"),)),
        ("git reset --hard HEAD~1", "HEAD is now at 1234567 x", (GitOperation("reset", "1234567"),)),
        ("for x in a; do git push; done", "To h\n   1234567..89abcde  m -> m", (GitOperation("push", "m to h"),)),
    ],
)  # fmt: skip
async def test_from_words_and_output(command: str, output: str, expected: tuple[GitOperation, ...]) -> None:
    assert notice_git_operations(command, 0, output) == expected
