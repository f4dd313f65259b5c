"""REPL in a session of a script: an interpreter of its own; rights, time, sizes, other tools, and REPL mode."""

from __future__ import annotations

import base64
import re
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core import ToolPermissionContext, ToolUse
from jupyter_agenttools.core.flags import ToolFlags, resolve_flags
from jupyter_agenttools.core.interpreter import CodeOutput
from jupyter_agenttools.core.views import CodeBlockView
from jupyter_agenttools.interpreter import Recorder, SourceError, read_source
from jupyter_agenttools.interpreter.recorder import MAX_SHOWN, MAX_TEXT_CHARS
from jupyter_agenttools.models import ScriptedModel
from jupyter_agenttools.registry import assemble_tool_pool, hidden_tools
from jupyter_agenttools.tools.repl import ReplOutput, repl_tool
from jupyter_agenttools.tools.repl.output import blocks_of, html_text
from tests.support.media_files import png
from tests.support.shell import until

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    made = Session(cwd=tmp_path, settings={"permissions": {"allow": ["REPL"]}})
    yield made
    await made.aclose()


async def run(session: Session, code: str, **fields: Any) -> Outcome:
    return await session.call("REPL", {"code": code, **fields})


# ---- what comes back


async def test_prints_values_and_errors_come_in_their_order(session: Session) -> None:
    outcome = await run(session, "import sys\nprint('one')\nprint('two', file=sys.stderr)\n6 * 7")
    assert outcome.status == "ok" and [each.kind for each in outcome.output.outputs] == ["stdout", "stderr", "value"]
    assert outcome.text.split() == ["one", "two", "42"]
    failed = await run(session, "print('before')\nraise ValueError('wrong')")
    assert failed.is_error
    assert failed.text.startswith("before") and failed.text.rstrip().endswith("ValueError: wrong")
    assert failed.output.error_name == "ValueError" and "jupyter_agenttools" not in failed.text


async def test_names_stay_and_the_value_is_bound_nowhere(session: Session) -> None:
    await run(session, "x = 5\ndef double(n): return 2 * n")
    assert (await run(session, "double(x)")).text == "10"
    assert "NameError" in (await run(session, "_")).text


async def test_silence_none_and_a_semicolon(session: Session) -> None:
    for code in ("x = 1", "None", "5;", "5; # said", "pass"):
        assert (await run(session, code)).text == "(the code ran and left no output)"
    assert (await run(session, "'a;'")).text == "'a;'"


async def test_it_awaits_and_defines_with_decorators_and_sources(session: Session) -> None:
    code = "import inspect\nasync def f():\n    return inspect.getsource(f)\nawait f()"
    assert "async def f()" in (await run(session, code)).text


@pytest.mark.parametrize("code", ["!ls", "%time x", "a = !ls", "f?", "?f", "%%sh\nls", "if True:\n    !ls", "x = %cd"])
def test_lines_of_a_shell_are_refused_before_anything_runs(code: str) -> None:
    with pytest.raises(SourceError, match="Bash"):
        read_source(f"print(1)\n{code}")


@pytest.mark.parametrize("code", ["f(", "return 1", "x = ", "\x00", "(" * 5_000])
def test_what_is_no_python_is_a_syntax_error(code: str) -> None:
    with pytest.raises(SourceError) as refusal:
        read_source(code)
    assert "Bash" not in str(refusal.value)


@given(st.text(max_size=60))
def test_any_text_is_code_or_refused(text: str) -> None:
    try:
        read_source(text)
    except SourceError as refusal:
        assert str(refusal)


async def test_rich_representations_become_text_and_images(session: Session) -> None:
    picture = base64.b64encode(png(20, 20)).decode()
    await run(
        session,
        "class Table:\n    def _repr_html_(self): return '<table><tr><td>a</td><td>b</td></tr></table>'\n"
        "class Picture:\n    def _repr_png_(self):\n        import base64; return base64.b64decode(data)\n"
        f"class Hostile:\n    def __repr__(self): raise SystemExit('no')\ndata = {picture!r}",
    )
    assert (await run(session, "Table()")).text == "a\tb"
    shown = await run(session, "print('x')\nPicture()")
    assert [block["type"] for block in shown.block.content] == ["text", "image"]
    assert "SystemExit" in (await run(session, "Hostile()")).text
    assert (await run(session, "1")).text == "1"


def test_html_is_read_as_words() -> None:
    markup = "<style>p{}</style><h1>Head</h1><p>one <b>bold</b>\n word</p><script>x()</script><ul><li>a<li>b</ul>"
    assert html_text(markup) == "Head\none bold word\na\nb"


async def test_figures_are_images_and_are_closed(session: Session) -> None:
    pytest.importorskip("matplotlib")
    code = "import matplotlib; matplotlib.use('agg')\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    outcome = await run(session, code, timeout=120_000)
    assert [block["type"] for block in outcome.block.content][-1] == "image"
    assert (await run(session, "plt.get_fignums()")).text == "[]"


async def test_a_flood_is_cut_and_says_so(session: Session) -> None:
    outcome = await run(session, "for n in range(400_000): print('line', n)", timeout=60_000)
    kept = "".join(each.text for each in outcome.output.outputs)
    assert len(kept) <= MAX_TEXT_CHARS + 200 and "characters left out" in kept
    assert "line 0\n" in kept and kept.endswith("line 399999\n")
    assert len(outcome.text) < 60_000
    assert "characters in the middle of what was printed are not kept: the limit is 2,000,000" in outcome.text


async def test_the_file_of_a_big_result_holds_all_of_it(session: Session) -> None:
    code = (
        "for n in range(60_000): print('line', n)\n"
        "from jupyter_agenttools.interpreter.recorder import current_recorder\n"
        "current_recorder().show('display', {'text/plain': 'x' * 150_000 + 'y'})\n'z' * 120_000 + 'é'"
    )
    outcome = await run(session, code, timeout=60_000)
    path = re.search(r"All of it: (\S+)", outcome.text)
    assert outcome.status == "ok" and path is not None and len(outcome.text) < 5_000
    whole = await anyio.Path(path[1]).read_text(encoding="utf-8")
    assert "characters left out" not in whole
    assert "".join(f"line {n}\n" for n in range(60_000)) in whole
    assert "x" * 150_000 + "y" in whole and "z" * 120_000 + "é" in whole
    assert "file holds the first" not in outcome.text


@given(st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), st.text(max_size=30)), max_size=30))
def test_nothing_that_fits_is_lost_or_moved(pieces: list[tuple[Any, str]]) -> None:
    recorder = Recorder()
    for stream, text in pieces:
        recorder.write(stream, text)
    assert "".join(each.text for each in recorder.finish()) == "".join(text for _, text in pieces)


def test_too_many_displays_are_counted() -> None:
    recorder = Recorder()
    for number in range(MAX_SHOWN + 3):
        recorder.show("display", {"text/plain": str(number)})
    assert len(recorder.finish()) == MAX_SHOWN and "3 more things" in recorder.notes[0]


async def test_streams_come_back_and_a_late_thread_prints_elsewhere(session: Session, capsys: Any) -> None:
    before = sys.stdout
    code = (
        "import threading, sys\nready, go = threading.Event(), threading.Event()\n"
        "def work():\n    print('early'); ready.set(); go.wait(10); print('late')\n"
        "t = threading.Thread(target=work); t.start(); ready.wait(10)\nsys.stdout = None"
    )
    outcome = await run(session, code)
    assert outcome.text == "early" and sys.stdout is before
    assert (await run(session, "go.set(); t.join(); 1")).text == "1"
    assert capsys.readouterr().out == "late\n"


# ---- stopping


@pytest.mark.parametrize("wait", ["while True: pass", "import asyncio; await asyncio.sleep(60)"])
async def test_time_over_keeps_what_there_was(session: Session, wait: str) -> None:
    began = time.monotonic()
    outcome = await run(session, f"kept = 'so far'\nprint(kept)\n{wait}", timeout=1_500)
    assert time.monotonic() - began < 20 and outcome.is_error and outcome.output.status == "timeout"
    assert outcome.text.startswith("so far") and "1,500 ms were over" in outcome.text
    assert (await run(session, "kept")).text == "'so far'"


async def test_a_stop_ends_it_at_once_with_what_there_was(session: Session, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    async with anyio.create_task_group() as group:

        async def stop() -> None:
            await until(begun.exists)
            session.interrupt("enough")

        group.start_soon(stop)
        code = f"print('begun')\nopen({str(begun)!r}, 'x').close()\nwhile True: pass"
        outcome = await run(session, code, timeout=60_000)
    assert outcome.status == "interrupted" and outcome.text.startswith("begun")


async def test_code_that_does_not_heed_is_left_alone(session: Session) -> None:
    began = time.monotonic()
    outcome = await run(session, "print('deaf')\nimport time\ntime.sleep(8)\nprint('too late')", timeout=1_000)
    assert time.monotonic() - began < 6 and "goes on" in outcome.text and "deaf" in outcome.text
    assert (await run(session, "1 + 1")).text == "2"


# ---- rights


@pytest.mark.parametrize(
    ("permissions", "code", "expected"),
    [
        ({}, "1", "ask"),
        ({"allow": ["REPL"]}, "1", "allow"),
        ({"allow": ["REPL(df.*)"]}, "df.x; import os", "ask"),
        ({"allow": ["REPL(2 * 3)"]}, " 2 * 3\n", "allow"),
        ({"allow": ["REPL"], "deny": ["REPL(*import os*)"]}, "x = 1\nimport os", "deny"),
        ({"allow": ["REPL"], "ask": ["REPL(*open\\(*)"]}, "open('x')", "ask"),
        ({"allow": ["REPL"], "defaultMode": "plan"}, "1", "deny"),
        ({"defaultMode": "acceptEdits"}, "1", "ask"),
        ({"defaultMode": "dontAsk"}, "1", "deny"),
    ],
)
async def test_who_may_run_code(tmp_path: Path, permissions: dict[str, Any], code: str, expected: str) -> None:
    decision = await Session(cwd=tmp_path, settings={"permissions": permissions}).decide("REPL", {"code": code})
    prompts = decision.behavior if decision.behavior != "deny" or expected == "deny" else "ask"
    assert prompts == expected, decision


async def test_a_rule_that_is_offered_means_this_very_code(tmp_path: Path) -> None:
    code = "total = (1 + 2)\nprint(f'{total}')"
    offered = (await Session(cwd=tmp_path).decide("REPL", {"code": code})).suggestions
    again = Session(cwd=tmp_path, settings={"permissions": {"allow": list(offered)}})
    assert (await again.decide("REPL", {"code": code})).behavior == "allow"
    assert (await again.decide("REPL", {"code": code + "\nmore"})).behavior != "allow"


def test_the_card_shows_the_whole_code() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(300))
    view = repl_tool.preview(repl_tool.input_model.model(code=code), None)
    assert view.blocks == (CodeBlockView(code, "python"),)
    assert not repl_tool.is_read_only(None) and not repl_tool.is_concurrency_safe(None)


@pytest.mark.parametrize(
    ("fields", "check"),
    [
        ({"code": "  "}, "repl-empty"),
        ({"code": "x\0"}, "repl-no-text"),
        ({"code": "x" * 300_000}, "repl-too-long"),
        ({"code": "1", "timeout": 0}, "repl-timeout"),
    ],
)
async def test_what_cannot_work_is_said(session: Session, fields: dict[str, Any], check: str) -> None:
    outcome = await session.call("REPL", fields)
    assert outcome.status == "error" and outcome.error.check_id == check


# ---- other tools inside


async def test_tools_are_functions_whose_every_call_is_judged(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    code = "r = await tools.Read('a.txt')\nprint(r.text)\ntools[-1] is r, r.output.content, dir(tools)"
    outcome = await run(session, code)
    assert "alpha" in outcome.text and "(True, 'alpha'" in outcome.text and "'REPL'" not in outcome.text
    refused = await run(
        session,
        "try:\n    await tools.Write(file_path='b.txt', content='x')\n"
        "except tools.DeniedError as error:\n    print('no:', isinstance(error, tools.Error))",
    )
    assert refused.text == "no: True" and not (tmp_path / "b.txt").exists()
    assert [o.tool_use.name for o in session.outcomes][-2:] == ["Write", "REPL"]
    assert session.outcomes[-2].status == "denied"


async def test_deny_rules_hold_inside(tmp_path: Path) -> None:
    rules = {"allow": ["REPL", "Bash"], "deny": ["Read(secret.txt)", "Bash(rm *)"]}
    session = Session(cwd=tmp_path, settings={"permissions": rules})
    (tmp_path / "secret.txt").write_text("hidden words")
    for call in ("Read('secret.txt')", "Bash('rm secret.txt')"):
        assert "PermissionDeniedError" in (await run(session, f"await tools.{call}")).text
    assert (tmp_path / "secret.txt").exists()
    assert "InputValidationError" in (await run(session, "await tools.Read(nonsense=1)")).text
    await session.aclose()


async def test_an_object_that_was_kept_has_no_rights(session: Session) -> None:
    await run(session, "kept = tools\nread = tools.Read")
    for code in ("await kept.Read('x')", "await read('x')", "kept[-1]"):
        assert "only be used by code that REPL runs" in (await run(session, code)).text


async def test_a_name_of_the_persons_own_comes_back(session: Session) -> None:
    await run(session, "tools = 'mine'")
    assert "<tools:" in (await run(session, "repr(tools)")).text
    assert session.interpreter.namespace["tools"] == "mine"


async def test_waiting_for_another_tool_takes_none_of_its_time(tmp_path: Path) -> None:
    from jupyter_agenttools import tool

    @tool(is_read_only=True)
    async def slow() -> str:
        """Takes a while."""
        await anyio.sleep(2.0)
        return "slept"

    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["REPL"]}}, tools=[slow])
    assert (await run(session, "(await tools.slow()).text", timeout=1_500)).text == "'slept'"
    await session.aclose()


async def test_calls_side_by_side_run_one_after_the_other(tmp_path: Path) -> None:
    from jupyter_agenttools import tool

    running: list[int] = []
    most: list[int] = []

    @tool(is_read_only=True)
    async def count(n: int) -> int:
        """Counts who runs."""
        running.append(n)
        most.append(len(running))
        await anyio.sleep(0.01)
        running.remove(n)
        return n

    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["REPL"]}}, tools=[count])
    code = "import asyncio\n[r.output for r in await asyncio.gather(*(tools.count(n) for n in range(4)))]"
    assert (await run(session, code)).text == "[0, 1, 2, 3]" and max(most) == 1
    await session.aclose()


# ---- REPL mode


def test_flags_come_from_the_environment_first_and_then_the_settings() -> None:
    assert resolve_flags({}) == ToolFlags()
    assert resolve_flags({"CLAUDE_CODE_REPL": "yes"}).repl_mode
    assert resolve_flags({}, repl_mode=True).repl_mode
    assert not resolve_flags({"JUPYTER_AGENTTOOLS_REPL_MODE": "0"}, repl_mode=True).repl_mode


def names(tools: Any) -> set[str]:
    return {tool.name for tool in tools}


def test_in_repl_mode_the_primitives_are_hidden() -> None:
    flags, anybody = ToolFlags(repl_mode=True), ToolPermissionContext()
    pool = assemble_tool_pool(anybody, flags=flags)
    assert {"REPL", "TodoWrite", "InspectVariable"} <= names(pool)
    hidden = {"Read", "Write", "Edit", "Bash", "Glob", "Grep", "NotebookEdit", "NotebookRead"}
    assert not hidden & names(pool) and hidden <= names(hidden_tools(pool, anybody, flags))
    denying = ToolPermissionContext(always_deny_rules={"session": ("Bash",)})
    assert "Bash" not in names(hidden_tools(assemble_tool_pool(denying, flags=flags), denying, flags))


@pytest.mark.parametrize(
    ("permission", "has_repl"),
    [
        (ToolPermissionContext(always_deny_rules={"session": ("REPL",)}), False),
        (ToolPermissionContext(should_avoid_permission_prompts=True), False),
        (ToolPermissionContext(mode="dontAsk"), False),
        (ToolPermissionContext(should_avoid_permission_prompts=True, always_allow_rules={"session": ("REPL",)}), True),
    ],
)
def test_where_nobody_can_let_code_run_the_primitives_stay(permission: ToolPermissionContext, has_repl: bool) -> None:
    flags = ToolFlags(repl_mode=True)
    pool = names(assemble_tool_pool(permission, flags=flags))
    assert ("REPL" in pool) is has_repl and ("Read" in pool) is not has_repl


async def test_a_session_is_in_repl_mode_by_its_settings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    settings = {"permissions": {"allow": ["REPL"]}, "replMode": True}
    session = Session(cwd=tmp_path, settings=settings)
    assert "Read" not in names(session.tools)
    assert "tools.Read(file_path" in repl_tool.prompt(session.options)
    model = ScriptedModel([[ToolUse("REPL", {"code": "(await tools.Read(file_path='a.txt')).text"})], "done"])
    last = [update async for update in session.query("look", model=model)][-1]
    assert last.reason == "end_turn" and "alpha" in session.outcomes[-1].text
    await session.aclose()


async def test_what_repl_mode_hides_a_model_can_call_only_from_code(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    settings = {"permissions": {"allow": ["REPL", "Read", "Bash"]}, "replMode": True}
    session = Session(cwd=tmp_path, settings=settings)
    direct = [ToolUse("Read", {"file_path": "a.txt"}, "one"), ToolUse("Bash", {"command": "touch made"}, "two")]
    inside = [ToolUse("REPL", {"code": "(await tools.Read(file_path='a.txt')).text"})]
    model = ScriptedModel([direct, inside, "done"])
    last = [update async for update in session.query("look", model=model)][-1]
    assert last.reason == "end_turn"
    results = [block for message in session.messages for block in message.content if block.type == "tool_result"]
    assert [block.tool_use_id for block in results][:2] == ["one", "two"] and len(results) == 3
    assert all(block.is_error for block in results[:2]) and not (tmp_path / "made").exists()
    assert "not offered in REPL mode" in results[0].content
    assert "await tools.Read(file_path=…)" in results[0].content and "alpha" not in results[0].content
    assert "alpha" in results[2].content
    assert "alpha" in (await session.call("Read", {"file_path": "a.txt"})).text  # a person may, as ever
    await session.aclose()


async def test_what_a_query_does_not_offer_cannot_be_called_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    allowed = {"permissions": {"allow": ["REPL", "Read", "Write"]}}
    session = Session(cwd=tmp_path, settings={**allowed, "env": {"CLAUDE_CODE_SIMPLE": "1"}})
    assert names(session.tools) == {"Bash", "Read", "Edit"}
    uses = [ToolUse("Write", {"file_path": "b.txt", "content": "b"}, "one"), ToolUse("Read", {"file_path": "a.txt"})]
    model = ScriptedModel([uses, "done", [ToolUse("Read", {"file_path": "a.txt"}), ToolUse("Nope", {})], "done"])
    _ = [update async for update in session.query("look", model=model)]
    refused, read = session.outcomes
    assert refused.error.check_id == "tool-not-offered" and not (tmp_path / "b.txt").exists()
    assert "Offered: Bash, Edit, Read" in refused.text and "alpha" in read.text
    _ = [update async for update in session.query("again", model=model, tools=["Bash"])]
    refused, unknown = list(session.outcomes)[2:]
    assert refused.error.check_id == "tool-not-offered" and "Offered: Bash." in refused.text
    assert unknown.error.check_id == "unknown-tool"
    await session.aclose()


def test_an_output_of_its_own_kind_is_read_in_order() -> None:
    output = ReplOutput("ok", (CodeOutput("stdout", "a\n"), CodeOutput("value", data={"image/png": "QUJD"})), ("note",))
    assert [block.type for block in blocks_of(output)] == ["text", "image", "text"]


# ---- code that does what only a loop or a generator should


@pytest.mark.parametrize(
    "code",
    [
        "import asyncio; asyncio.get_running_loop().stop()",
        "import asyncio; asyncio.get_running_loop().stop(); await asyncio.sleep(0.01)",
        "import asyncio; [task.cancel() for task in asyncio.all_tasks()]; await asyncio.sleep(0.01)",
        "import asyncio\nasync def leave(): raise SystemExit\nkept = asyncio.ensure_future(leave())\n"
        "await asyncio.sleep(0.01)",
        "import asyncio; asyncio.get_running_loop().close()",
    ],
)
async def test_code_cannot_break_the_thread_that_runs_it(session: Session, code: str) -> None:
    with anyio.fail_after(20):
        await run(session, f"x = 5\n{code}")
        assert (await run(session, "x + 1")).text == "6"
        assert "5" in (await session.call("InspectVariable", {"name": "x"})).text


@pytest.mark.parametrize(
    "code", ["raise GeneratorExit", "import asyncio\nawait asyncio.sleep(0)\nraise GeneratorExit('mine')"]
)
async def test_the_exit_of_a_generator_is_an_error_of_the_code(session: Session, code: str) -> None:
    outcome = await run(session, code)
    assert outcome.is_error and outcome.output.error_name == "GeneratorExit"
    assert "GeneratorExit" in outcome.text and "jupyter_agenttools" not in outcome.text
    assert (await run(session, "1 + 1")).text == "2"


async def test_an_error_that_cannot_even_be_looked_at_is_an_error_of_the_code(session: Session) -> None:
    panics = "@property\n    def __notes__(self): raise BaseException('no')"
    outcome = await run(session, f"class Odd(Exception):\n    {panics}\nraise Odd")
    assert outcome.is_error and "Odd (its traceback cannot be shown: BaseException)" in outcome.text
    assert (await run(session, "1 + 1")).text == "2"


@pytest.mark.parametrize("error", ["GeneratorExit", "SystemExit", "KeyboardInterrupt"])
async def test_a_value_that_raises_when_it_is_shown_is_an_error_of_the_code(session: Session, error: str) -> None:
    outcome = await run(session, f"class Bad:\n    def __repr__(self): raise {error}\nbad = Bad()\nbad")
    assert outcome.status in ("error", "interrupted")
    seen = await session.call("InspectVariable", {"name": "bad"})
    assert seen.status in ("ok", "error", "interrupted")
