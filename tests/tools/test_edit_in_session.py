"""Edit and Write behind the whole pipeline: rights, order, secrets, what people see."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_agenttools.core import PermissionAnswer, PermissionRequest, ToolUse
from jupyter_agenttools.core.views import Badge, CodeBlockView, DiffBlockView, TextBlockView, ToolView
from jupyter_agenttools.session import Session
from jupyter_agenttools.tools.edit import EditInput, edit_tool
from jupyter_agenttools.tools.read import read_tool
from jupyter_agenttools.tools.write import WriteInput, write_tool
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio

ALLOWED = {"permissions": {"allow": ["Edit", "Write", "Read"]}}
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF0iL2oR5"


def change(path: str, old: str, new: str) -> dict[str, str]:
    return {"file_path": path, "old_string": old, "new_string": new}


async def test_several_edits_of_one_file_run_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("1\n2\n3\n")
    session = Session(cwd=tmp_path, settings=ALLOWED)
    uses = [ToolUse("Read", {"file_path": "f"})]
    uses += [ToolUse("Edit", change("f", f"{n}\n", f"{n}{n}\n")) for n in (3, 1)]
    uses += [ToolUse("Edit", change("f", "11\n2\n33\n", "done\n")), ToolUse("FileEdit", change("f", "done", "DONE"))]
    outcomes = await session.run(uses)
    assert [outcome.status for outcome in outcomes] == ["ok"] * 5
    assert (tmp_path / "f").read_text() == "DONE\n"


@pytest.mark.parametrize("rule", ["Edit(secret/**)", "Read(secret/**)", "Edit", "Edit(//**/secret/**)"])
async def test_deny_rules_hold_whichever_way_the_path_is_written(tmp_path: Path, rule: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "f").write_text("a\n")
    (tmp_path / "link").symlink_to("secret/f")
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Edit", "Write", "Read"], "deny": [rule]}})
    for path in ("secret/f", "./secret/../secret/f", "link", str(tmp_path / "secret" / "f"), f"/{tmp_path}/secret/f"):
        for tool, input in (("Edit", change(path, "a", "b")), ("Edit", change(path, "", "b"))):
            assert (await session.call(tool, input)).is_error
            decision = await session.decide(tool, input)
            assert decision.behavior == "deny", (path, decision)
        assert (await session.decide("Write", {"file_path": path, "content": "b"})).behavior == "deny"
    assert (tmp_path / "secret" / "f").read_text() == "a\n"


async def test_a_person_sees_the_diff_before_and_a_change_meanwhile_stops_it(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("a = 1\n")
    seen: list[ToolView] = []

    def ask(request: PermissionRequest) -> PermissionAnswer:
        seen.append(request.view)
        if len(seen) == 2:
            (tmp_path / "f.py").write_text("a = 3\n")
        return PermissionAnswer("allow")

    session = Session(cwd=tmp_path, settings={}, prompter=ask)
    await session.call("Read", {"file_path": "f.py"})
    outcome = await session.call("Edit", change("f.py", "a = 1", "a = 2"))
    assert outcome.status == "ok" and (tmp_path / "f.py").read_text() == "a = 2\n"
    diff = next(block for block in seen[0].blocks if isinstance(block, DiffBlockView))
    assert (diff.old, diff.new, diff.language) == ("a = 1\n", "a = 2\n", "python")
    outcome = await session.call("Edit", change("f.py", "a = 2", "a = 4"))
    assert "content changed" in outcome.text and (tmp_path / "f.py").read_text() == "a = 3\n"
    outcome = await session.call("Edit", change("f.py", "a = 9", "a = 4"))
    assert outcome.is_error and len(seen) == 2, "nobody is asked about what cannot work"


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", ".claude/memory/team.md"])
async def test_no_secret_goes_into_a_shared_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Notes\nghp_\n")
    session = Session(
        cwd=tmp_path, settings={"permissions": {"allow": ["Edit(//**)", f"Edit({name})"]}}, prompter=lambda _: True
    )
    await session.call("Read", {"file_path": name})
    for tool, input in (
        ("Edit", change(name, "# Notes", f"# Notes\n{TOKEN}")),
        ("Edit", change(name, "ghp_", f"ghp_{TOKEN[4:]}")),
        ("Edit", change(name, "_\n", f"_{TOKEN[4:]}\n")),
        ("Write", {"file_path": name, "content": f"token {TOKEN}\n"}),
    ):
        outcome = await session.call(tool, input)
        assert outcome.is_error and "GitHub token" in outcome.text and TOKEN not in outcome.text, outcome.text
        assert outcome.error.check_id == "secret-github-token"  # type: ignore[union-attr]
    assert path.read_text() == "# Notes\nghp_\n"
    (tmp_path / "notes.md").write_text("x")
    await session.call("Read", {"file_path": "notes.md"})
    assert (await session.call("Edit", change("notes.md", "x", TOKEN))).status == "ok"


async def test_network_addresses_are_not_looked_at_before_they_are_allowed(tmp_path: Path) -> None:
    """What is not there is refused before anybody is asked; of an address nobody may know whether it is there."""
    asked: list[PermissionRequest] = []

    def ask(request: PermissionRequest) -> bool:
        asked.append(request)
        return True

    session = Session(cwd=tmp_path, settings={}, prompter=ask)
    outcome = await session.call("Edit", change("//server/share/f", "a", "b"))
    assert len(asked) == 1 and "does not exist" in outcome.text
    assert asked[0].input["file_path"] == "//server/share/f" and "was not looked at" in str(asked[0].view)
    await session.call("Write", {"file_path": "//server/../share/f", "content": "x"})
    for tool, rest in (("Edit", {"old_string": "a", "new_string": "b"}), ("Write", {"content": "x"})):
        outcome = await session.call(tool, {"file_path": "\\\\server\\share\\f", **rest})
        assert outcome.error.check_id == "path-network"  # type: ignore[union-attr]
    assert len(asked) == 1 and os.listdir(tmp_path) == []
    assert write_tool.preview is not None
    view = write_tool.preview(WriteInput(file_path="//server/share/f", content="x"), Workspace(tmp_path).context())
    assert view.badges == (Badge("network", "warning"),) and isinstance(view.blocks[1], CodeBlockView)


async def test_an_ordinary_path_with_two_slashes_works(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    session = Session(cwd=tmp_path, settings=ALLOWED)
    await session.call("Read", {"file_path": "f"})
    assert (await session.call("Edit", change(f"/{tmp_path}/f", "a", "b"))).status == "ok"
    assert (tmp_path / "f").read_text() == "b\n"


async def test_previews(tmp_path: Path) -> None:
    here = Workspace(tmp_path)
    (tmp_path / "f.py").write_bytes(b"".join(b"line %d\r\n" % number for number in range(1, 41)))
    await here.use(read_tool, file_path="f.py")

    def preview(**fields: object) -> ToolView:
        assert edit_tool.preview is not None
        return edit_tool.preview(EditInput.model_validate(fields), here.context())

    view = preview(file_path="f.py", old_string="line 20", new_string="20")
    (diff,) = diffs(view)
    assert view.title == "Edit f.py" and diff.path == str(tmp_path / "f.py")
    assert diff.first_lines == (17, 17) and diff.old.splitlines()[3] == "line 20" and diff.new.splitlines()[3] == "20"
    view = preview(file_path="f.py", old_string="0\n", new_string="0!\n", replace_all=True)
    lines = [block.first_lines for block in view.blocks if isinstance(block, DiffBlockView)]
    assert lines == [(7, 7), (17, 17), (27, 27), (37, 37)] and view.badges == (Badge("4 places", "info"),)
    view = preview(file_path="f.py", old_string="Line 20", new_string="20")
    assert view.badges == (Badge("cannot work", "error"),) and "capital" in str(view.blocks[0])
    view = preview(file_path="new.py", old_string="", new_string="x = 1\n")
    assert view.title == "Create new.py" and view.badges == (Badge("new file", "info"),)
    assert (diffs(view)[0].old, diffs(view)[0].new) == ("", "x = 1\n")


async def test_views_of_the_call_and_its_result(tmp_path: Path) -> None:
    here = Workspace(tmp_path)
    (tmp_path / "f.py").write_text("a = 1\nb = 2\n")
    await here.use(read_tool, file_path="f.py")
    output = await here.use(edit_tool, file_path="f.py", old_string="b = 2", new_string="b = 3")
    view = edit_tool.render_result(output, "verbose")
    assert view.title == "Edited f.py" and view.badges == (Badge("1 place", "ok"),)
    assert isinstance(view.blocks[0], DiffBlockView) and view.blocks[0].new == "a = 1\nb = 3\n"
    assert edit_tool.render_result(output, "condensed").collapsed
    assert "b = 3" in edit_tool.extract_search_text(output)
    assert edit_tool.render_tool_use({}, "verbose").blocks == ()
    assert edit_tool.render_tool_use({"old_string": ""}, "verbose").title == "Edit"
    partial = edit_tool.render_tool_use({"file_path": "/x/f.py", "old_string": "a ="}, "verbose")
    assert partial.title == "Edit f.py" and isinstance(partial.blocks[0], CodeBlockView)
    whole = edit_tool.render_tool_use(
        {"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": True}, "verbose"
    )
    assert whole.badges == (Badge("every place"),) and diffs(whole)[0].fragment
    assert edit_tool.user_facing_name({"old_string": "", "new_string": ""}) == "Create"
    failed = edit_tool.render_error({"file_path": "f", "old_string": "a"}, ValueError("no"))
    assert [type(block) for block in failed.blocks] == [TextBlockView, CodeBlockView]
    assert edit_tool.get_activity_description({"file_path": "/x/f.py"}) == "Editing f.py"


def diffs(view: ToolView) -> list[DiffBlockView]:
    return [block for block in view.blocks if isinstance(block, DiffBlockView)]


async def test_a_very_long_change_says_what_is_not_shown(tmp_path: Path) -> None:
    here = Workspace(tmp_path)
    assert edit_tool.preview is not None
    view = edit_tool.preview(EditInput(file_path="new", old_string="", new_string="x\n" * 150_000), here.context())
    assert "50,000 of 300,000 characters" in str(view.blocks[0]) and len(diffs(view)[0].new) == 50_000
    await here.use(write_tool, file_path="g", content=("x" * 30_000 + "\n" * 20) * 10)
    input = EditInput(file_path="g", old_string="x\n", new_string="y\n", replace_all=True)
    view = edit_tool.preview(input, here.context())
    assert view.badges == (Badge("10 places", "info"),) and len(diffs(view)) == 10
    assert all(len(diff.old) < 500 and "xy\n" in diff.new for diff in diffs(view)), "the change itself is in sight"
    await here.use(write_tool, file_path="h", content=("line\n" * 10_000 + "\n" * 20) * 10)
    input = EditInput(file_path="h", old_string="line", new_string="LINE", replace_all=True)
    view = edit_tool.preview(input, here.context())
    assert "more changed places" in str(view.blocks[-1]) and len(diffs(view)) == 1


async def test_a_change_in_one_huge_line_is_in_sight(tmp_path: Path) -> None:
    here = Workspace(tmp_path)
    await here.use(write_tool, file_path="min.js", content="\n" + "a" * 80_000 + "needle" + "b" * 80_000)
    assert edit_tool.preview is not None
    input = EditInput(file_path="min.js", old_string="needle", new_string="pin")
    view = edit_tool.preview(input, here.context())
    (diff,) = diffs(view)
    assert "needle" in diff.old and "pin" in diff.new and len(diff.old) < 1_000 and diff.first_lines == (2, 2)
    view = edit_tool.render_result(await here.use(edit_tool, **input.model_dump()), "verbose")
    assert "pin" in diffs(view)[0].new and len(diffs(view)[0].new) < 1_000
