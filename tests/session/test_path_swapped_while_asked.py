"""What a person allowed is the place that the path led to when they were asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_agenttools import PermissionAnswer, PermissionRequest, Session
from jupyter_agenttools.core.events import StageEvent

pytestmark = pytest.mark.anyio


async def test_a_folder_that_becomes_a_link_while_somebody_is_asked(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git" / "hooks").mkdir(parents=True)

    async def swap(request: PermissionRequest) -> PermissionAnswer:
        os.rmdir(tmp_path / "sub")
        os.symlink(".git/hooks", tmp_path / "sub")
        return PermissionAnswer("allow")

    session = Session(cwd=tmp_path, settings={}, prompter=swap)
    outcome = await session.call("Write", {"file_path": "sub/pre-commit", "content": "x"})
    assert outcome.status == "denied"
    assert os.listdir(tmp_path / ".git" / "hooks") == []


async def test_a_new_file_that_becomes_a_link_out_of_the_folder(tmp_path: Path) -> None:
    cwd = tmp_path / "cwd"
    cwd.mkdir()

    def swap(request: PermissionRequest) -> bool:
        os.symlink(tmp_path / "outside", cwd / "new")
        return True

    session = Session(cwd=cwd, settings={}, prompter=swap)
    outcome = await session.call("Write", {"file_path": "new", "content": "x"})
    assert outcome.status == "denied" and "outside" in outcome.text
    assert outcome.decision.decided_by == "place"
    assert not (tmp_path / "outside").exists()


async def test_a_swap_between_the_answer_and_the_write(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "secret").mkdir()

    class Swapping:
        """Swaps after the permission stage, before the call."""

        def on_stage(self, event: StageEvent) -> None:
            if event.stage == "permission":
                os.rmdir(tmp_path / "sub")
                os.symlink("secret", tmp_path / "sub")

    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Edit"]}})
    session.observers.attach(Swapping())
    outcome = await session.call("Write", {"file_path": "sub/f", "content": "x"})
    assert outcome.status == "error" and "what was allowed is" in outcome.text
    assert os.listdir(tmp_path / "secret") == []


@pytest.mark.parametrize("name", ["Edit", "Write"])
@pytest.mark.parametrize("place", ["secret/customer_lst.csv", "../private/id_rsa", "../nowhere/x"])
async def test_nothing_is_told_of_what_may_not_be_read(tmp_path: Path, name: str, place: str) -> None:
    cwd = tmp_path / "cwd"
    for file in (cwd / "secret" / "customer_list.csv", tmp_path / "private" / "id_rsa_backup"):
        file.parent.mkdir(parents=True)
        file.write_text("x")
    settings = {"permissions": {"deny": ["Read(secret/**)", "Edit(secret/**)"]}}
    session = Session(cwd=cwd, settings=settings, prompter="deny")
    words = {"content": "y"} if name == "Write" else {"old_string": "x", "new_string": "y"}
    outcome = await session.call(name, {"file_path": place, **words})
    assert outcome.status == "denied"
    for told in ("customer_list", "id_rsa_backup", "does not exist", "has not been read"):
        assert told not in outcome.text


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800x"])
async def test_what_is_no_path_is_denied_without_a_traceback(tmp_path: Path, path: str) -> None:
    decision = await Session(cwd=tmp_path, settings={}, prompter="deny").decide(
        "Write", {"file_path": path, "content": "x"}
    )
    assert decision.behavior == "deny"
