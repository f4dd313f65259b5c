"""``sed -i`` in a session: shown as an edit, judged as one, and written by us."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools.core.prompting import PermissionRequest
from jupyter_agenttools.core.views import CodeBlockView, DiffBlockView
from jupyter_agenttools.session import Session
from tests.support.shell import contents

pytestmark = pytest.mark.anyio


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def contents_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Answering:
    """A session that remembers what was asked, with something that happens before the answer."""

    def __init__(self, folder: Path, before: Callable[[], object] = lambda: None, **permissions: Any) -> None:
        self.requests: list[PermissionRequest] = []
        self.before = before
        self.session = Session(
            folder, settings={"permissions": permissions}, prompter=self._yes, session_dir=folder.parent / "session"
        )

    def _yes(self, request: PermissionRequest) -> bool:
        self.requests.append(request)
        self.before()
        return True

    async def __call__(self, command: str, **fields: Any) -> Any:
        return await self.session.call("Bash", {"command": command, **fields})


async def test_the_person_sees_the_change_and_exactly_that_is_written(work: Path) -> None:
    (work / "a.txt").write_text("one\ntwo\nthree\n")
    bash = Answering(work)
    outcome = await bash("sed -i 's/two/zwei/' a.txt")
    (diff,) = [block for block in bash.requests[0].view.blocks if isinstance(block, DiffBlockView)]
    assert (diff.old, diff.new) == ("one\ntwo\nthree\n", "one\nzwei\nthree\n")
    assert diff.path == str(work / "a.txt")
    assert contents(work / "a.txt") == b"one\nzwei\nthree\n"
    assert outcome.status == "ok" and "a.txt" in outcome.block.text and outcome.output.exit_code == 0
    assert [edit.path for edit in outcome.output.edits] == [str(work / "a.txt")]
    view = outcome.tool.render_result(outcome.output, "verbose")
    assert any(isinstance(block, DiffBlockView) for block in view.blocks)
    await bash.session.undo()
    assert contents(work / "a.txt") == b"one\ntwo\nthree\n"


async def test_the_card_shows_the_change_and_underlines_why_it_asks(work: Path) -> None:
    (work / "a.txt").write_text("one\n")
    bash = Answering(work)
    command = "sed -i 's/one/two/' a.txt"
    await bash(command)
    card = bash.requests[0]
    (code,) = [block for block in card.view.blocks if isinstance(block, CodeBlockView)]
    assert code.text == command and code.marks
    assert any(isinstance(block, DiffBlockView) for block in card.view.blocks)
    assert {"parse", "splitCommand", "readOnlyValidation"} <= {step.check for step in card.decision.trace}


@pytest.mark.parametrize(
    ("command", "data"),
    [
        ("sed -i 's/a/b/g' f", b"aaa\r\naa\r\n"),
        ("sed -i '$d' f", b"a\nb\nno newline at the end"),
        ("sed -i 's/a/b/' f", b"\xff\xfea\x00 a\n\x80a"),
        ("sed -i -n '/a/p' f", b"a\nb\nca\n"),
        ("sed -Ei 's/(.)(.)/\\2\\1/;2,3y/ab/xy/' f", b"ab\nab\nab\nab\n"),
        ("sed -i.orig '1!d' f", b"1\n2\n"),
        ("sed -i 's/a/b/' f", b""),
        ("sed -i 's/none/x/' f", b"a\n"),
        ("sed -i '/a/,/c/s/^/# /' f", b"a\nb\nc\nd\n"),
    ],
)
async def test_the_result_is_that_of_sed(work: Path, tmp_path: Path, command: str, data: bytes) -> None:
    twin = tmp_path / "twin"
    twin.mkdir()
    for folder in (work, twin):
        (folder / "f").write_bytes(data)
    await anyio.run_process(["bash", "-c", command], cwd=twin)
    assert (await Answering(work)(command)).status == "ok"
    assert contents_of(work) == contents_of(twin)


async def test_a_file_that_changed_after_it_was_shown_stays(work: Path) -> None:
    for name in ("a", "b"):
        (work / name).write_text("one\n")
    bash = Answering(work, before=lambda: (work / "b").write_text("one, by somebody else\n"))
    outcome = await bash("sed -i s/one/two/ a b")
    assert outcome.status == "error" and "since this edit was shown" in outcome.block.text
    assert contents(work / "a") == b"one\n"  # all or nothing
    assert contents(work / "b") == b"one, by somebody else\n"


async def test_a_file_that_became_a_link_is_not_followed(work: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("one\n")
    (work / "a").write_text("one\n")

    def swap() -> None:
        (work / "a").unlink()
        (work / "a").symlink_to(tmp_path / "other")

    outcome = await Answering(work, before=swap)("sed -i s/one/two/ a")
    assert outcome.status == "error"
    assert contents(tmp_path / "other") == b"one\n"


async def test_rules_about_editing_are_about_it(work: Path) -> None:
    for name in ("a.md", "b.py", "c.lock"):
        (work / name).write_text("one\n")
    bash = Answering(work, allow=["Edit(*.md)"], deny=["Edit(*.lock)"], ask=["Edit(b.py)"])
    assert (await bash("sed -i s/one/two/ a.md")).status == "ok"
    assert bash.requests == []
    denied = await bash("sed -i s/one/two/ a.md c.lock")
    assert denied.status == "denied" and bash.requests == []
    assert contents(work / "c.lock") == b"one\n"
    await bash("sed -i s/two/three/ a.md b.py")
    assert len(bash.requests) == 1
    assert (await bash("sed -i.lock s/three/four/ a.md")).status == "denied"  # its copy would be a.md.lock


async def test_accepting_edits_accepts_it_in_the_working_directories_only(work: Path, tmp_path: Path) -> None:
    (work / "a").write_text("one\n")
    (tmp_path / "outside").write_text("one\n")
    (work / ".envrc").write_text("one\n")
    bash = Answering(work, defaultMode="acceptEdits")
    assert (await bash("sed -i s/one/two/ a")).status == "ok" and bash.requests == []
    await bash("sed -i s/one/two/ ../outside")
    await bash("sed -i s/one/two/ .envrc")
    assert len(bash.requests) == 2
    planning = Answering(work, defaultMode="plan")
    assert (await planning("sed -i s/two/three/ a")).status == "denied"


async def test_a_program_that_sed_refuses_changes_nothing(work: Path) -> None:
    (work / "a").write_text("one\n")
    bash = Answering(work)
    outcome = await bash("sed -i -E 's/(one/two/' a")
    assert outcome.status == "error" and outcome.output.exit_code == 1 and "sed:" in outcome.block.text
    assert "cannot work" in [badge.text for badge in bash.requests[0].view.badges]
    assert contents(work / "a") == b"one\n"


async def test_sed_is_not_started_in_place_even_in_the_background(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "bin"
    trap.mkdir()
    (trap / "sed").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (trap / "sed").chmod(0o755)
    monkeypatch.setenv("PATH", str(trap), prepend=":")
    (work / "a").write_text("one\n")
    bash = Answering(work)
    assert (await bash("sed -i s/one/two/ a", run_in_background=True)).status == "ok"
    assert contents(work / "a") == b"two\n" and contents(tmp_path / "ran") is None


async def test_the_simulated_field_is_never_taken_from_outside(work: Path) -> None:
    (work / "a").write_text("one\n")
    planted: Mapping[str, str] = {"filePath": str(work / "a"), "newContent": "planted"}
    await Answering(work)("sed -i s/one/two/ a", _simulatedSedEdit=planted)
    assert contents(work / "a") == b"two\n"
